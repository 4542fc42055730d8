package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
)

// version says what was built, from what and with what.
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

// fileHint tells what to do with a file that was named where a database was meant, and ""
// for what may be a database.
func fileHint(name string) string {
	switch ext := filepath.Ext(name); ext {
	case "":
		return ""
	case ".sql":
		return fmt.Sprintf("%s is no database; gsql -f %s runs it", name, name)
	case ".csv", ".tsv", ".parquet", ".arrow", ".ipc", ".feather", ".gz", ".zst":
		return fmt.Sprintf("%s is no database; gsql -c 'SELECT * FROM `%s` LIMIT 10' reads it", name, name)
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		return name + " is a file, no database"
	}
	return ""
}
