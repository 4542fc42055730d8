package gsql

import (
	"path"
	"strings"

	"gsql/sql/sqlerr"
)

// fileEndings are endings of the names under which people keep databases.
var fileEndings = map[string]bool{
	".gsql": true, ".db": true, ".db3": true, ".ddb": true, ".duckdb": true, ".s3db": true, ".sqlite": true, ".sqlite3": true, ".sqlitedb": true,
}

// checkDatabaseName returns error 1102 for a database name that looks like a folder's.
func checkDatabaseName(name string) error {
	if _, is := folder(name); !is {
		return nil
	}
	return sqlerr.New(sqlerr.WrongDBName, "Incorrect database name '%s': it looks like the name of a folder", name).
		WithHint("Config.Path is the folder in which a database is kept. A name such as %s is a database within it.", plainName(strings.ToLower(name)))
}

// folder reports whether the first part of a data source name is that of a folder, and returns it
// without file: before it.
func folder(name string) (string, bool) {
	lower := strings.ToLower(name)
	switch {
	case strings.HasPrefix(lower, "file:"):
		rest := name[len("file:"):]
		if after, found := strings.CutPrefix(rest, "//"); found && strings.HasPrefix(after, "/") {
			rest = after // file:///folder has an empty host
		}
		return rest, true
	case strings.ContainsAny(name, `/\`), name == ".", name == "..", strings.HasPrefix(name, "~"), fileEndings[path.Ext(lower)]:
		return name, true
	}
	return name, false
}

// plainName suggests a database name to use instead of a file's.
func plainName(file string) string {
	base := path.Base(strings.ReplaceAll(strings.TrimPrefix(file, "file:"), `\`, "/"))
	base, _, _ = strings.Cut(strings.TrimLeft(base, ".~"), ".")
	base = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return -1
	}, base)
	if base == "" {
		return "shop"
	}
	return base
}
