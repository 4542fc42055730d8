package main

import "strings"

const defaultPrompt = "gsql> "

// dotPrompt is the command .prompt. Alone, it restores the default.
func dotPrompt(sh *shell, args []string) error {
	text := unquote([]string{strings.Join(args, " ")})[0]
	if len(args) == 1 && text != "" && !strings.HasSuffix(text, " ") && !strings.HasSuffix(text, `\_`) {
		text += " "
	}
	sh.prompt = text
	return nil
}

// prompts returns the prompts of the first and of further lines of a statement. In a prompt, \d is
// the database, \f the folder in which the tables are kept, \_ a space, and \\ a backslash.
func (sh *shell) prompts() (first, more string) {
	first = sh.prompt
	if first == "" {
		first = defaultPrompt
	}
	folder := sh.folder
	if folder == "" {
		folder = "memory"
	}
	first = strings.NewReplacer(`\\`, `\`, `\_`, " ", `\d`, sh.s.Database(), `\f`, folder).Replace(first)
	return first, strings.Repeat(" ", max(len([]rune(first))-len("-> "), 0)) + "-> "
}
