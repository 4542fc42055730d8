package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"gsql/cmd/gsql/edit"
	"gsql/cmd/gsql/paint"
	"gsql/cmd/gsql/theme"
	"gsql/cmd/gsql/wrap"
	"gsql/sql/parse"
)

// interactiveRows is the number of rows that a table shows before its middle is elided.
const interactiveRows = 40

// interact is the read-eval-print loop. Ctrl-C discards the line at the prompt and cancels a
// running query; Ctrl-D and .quit end the loop.
func (sh *shell) interact() int {
	var typed []byte
	if colored(sh.color, sh.stdout) {
		sh.asked, typed = theme.Light(sh.in, sh.stdout)
		sh.light = sh.asked
	}
	complete := &completer{sh: sh}
	painter := &painter{sh, paint.New(keywords)}
	r := &repl{sh: sh}
	editor, err := edit.New(edit.Options{
		Typed: typed, Size: r.size,
		History: historyFile(), Entries: 5000,
		Complete: complete.at, Ends: r.ends, Style: painter.style,
	})
	if err != nil {
		fmt.Fprintln(sh.errw, "gsql:", err)
		return 1
	}
	defer editor.Close()
	complete.show = editor.Show
	sh.mode, sh.footer, sh.maxRows, sh.interactive = interactiveMode(sh.mode), true, interactiveRows, true
	greeting := "gsql: SQL over tables and files. End statements with ; and see .help.\n"
	if sh.folder == "" {
		greeting += "Tables are in memory and end with the shell; gsql FOLDER keeps them."
	} else {
		greeting += "Tables are kept in " + sh.folder + "."
	}
	fmt.Fprintln(sh.stdout, wrap.For(sh.stdout, greeting))
	sh.startup()
	r.loop(editor)
	if err := sh.closeOutput(); err != nil {
		fmt.Fprintln(sh.errw, "gsql:", err)
		return 1
	}
	return 0
}

// repl reads what a shell runs from a terminal.
type repl struct{ sh *shell }

// size returns the size of the terminal, or the usual one if the terminal does not know it.
func (r *repl) size() (width, height int) {
	width, height, err := term.GetSize(int(r.sh.stdout.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// interactiveMode selects boxes if no mode was chosen.
func interactiveMode(mode string) string {
	if mode == "table" {
		return "box"
	}
	return mode
}

func (r *repl) loop(editor *edit.Editor) {
	sh := r.sh
	for !sh.quit {
		text, err := editor.Read(sh.prompts())
		switch {
		case errors.Is(err, edit.ErrInterrupt):
			continue
		case err != nil:
			if !errors.Is(err, io.EOF) {
				fmt.Fprintln(sh.errw, "gsql:", err)
			}
			return
		}
		r.entered(text, func(entry string) {
			_ = editor.Remember(entry) // a full disk must not stop the session
		})
	}
}

// entered runs what was entered: statements, commands, or both on lines of their own. remember adds to the history.
func (r *repl) entered(text string, remember func(string)) {
	var pending strings.Builder
	if !mixed(text) {
		r.sh.line(&pending, text, remember)
		return
	}
	for line := range strings.Lines(text) {
		r.sh.line(&pending, strings.TrimSuffix(line, "\n"), remember)
	}
}

// mixed reports whether a text of several lines contains commands.
func mixed(text string) bool {
	for line := range strings.Lines(text) {
		if _, ok := commandOf(line); ok && strings.Contains(text, "\n") {
			return true
		}
	}
	return false
}

// ends reports whether Enter runs a text rather than beginning another line of it.
func (r *repl) ends(text string) bool {
	if !mixed(text) {
		return r.runs(text)
	}
	pending := ""
	for line := range strings.Lines(text) {
		if pending += line; r.runs(pending) {
			pending = ""
		}
	}
	return pending == ""
}

// runs reports whether line does not wait for more of a text.
func (r *repl) runs(text string) bool {
	sh := r.sh
	_, command := commandOf(text)
	if command || strings.TrimSpace(text) == "" || sh.cleared(text) {
		return true
	}
	_, complete := sh.complete(text)
	return complete || !strings.Contains(strings.TrimSpace(text), "\n") && sh.notSQL(text) != nil
}

// line handles a command between statements, or lines of a statement, which runs once it is complete. remember adds to the
// history.
func (sh *shell) line(pending *strings.Builder, line string, remember func(string)) {
	if pending.Len() == 0 {
		if command, ok := commandOf(line); ok {
			remember(strings.TrimSpace(line))
			sh.dot(command)
			return
		}
		if strings.TrimSpace(line) == "" {
			return
		}
	}
	begun := pending.Len() > 0
	pending.WriteString(line)
	pending.WriteByte('\n')
	if sh.cleared(pending.String()) {
		pending.Reset()
		return
	}
	stmts, complete := sh.complete(pending.String())
	if !complete {
		if begun {
			return
		}
		if err := sh.notSQL(line); err != nil {
			remember(strings.TrimSpace(line))
			pending.Reset()
			sh.fail(err, line)
		}
		return
	}
	remember(strings.TrimSpace(pending.String()))
	pending.Reset()
	for _, p := range stmts {
		if !sh.statement(p.Text) && sh.bail {
			return
		}
	}
}

// complete returns the statements of a text, and reports whether the last one is complete.
func (sh *shell) complete(text string) ([]parse.Piece, bool) {
	if sh.delimiter != "" {
		text, ends := sh.delimited(text)
		if !ends {
			return nil, false
		}
		stmts, rest := parse.Split(text+";", sh.s.SQLMode())
		return stmts, rest == ""
	}
	stmts, rest := parse.Split(sh.endVertical(text), sh.s.SQLMode())
	return stmts, rest == ""
}

// historyFile returns ~/.gsql_history or $GSQL_HISTORY, or "" if there is no home directory.
func historyFile() string {
	if f, ok := os.LookupEnv("GSQL_HISTORY"); ok {
		return f
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".gsql_history")
}
