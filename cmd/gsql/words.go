package main

import (
	"errors"
	"strings"

	"gsql/cmd/gsql/summary"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// otherNames maps the names that other shells give to commands.
var otherNames = map[string]string{
	`\q`: ".quit", `\?`: ".help", `\h`: ".help", `\d`: ".tables", `\dt`: ".tables", `\l`: ".databases", // psql
	`\.`: ".read", `\!`: ".shell", `\s`: ".status", `\P`: ".pager", `\n`: ".nopager", `\R`: ".prompt", // mysql
}

// words are the commands of the mysql client that need no dot. A word with the value true takes
// arguments; the others stand alone, so that they do not hide statements.
var words = map[string]bool{
	"exit": false, "quit": false, "help": true, "status": false, "clear": false, "nopager": false,
	"source": true, "system": true, "delimiter": true, "pager": true, "prompt": true,
}

// wordNames maps words to the commands that have other names.
var wordNames = map[string]string{"source": ".read", "system": ".shell"}

// commandOf returns a line between statements as a dot-command, and reports whether it is one.
func commandOf(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if line == "" {
		return "", false
	}
	if line[0] == '.' || line[0] == '\\' {
		return line, true
	}
	word, args, _ := strings.Cut(line, " ")
	word = strings.ToLower(word)
	alone := strings.TrimRight(word, ";")
	takes, ok := words[alone]
	if !ok || !takes && strings.Trim(args, " ;") != "" || takes && strings.HasPrefix(strings.TrimSpace(args), "=") {
		return "", false
	}
	if name, other := wordNames[alone]; other {
		return strings.TrimRight(name+" "+strings.TrimSpace(args), " "), true
	}
	return strings.TrimRight("."+alone+" "+strings.TrimSpace(args), " "), true
}

// dotDelimiter is the command delimiter. Statements then end at lines that end with it. Alone, or
// with a semicolon, it restores the semicolon.
func dotDelimiter(sh *shell, args []string) error {
	if len(args) > 1 || len(args) == 1 && strings.Contains(args[0], `\`) {
		return errors.New("takes one delimiter without a backslash")
	}
	sh.delimiter = strings.Join(args, "")
	return nil
}

// delimited returns a text without the delimiter of the command delimiter, and reports whether it
// ends with it.
func (sh *shell) delimited(text string) (string, bool) {
	return strings.CutSuffix(strings.TrimSpace(text), sh.delimiter)
}

// cleared reports whether the last line of a text ends with \c, which discards the statement, as in
// the mysql client.
func (sh *shell) cleared(text string) bool {
	text, ok := strings.CutSuffix(strings.TrimSpace(text), `\c`)
	return ok && !sh.open(text)
}

// open reports whether a text ends within a string, a name or a comment.
func (sh *shell) open(text string) bool {
	_, rest := parse.Split(text+";", sh.s.SQLMode())
	return rest != ""
}

// notSQL returns the error of a line that no statement begins with, so that it is reported at once and
// not at the next semicolon. It returns nil if the line may begin a statement.
func (sh *shell) notSQL(line string) error {
	if _, ok := summary.Query(line); ok {
		return nil
	}
	_, err := parse.Parse(line, sh.s.SQLMode())
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != sqlerr.ParseError {
		return nil
	}
	if begin := len(line) - len(strings.TrimLeft(line, " \t")); e.Pos != begin || begin == len(line) {
		return nil
	}
	return err
}
