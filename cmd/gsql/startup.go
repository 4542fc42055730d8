package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// startupFile returns the file that an interactive shell runs first: $GSQL_RC, which may be empty,
// ~/.gsqlrc if it exists, or gsqlrc in the folder gsql of $XDG_CONFIG_HOME, by default ~/.config.
// It returns "" if there is none.
func startupFile() string {
	if f, ok := os.LookupEnv("GSQL_RC"); ok {
		return f
	}
	var places []string
	home, err := os.UserHomeDir()
	if err == nil {
		places = append(places, filepath.Join(home, ".gsqlrc"))
	}
	if config := os.Getenv("XDG_CONFIG_HOME"); config != "" {
		places = append(places, filepath.Join(config, "gsql", "gsqlrc"))
	} else if err == nil {
		places = append(places, filepath.Join(home, ".config", "gsql", "gsqlrc"))
	}
	for _, place := range places {
		if _, err := os.Stat(place); !errors.Is(err, fs.ErrNotExist) {
			return place
		}
	}
	return ""
}

// startup runs the startup file. An error in it is reported and does not end the shell.
func (sh *shell) startup() {
	file := startupFile()
	if file == "" {
		return
	}
	content, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(sh.errw, "gsql:", err)
		return
	}
	if !sh.text(string(content)) {
		fmt.Fprintf(sh.errw, "gsql: the error above is in %s\n", file)
	}
}
