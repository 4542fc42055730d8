package suites_test

import (
	"path/filepath"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestSuites runs the repository's sqllogictest suites under several configurations:
// the answers must not depend on any of them.
func TestSuites(t *testing.T) {
	settings := map[string]map[string]string{
		"default":    nil,
		"one worker": {"gsql_workers": "1"},
		"batch of 3": {"gsql_batch_size": "3"},
	}
	if testing.Short() {
		sqltest.Suites(t, gsql.Config{}, "slt/joins", "slt/queries")
		return
	}
	for name, vars := range settings {
		t.Run(name, func(t *testing.T) { sqltest.Suites(t, gsql.Config{Variables: vars}, "slt") })
	}
}

// TestSuitesInFolder runs some of the suites on a database in a folder that is closed and opened after
// each file.
func TestSuitesInFolder(t *testing.T) {
	sqltest.NotForRaces(t)
	sqltest.Suites(t, gsql.Config{Path: filepath.Join(t.TempDir(), "db")}, "slt/generated", "slt/joins", "slt/types")
}
