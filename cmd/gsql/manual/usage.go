// Package manual turns the usage text of the program into a manual page and into completions for bash, zsh
// and fish, so that these agree.
package manual

import "strings"

// Entry is an option, a subcommand or a command of the shell.
type Entry struct {
	Name string   // such as --mode
	Args string   // such as MODE; "" for none
	Help string   // one paragraph
	Of   []string // the words that may be its argument; nil for none in particular
}

// IsFile reports whether the argument of the entry is a file or folder.
func (e *Entry) IsFile() bool {
	return strings.Contains(e.Args, "FILE") || strings.Contains(e.Args, "WHICH")
}

// Page is what the usage text says.
type Page struct {
	Name     string
	Operands string // of the program without a subcommand
	Options  []Entry
	Commands []Entry  // subcommands
	Text     []string // paragraphs
	Shell    []Entry  // commands within the shell
}

// Parse reads a usage text: the lines of subcommands, a paragraph of options, and other paragraphs.
func Parse(usage string) *Page {
	p := &Page{}
	for k, part := range strings.Split(strings.TrimSpace(usage), "\n\n") {
		switch {
		case k == 0:
			p.synopsis(part)
		case strings.HasPrefix(part, "  -"):
			p.Options = append(p.Options, entries(part)...)
		default:
			p.Text = append(p.Text, strings.Join(strings.Fields(part), " "))
		}
	}
	return p
}

// synopsis reads the lines that show how the program is called.
func (p *Page) synopsis(part string) {
	for line := range strings.Lines(part) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "usage:"))
		call, help, _ := strings.Cut(line, "   ")
		name, rest, _ := strings.Cut(call, " ")
		if p.Name == "" {
			p.Name, p.Operands = name, rest
			continue
		}
		sub, args, _ := strings.Cut(rest, " ")
		if help == "" { // the names are so long that two blanks are left
			args, help, _ = strings.Cut(args, "  ")
		}
		p.Commands = append(p.Commands, Entry{Name: sub, Args: strings.TrimSpace(args), Help: strings.TrimSpace(help)})
	}
}

// entries reads lines of options and the lines that continue them.
func entries(part string) (list []Entry) {
	for line := range strings.Lines(strings.TrimRight(part, "\n")) {
		text := strings.TrimSpace(line)
		if !strings.HasPrefix(text, "-") {
			list[len(list)-1].Help += " " + text
			continue
		}
		fields := strings.Fields(text)
		e := Entry{Name: fields[0]}
		rest := strings.TrimPrefix(text, e.Name)
		if rest = strings.TrimPrefix(rest, " "); rest != "" && rest[0] != ' ' && strings.ToUpper(fields[1]) == fields[1] {
			e.Args = fields[1]
			rest = strings.TrimPrefix(rest, e.Args)
		}
		e.Help = strings.TrimSpace(rest)
		list = append(list, e)
	}
	return list
}
