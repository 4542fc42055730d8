package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestManual checks that the usage text is read as a whole: every option and subcommand is in the manual page
// and in each completion, none twice.
func TestManual(t *testing.T) {
	p := page()
	var options []string
	for _, e := range p.Options {
		options = append(options, e.Name+" "+e.Args)
		if e.Help == "" {
			t.Errorf("%s has no help", e.Name)
		}
	}
	if got := strings.Join(options, ","); got != "-c SQL,-f FILE,--files WHICH,--mode MODE,--null TEXT,--color WHEN,--timer ,--bail ,--version " {
		t.Errorf("options %s", got)
	}
	if len(p.Commands) != len(subcommands()) {
		t.Errorf("%d subcommands in the usage text, %d in the program", len(p.Commands), len(subcommands()))
	}
	for _, e := range p.Commands {
		if subcommands()[e.Name] == nil || e.Help == "" || strings.Contains(e.Args, "  ") {
			t.Errorf("subcommand %+v", e)
		}
	}
	man, errs, status := gsqlRun(t, "", "man")
	if status != 0 || errs != "" {
		t.Fatalf("man: %s, status %d", errs, status)
	}
	for _, e := range append(p.Options, p.Commands...) {
		for _, shell := range []string{"bash", "zsh", "fish"} {
			script, _, status := gsqlRun(t, "", "completion", shell)
			if name := strings.TrimLeft(e.Name, "-"); status != 0 || !strings.Contains(script, name) {
				t.Errorf("%s is not in the completion for %s, status %d", e.Name, shell, status)
			}
		}
		if !strings.Contains(man, strings.ReplaceAll(e.Name, "-", `\-`)) {
			t.Errorf("%s is not in the manual page", e.Name)
		}
	}
	for line := range strings.Lines(man) {
		if line[0] == '\'' || line[0] == '.' && !strings.Contains(".TH .SH .B .BR .TP .PP .br", strings.Fields(line)[0]) {
			t.Errorf("a line of the manual page is a request: %s", line)
		}
	}
	if _, errs, status := gsqlRun(t, "", "completion", "tcsh"); status != 2 || !strings.Contains(errs, "bash, zsh, fish") {
		t.Errorf("an unknown shell: %s, status %d", errs, status)
	}
}

// TestBashCompletes runs the completion in bash.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed:", err)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "gsql.bash")
	text, _, _ := gsqlRun(t, "", "completion", "bash")
	for path, content := range map[string]string{script: text, filepath.Join(dir, "data.csv"): ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for words, want := range map[string]string{
		"gsql --m": "--mode", "gsql --mode js": "json jsonl", "gsql cal": "calibrate", "gsql dat": "data.csv", "gsql --files n": "none",
		"gsql completion z": "zsh", "gsql -f da": "data.csv", "gsql x cal": "",
	} {
		list := strings.Fields(words)
		cmd := exec.Command(bash, "-c", `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gsql; echo "${COMPREPLY[@]}"`)
		cmd.Args = append(append(cmd.Args, script), list...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", words, got, err, want)
		}
	}
}
