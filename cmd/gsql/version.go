package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
)

const versionUsage = `usage: gsql version

Prints what was built, from which revision and with which Go.
`

// runVersion is the subcommand "gsql version".
func runVersion(args []string, out, errw io.Writer) int {
	if status, ok := (tool{"gsql version", versionUsage, out, errw}).parseNone(args); !ok {
		return status
	}
	fmt.Fprintln(out, version())
	return 0
}

// version describes what was built, from which sources and by which compiler.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "gsql"
	}
	revision := ""
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = " " + s.Value[:min(len(s.Value), 12)]
		}
	}
	return fmt.Sprintf("gsql %s%s (%s)", info.Main.Version, revision, info.GoVersion)
}

// fileHint returns advice for a file that was named where a database is expected, or "" for a name
// that may be a database.
func fileHint(name string) string {
	switch filepath.Ext(name) {
	case ".sql":
		return fmt.Sprintf("%s is no database; gsql -f %s runs it", name, name)
	case ".csv", ".tsv", ".json", ".ndjson", ".jsonl", ".parquet", ".arrow", ".ipc", ".feather", ".xlsx", ".gz", ".zst":
		return fmt.Sprintf("%s is no database; gsql -c 'SELECT * FROM `%s` LIMIT 10' reads it", name, name)
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		switch filepath.Ext(name) {
		case ".sqlite", ".sqlite3", ".db":
			return fmt.Sprintf("%s is a file; gsql -c 'SELECT * FROM `%s/TABLE` LIMIT 10' reads a table of SQLite", name, name)
		}
		return name + " is a file, and gsql keeps a database in a folder: name one that exists or that can be created"
	}
	return ""
}
