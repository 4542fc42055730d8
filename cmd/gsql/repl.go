package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chzyer/readline"

	"gsql/cmd/gsql/paint"
	"gsql/cmd/gsql/theme"
	"gsql/sql/parse"
	"gsql/sql/sqlmode"
)

// interactiveRows is the number of rows that a table shows before its middle is elided.
const interactiveRows = 40

// interact is the read-eval-print loop. Ctrl-C discards the line at the prompt and cancels a
// running query; Ctrl-D and .quit end the loop.
func (sh *shell) interact() int {
	var pending strings.Builder
	var typed []byte
	if colored(sh.color, sh.stdout) {
		sh.asked, typed = theme.Light(sh.in, sh.stdout)
		sh.light = sh.asked
	}
	complete := &completer{sh: sh, pending: &pending}
	rl, err := readline.NewEx(&readline.Config{
		Prompt:          defaultPrompt,
		HistoryFile:     historyFile(),
		HistoryLimit:    5000,
		AutoComplete:    complete,
		Painter:         &painter{sh, paint.New(keywords)},
		InterruptPrompt: "^C",
		EOFPrompt:       ".quit",

		DisableAutoSaveHistory: true,
	})
	if err != nil {
		fmt.Fprintln(sh.errw, "gsql:", err)
		return 1
	}
	defer rl.Close()
	complete.show = func(line string) { fmt.Fprintln(rl.Stdout(), line) }
	_, _ = rl.WriteStdin(typed) // what was typed before is lost at worst
	sh.mode, sh.footer, sh.maxRows, sh.interactive = interactiveMode(sh.mode), true, interactiveRows, true
	fmt.Fprintln(sh.stdout, "gsql: SQL over tables and files. End statements with ; and see .help for commands.")
	if sh.folder == "" {
		fmt.Fprintln(sh.stdout, "Tables are in memory and end with the shell; gsql FOLDER keeps them.")
	} else {
		fmt.Fprintf(sh.stdout, "Tables are kept in %s.\n", sh.folder)
	}
	sh.startup()
	sh.loop(rl, &pending)
	if err := sh.closeOutput(); err != nil {
		fmt.Fprintln(sh.errw, "gsql:", err)
		return 1
	}
	return 0
}

// interactiveMode selects boxes if no mode was chosen.
func interactiveMode(mode string) string {
	if mode == "table" {
		return "box"
	}
	return mode
}

func (sh *shell) loop(rl *readline.Instance, pending *strings.Builder) {
	for !sh.quit {
		prompt, more := sh.prompts()
		if pending.Len() > 0 {
			prompt = more
		}
		rl.SetPrompt(prompt)
		line, err := rl.Readline()
		switch {
		case errors.Is(err, readline.ErrInterrupt):
			pending.Reset()
			continue
		case err != nil:
			if !errors.Is(err, io.EOF) {
				fmt.Fprintln(sh.errw, "gsql:", err)
			}
			return
		}
		sh.line(pending, line, func(entry string) {
			_ = rl.SaveHistory(entry) // a full disk must not stop the session
		})
	}
}

// line handles one line: a command between statements, or a part of a statement, which runs once it
// is complete. remember adds to the history.
func (sh *shell) line(pending *strings.Builder, line string, remember func(string)) {
	if pending.Len() == 0 {
		if command, ok := commandOf(line); ok {
			remember(command)
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
	for _, entry := range historyEntries(pending.String(), sh.s.SQLMode()) {
		remember(entry)
	}
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

// historyEntries turns a statement of several lines into one line, so that it is recalled as a
// whole. If no single line means the same, each line becomes an entry.
func historyEntries(text string, mode sqlmode.Mode) []string {
	if line, ok := parse.OneLine(text, mode); ok {
		return []string{line}
	}
	return strings.Split(strings.TrimSpace(text), "\n")
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
