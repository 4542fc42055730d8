package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gsql/cmd/gsql/manual"
	"gsql/internal/render"
)

const completionUsage = `usage: gsql completion bash|zsh|fish

Prints a script with which the shell of the system completes the arguments of gsql:
source <(gsql completion bash), or gsql completion fish | source.
`

const manUsage = `usage: gsql man

Prints the manual page: gsql man | man -l -, or gsql man > ~/.local/share/man/man1/gsql.1.
`

// page returns the contents of the manual page and of the completions.
func page() *manual.Page {
	p := manual.Parse(fmt.Sprintf(usage, filepath.ListSeparator, strings.Join(render.Modes, ", ")))
	for i := range p.Options {
		switch p.Options[i].Name {
		case "--mode":
			p.Options[i].Of = render.Modes
		case "--color":
			p.Options[i].Of = colors
		case "--files":
			p.Options[i].Of = []string{"all", "none"}
		}
	}
	for i := range p.Commands {
		switch p.Commands[i].Name {
		case "completion":
			p.Commands[i].Of = manual.Shells
		case "help":
			for _, c := range p.Commands {
				p.Commands[i].Of = append(p.Commands[i].Of, c.Name)
			}
		}
	}
	for _, name := range dotNames() {
		p.Shell = append(p.Shell, manual.Entry{Name: name, Args: commands[name].args, Help: commands[name].help})
	}
	return p
}

// runCompletion is the subcommand "gsql completion".
func runCompletion(args []string, out, errw io.Writer) int {
	cmd := tool{"gsql completion", completionUsage, out, errw}
	switch {
	case len(args) == 1 && slices.Contains(manual.Shells, args[0]):
		fmt.Fprint(out, page().Completion(args[0]))
		return 0
	case len(args) == 1 && (args[0] == "--help" || args[0] == "-h" || args[0] == "-help"):
		fmt.Fprint(out, completionUsage)
		return 0
	}
	return cmd.misuse("takes the name of a shell: %s", strings.Join(manual.Shells, ", "))
}

// runMan is the subcommand "gsql man".
func runMan(args []string, out, errw io.Writer) int {
	if status, ok := (tool{"gsql man", manUsage, out, errw}).parseNone(args); !ok {
		return status
	}
	fmt.Fprint(out, page().Man("SQL over CSV, JSON, Parquet, Arrow, Excel and SQLite files and tables"))
	return 0
}
