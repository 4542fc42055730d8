package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chzyer/readline"

	"gsql/sql/parse"
)

const (
	prompt     = "gsql> "
	promptMore = "   -> "
)

// interactiveRows is how many rows a table shows before its middle is elided.
const interactiveRows = 40

// interact is the read-eval-print loop. Ctrl-C at the prompt drops the line, during a
// query cancels the query; Ctrl-D or .quit ends.
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
	sh.loop(rl)
	if err := sh.closeOutput(); err != nil {
		fmt.Fprintln(sh.errw, "gsql:", err)
		return 1
	}
	return 0
}

// interactiveMode draws boxes where the mode was not chosen.
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
		sh.line(rl, &pending, line)
	}
}

// line takes one line: a dot-command between statements, or a piece of a statement,
// which runs when it is complete.
func (sh *shell) line(rl *readline.Instance, pending *strings.Builder, line string) {
	trimmed := strings.TrimSpace(line)
	if pending.Len() == 0 && (trimmed == "" || strings.HasPrefix(trimmed, ".")) {
		if trimmed != "" {
			saveHistory(rl, trimmed)
			sh.dot(trimmed)
		}
		return
	}
	pending.WriteString(line)
	pending.WriteByte('\n')
	text := pending.String()
	if strings.HasSuffix(trimmed, `\G`) {
		text += ";"
	}
	stmts, rest := parse.Split(text)
	if rest != "" {
		return
	}
	pending.Reset()
	saveHistory(rl, strings.Join(strings.Fields(strings.TrimSpace(text)), " "))
	for _, p := range stmts {
		if !sh.statement(p.Text) && sh.bail {
			return
		}
	}
}

func saveHistory(rl *readline.Instance, line string) {
	_ = rl.SaveHistory(line) // a full disk must not stop the session
}

// historyFile is ~/.gsql_history, or $GSQL_HISTORY; none when there is no home.
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
