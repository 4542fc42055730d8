package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gsql/internal/suggest"
	"gsql/sql/sqlerr"
)

// tool is gsql or one of its subcommands: how it is called and where it writes.
type tool struct {
	name      string // "gsql", "gsql slt"
	usage     string
	out, errw io.Writer
}

// misuse reports an error in the arguments together with the correct usage, and returns the exit
// status of usage errors.
func (t tool) misuse(format string, args ...any) int {
	fmt.Fprintf(t.errw, "%s: %s\n", t.name, fmt.Sprintf(format, args...))
	fmt.Fprintf(t.errw, "Run %s --help to see how it is used.\n", t.name)
	return 2
}

// failed reports an error and returns the exit status of failures.
func (t tool) failed(err error) int {
	fmt.Fprintf(t.errw, "%s: %s\n", t.name, sqlerr.Render(err, ""))
	return 1
}

// parse parses options, which may appear before, between and after the operands, and returns the
// operands. Everything after "--" is an operand. If ok is false, the program ends with status:
// after --help, or after an error that parse has reported.
func (t tool) parse(fs *flag.FlagSet, args []string) (operands []string, status int, ok bool) {
	fs.SetOutput(io.Discard) // the errors of package flag do not state the correct usage
	fs.Usage = func() {}
	for {
		err := fs.Parse(args)
		switch {
		case errors.Is(err, flag.ErrHelp):
			fmt.Fprint(t.out, t.usage)
			return nil, 0, false
		case err != nil:
			return nil, t.misuse("%s", t.explain(fs, err)), false
		}
		rest := fs.Args()
		read := args[:len(args)-len(rest)]
		if len(rest) == 0 || len(read) > 0 && read[len(read)-1] == "--" {
			return append(operands, rest...), 0, true
		}
		operands, args = append(operands, rest[0]), rest[1:]
	}
}

// parseNone is parse for a command that accepts neither options nor operands.
func (t tool) parseNone(args []string) (status int, ok bool) {
	operands, status, ok := t.parse(flag.NewFlagSet(t.name, flag.ContinueOnError), args)
	if ok && len(operands) > 0 {
		return t.misuse("unexpected argument %q: this command takes none", operands[0]), false
	}
	return status, ok
}

// explain rewords an error of package flag.
func (t tool) explain(fs *flag.FlagSet, err error) string {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return fmt.Sprintf("there is no option %s%s", dashed(name), t.nearest(fs, name))
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return fmt.Sprintf("option %s needs a value", dashed(name))
	}
	return text
}

// nearest suggests the option that was probably intended.
func (t tool) nearest(fs *flag.FlagSet, name string) string {
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if near := suggest.Nearest(name, names); near != "" {
		return "; did you mean " + dashed(near) + "?"
	}
	return ""
}

// dashed formats an option as the usage does: one dash before a letter, two before a word.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// misspelt returns the subcommand that was probably intended by a name, or "".
func misspelt(name string) string {
	const least = 4 // shorter names are too often near each other
	if len(name) < least {
		return ""
	}
	return suggest.Nearest(name, slices.Sorted(maps.Keys(subcommands())))
}
