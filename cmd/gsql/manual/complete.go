package manual

import (
	"fmt"
	"strings"
)

// Shells are the shells for which there are completions.
var Shells = []string{"bash", "zsh", "fish"}

// Completion returns the script that completes the program's arguments in a shell, or "" for an unknown
// shell.
func (p *Page) Completion(shell string) string {
	switch shell {
	case "bash":
		return p.bash()
	case "zsh":
		return p.zsh()
	case "fish":
		return p.fish()
	}
	return ""
}

func names(list []Entry) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.Name
	}
	return strings.Join(out, " ")
}

// quoted quotes a text for any of the shells.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (p *Page) bash() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# bash completion for %[1]s: source <(%[1]s completion bash)\n_%[1]s() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n\tcase $prev in\n", p.Name)
	for _, e := range p.Options {
		switch {
		case len(e.Of) > 0 && e.IsFile():
			fmt.Fprintf(&b, "\t%s) COMPREPLY=($(compgen -W %s -- \"$cur\") $(compgen -f -- \"$cur\")); return ;;\n", e.Name, quoted(strings.Join(e.Of, " ")))
		case len(e.Of) > 0:
			fmt.Fprintf(&b, "\t%s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", e.Name, quoted(strings.Join(e.Of, " ")))
		case e.IsFile():
			fmt.Fprintf(&b, "\t%s) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", e.Name)
		case e.Args != "":
			fmt.Fprintf(&b, "\t%s) return ;;\n", e.Name)
		}
	}
	for _, e := range p.Commands {
		if len(e.Of) > 0 {
			fmt.Fprintf(&b, "\t%s) ((COMP_CWORD == 2)) && COMPREPLY=($(compgen -W %s -- \"$cur\")) && return ;;\n", e.Name, quoted(strings.Join(e.Of, " ")))
		}
	}
	fmt.Fprintf(&b, "\tesac\n\tif [[ $cur == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W %s -- \"$cur\"))\n\t\treturn\n\tfi\n\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n", quoted(names(p.Options)))
	fmt.Fprintf(&b, "\tif ((COMP_CWORD == 1)); then\n\t\tCOMPREPLY+=($(compgen -W %s -- \"$cur\"))\n\tfi\n}\ncomplete -o filenames -F _%s %s\n", quoted(names(p.Commands)), p.Name, p.Name)
	return b.String()
}

// described returns a word with its description as zsh's _arguments and _describe have it.
func described(name, help string) string {
	return name + strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(help)
}

func (p *Page) zsh() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %[1]s\n# zsh completion for %[1]s: write it to a file _%[1]s in a folder of $fpath\n_%[1]s_argument() {\n\tcase $words[2] in\n", p.Name)
	for _, e := range p.Commands {
		if len(e.Of) > 0 {
			fmt.Fprintf(&b, "\t%s) compadd %s ;;\n", e.Name, strings.Join(e.Of, " "))
		}
	}
	fmt.Fprintf(&b, "\t*) _files ;;\n\tesac\n}\n_%[1]s() {\n\tlocal -a subcommands=(\n", p.Name)
	for _, e := range p.Commands {
		fmt.Fprintf(&b, "\t\t%s\n", quoted(e.Name+":"+strings.ReplaceAll(e.Help, ":", `\:`)))
	}
	b.WriteString("\t)\n\t_arguments \\\n")
	for _, e := range p.Options {
		spec := described("*"+e.Name+"[", e.Help) + "]"
		spec = strings.Replace(spec, "*"+e.Name+`[`, "*"+e.Name+"[", 1)
		switch {
		case len(e.Of) > 0 && !e.IsFile():
			spec += ":" + strings.ToLower(e.Args) + ":(" + strings.Join(e.Of, " ") + ")"
		case len(e.Of) > 0:
			spec += ":" + strings.ToLower(e.Args) + ":{compadd " + strings.Join(e.Of, " ") + "; _files}"
		case e.IsFile():
			spec += ":" + strings.ToLower(e.Args) + ":_files"
		case e.Args != "":
			spec += ":" + strings.ToLower(e.Args) + ": "
		}
		fmt.Fprintf(&b, "\t\t%s \\\n", quoted(spec))
	}
	fmt.Fprintf(&b, "\t\t'1:command or database:{_describe command subcommands; _files}' \\\n\t\t'*:argument:_%[1]s_argument'\n}\ncompdef _%[1]s %[1]s\n", p.Name)
	return b.String()
}

func (p *Page) fish() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion for %[1]s: %[1]s completion fish | source\n", p.Name)
	for _, e := range p.Commands {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", p.Name, e.Name, quoted(e.Help))
		if len(e.Of) > 0 {
			fmt.Fprintf(&b, "complete -c %s -n %s -f -a %s\n", p.Name, quoted("__fish_seen_subcommand_from "+e.Name), quoted(strings.Join(e.Of, " ")))
		}
	}
	for _, e := range p.Options {
		flag := "-s " + strings.TrimPrefix(e.Name, "-")
		if name, long := strings.CutPrefix(e.Name, "--"); long {
			flag = "-l " + name
		}
		switch {
		case e.IsFile():
			flag += " -r"
		case e.Args != "":
			flag += " -x"
		}
		if len(e.Of) > 0 {
			flag += " -a " + quoted(strings.Join(e.Of, " "))
		}
		fmt.Fprintf(&b, "complete -c %s %s -d %s\n", p.Name, flag, quoted(e.Help))
	}
	return b.String()
}
