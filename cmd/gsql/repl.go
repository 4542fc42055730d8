package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chzyer/readline"

	"gsql/sql/parse"
	"gsql/sql/sqlmode"
)

const (
	prompt     = "gsql> "
	promptMore = "   -> "
)

// interactiveRows is the number of rows that a table shows before its middle is elided.
const interactiveRows = 40

// interact is the read-eval-print loop. Ctrl-C discards the line at the prompt and cancels a
// running query; Ctrl-D and .quit end the loop.
func (sh *shell) interact() int {
	rl, err := readline.NewEx(&readline.Config{
		Prompt:          prompt,
		HistoryFile:     historyFile(),
		HistoryLimit:    5000,
		AutoComplete:    &completer{sh: sh},
		InterruptPrompt: "^C",
		EOFPrompt:       ".quit",

		DisableAutoSaveHistory: true,
	})
	if err != nil {
		fmt.Fprintln(sh.errw, "gsql:", err)
		return 1
	}
	defer rl.Close()
	sh.mode, sh.footer, sh.maxRows = interactiveMode(sh.mode), true, interactiveRows
	fmt.Fprintln(sh.stdout, "gsql: SQL over tables and files. End statements with ; and see .help for commands.")
	if sh.folder == "" {
		fmt.Fprintln(sh.stdout, "Tables are in memory and end with the shell; gsql FOLDER keeps them.")
	} else {
		fmt.Fprintf(sh.stdout, "Tables are kept in %s.\n", sh.folder)
	}
	sh.loop(rl)
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

func (sh *shell) loop(rl *readline.Instance) {
	var pending strings.Builder
	for !sh.quit {
		rl.SetPrompt(prompt)
		if pending.Len() > 0 {
			rl.SetPrompt(promptMore)
		}
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
		sh.line(&pending, line, func(entry string) {
			_ = rl.SaveHistory(entry) // a full disk must not stop the session
		})
	}
}

// line handles one line: a dot-command between statements, or a part of a statement, which runs
// once it is complete. remember adds to the history.
func (sh *shell) line(pending *strings.Builder, line string, remember func(string)) {
	trimmed := strings.TrimSpace(line)
	if word := strings.ToLower(strings.TrimRight(trimmed, " ;")); pending.Len() == 0 && slices.Contains(bareWords, word) {
		trimmed = "." + word
	}
	if pending.Len() == 0 && (trimmed == "" || trimmed[0] == '.' || trimmed[0] == '\\') {
		if trimmed != "" {
			remember(trimmed)
			sh.dot(trimmed)
		}
		return
	}
	pending.WriteString(line)
	pending.WriteByte('\n')
	stmts, rest := parse.Split(sh.endVertical(pending.String()), sh.s.SQLMode())
	if rest != "" {
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

// bareWords are dot-commands that work without their dot, as in other shells.
var bareWords = []string{"exit", "quit", "help"}

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
