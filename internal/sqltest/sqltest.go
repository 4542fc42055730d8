// Package sqltest is the harness of tests that run SQL through package gsql: sessions that the test
// closes, statements that must succeed, results as texts, and the seeds of random tests.
package sqltest

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"gsql"
	"gsql/sql/sqlerr"
)

// Open opens a database and returns a session of it. The end of the test closes both.
func Open(t testing.TB, cfg gsql.Config) *gsql.Session {
	t.Helper()
	db, err := gsql.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := db.NewSession()
	t.Cleanup(func() { s.Close(); db.Close() })
	return s
}

// Run executes a text whose statements must succeed.
func Run(t testing.TB, s *gsql.Session, text string, args ...any) {
	t.Helper()
	if _, _, err := s.Exec(context.Background(), text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// Code returns the number of an error, or 0 for nil.
func Code(err error) sqlerr.Code {
	if err == nil {
		return 0
	}
	return sqlerr.From(err).Code
}

// Testdata returns the absolute path of a file below the repository's folder testdata.
func Testdata(name string) string { return filepath.Join(repository, "testdata", name) }

// repository is the folder of go.mod. Tests start in the folder of their package.
var repository = func() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return "."
}()

// CSV returns the records of a CSV file, without its first line.
func CSV(t testing.TB, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}
