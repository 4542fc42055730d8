package gsql

import (
	"path"
	"strings"

	"gsql/sql/sqlerr"
)

// fileEndings are file name endings of other embedded databases.
var fileEndings = map[string]bool{
	".gsql": true, ".db": true, ".db3": true, ".ddb": true, ".duckdb": true, ".s3db": true, ".sqlite": true, ".sqlite3": true, ".sqlitedb": true,
}

// checkDatabaseName returns error 1102 for a database name that looks like a file's. Whoever writes
// one expects the tables to be in that file, but they live in memory only.
func checkDatabaseName(name string) error {
	lower := strings.ToLower(name)
	switch {
	case strings.ContainsAny(name, `/\`), name == ".", name == "..", strings.HasPrefix(name, "~"):
	case strings.HasPrefix(lower, "file:"):
	case fileEndings[path.Ext(lower)]:
	default:
		return nil
	}
	return sqlerr.New(sqlerr.WrongDBName, "Incorrect database name '%s': tables live in memory only for now, not in a file", name).
		WithHint("Write a plain name such as %s, or none. To keep a table, write it with SELECT ... INTO OUTFILE 'table.parquet' and read it from there.", plainName(lower))
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
