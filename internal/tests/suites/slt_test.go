package suites_test

import (
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
