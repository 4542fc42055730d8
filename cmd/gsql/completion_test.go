//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// completionScript writes the completion for a shell to a folder with a data file, and skips the test if the shell is not
// installed.
func completionScript(t *testing.T, shell string) (program, script string) {
	t.Helper()
	program, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("%s is not installed: %v", shell, err)
	}
	text, errs, status := gsqlRun(t, "", "completion", shell)
	if status != 0 {
		t.Fatal(errs)
	}
	script = filepath.Join(t.TempDir(), "_gsql")
	for path, content := range map[string]string{script: text, filepath.Join(filepath.Dir(script), "data.csv"): ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return program, script
}

// completions are the words that complete what is typed. They begin a list of which the rest does not matter here.
var completions = map[string]string{
	"gsql --mo": "--mode", "gsql --mode js": "json jsonl", "gsql cal": "calibrate", "gsql dat": "data.csv", "gsql --files no": "none",
	"gsql completion z": "zsh", "gsql -f da": "data.csv", "gsql help ba": "backup", "gsql --color al": "always",
}

// TestFishCompletes runs the completion in fish.
func TestFishCompletes(t *testing.T) {
	fish, script := completionScript(t, "fish")
	for typed, want := range completions {
		cmd := exec.Command(fish, "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, typed)
		cmd.Dir = filepath.Dir(script)
		out, err := cmd.Output()
		var got []string
		for line := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, word)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v, want %q", typed, got, err, want)
		}
	}
}

// TestZshCompletes presses Tab in zsh.
func TestZshCompletes(t *testing.T) {
	zsh, script := completionScript(t, "zsh")
	cmd := exec.Command(zsh, "-f", "-i")
	cmd.Dir = filepath.Dir(script)
	cmd.Env = append(os.Environ(), "TERM=xterm", "PS1=ready> ", "HOME="+cmd.Dir)
	term := inTerminal(t, cmd)
	term.wait("ready> ")
	term.send("autoload -Uz compinit; compinit -u -D; source " + script + "; zstyle ':completion:*' list-prompt ''; PS1='done> '\r")
	term.wait("done> ")
	for typed, want := range completions {
		term.send(typed + "\t")
		word := strings.Fields(want)[0] // it begins all words of the list
		term.wait(word[len(lastTyped(typed)):])
		term.send("\x15echo ne''xt\r") // Ctrl-U removes the line
		term.wait("next")
		term.wait("done> ")
	}
}

// lastTyped returns the word that is completed.
func lastTyped(line string) string { return line[strings.LastIndexByte(line, ' ')+1:] }
