package manual

import (
	"fmt"
	"strings"
)

// Man returns the manual page, in the macros of man(7).
func (p *Page) Man(summary string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n%s\n", strings.ToUpper(p.Name), p.Name, roff(summary), p.Name, roff(p.Operands))
	for _, e := range p.Commands {
		fmt.Fprintf(&b, ".br\n.B %s %s\n%s\n", p.Name, roff(e.Name), roff(e.Args))
	}
	b.WriteString(".SH DESCRIPTION\n")
	for i, text := range p.Text {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(roff(text) + "\n")
	}
	section(&b, "OPTIONS", p.Options)
	section(&b, "SUBCOMMANDS", p.Commands)
	section(&b, "COMMANDS OF THE SHELL", p.Shell)
	return b.String()
}

func section(b *strings.Builder, title string, list []Entry) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	for _, e := range list {
		fmt.Fprintf(b, ".TP\n.BR %s\n%s\n", argument(strings.TrimSpace(roff(e.Name)+" "+roff(e.Args))), roff(e.Help))
	}
}

// argument quotes the argument of a macro.
func argument(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\(dq`) + `"` }

// roff escapes a text, so that none of it is a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(s)
	if strings.HasPrefix(s, ".") {
		return `\&` + s
	}
	return s
}
