package planning_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestEmptyAlias: AS ” names a column with the empty text, whatever it is computed of, as in MySQL. Tables have no
// such columns.
func TestEmptyAlias(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (x INT)")
	for _, c := range []struct {
		query string
		names []string
	}{
		{"SELECT AVG(x) AS '' FROM t", []string{""}},
		{"SELECT AVG(x) AS '', AVG(x) AS b, AVG(x) FROM t GROUP BY x ORDER BY AVG(x) + 1", []string{"", "b", "AVG(x)"}},
		{"SELECT x as ``, x+1 As  \"\" FROM t HAVING x > 1", []string{"", ""}},
		{"SELECT 1 AS '' UNION SELECT 2", []string{""}},
		{"SELECT '', 'AS ''', x = 'AS ''' FROM t", []string{"", "AS '", "x = 'AS '''"}},
	} {
		rows, err := s.Query(context.Background(), c.query)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		var got []string
		for _, col := range rows.Columns {
			got = append(got, col.Name)
		}
		if !slices.Equal(got, c.names) {
			t.Errorf("%s: got %q, want %q", c.query, got, c.names)
		}
		rows.Close()
	}
	if _, _, err := s.Exec(context.Background(), "CREATE TABLE u AS SELECT AVG(x) AS '' FROM t"); !errors.Is(err, sqlerr.WrongColumnName) {
		t.Errorf("a table with such a column: %v", err)
	}
}
