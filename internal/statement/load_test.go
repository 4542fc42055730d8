package statement_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql/internal/database"
	"gsql/internal/plancache"
	"gsql/internal/statement"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// connect returns a connection to a new database whose files are in dir.
func connect(t *testing.T, dir string) *statement.Connection {
	t.Helper()
	db, err := database.Open(database.Options{Dir: dir, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	c := statement.Connect(db, &plancache.Plans{}, &plancache.Texts{})
	t.Cleanup(func() { c.Close(); db.Close() })
	return c
}

// lines runs a text and returns the rows of all its results, or the first error.
func lines(c *statement.Connection, text string, args ...any) (string, error) {
	var out []string
	res, err := c.Query(context.Background(), text, args)
	for err == nil && res != nil {
		for {
			b, err := res.NextBatch()
			if err != nil {
				return "", err
			}
			if b == nil {
				break
			}
			for i := range b.N {
				row := make([]string, len(b.Cols))
				for k, col := range b.Cols {
					row[k] = catalog.DatumAt(col, i).Text()
				}
				out = append(out, strings.Join(row, "|"))
			}
		}
		res, err = res.Next(context.Background())
	}
	return strings.Join(out, " "), err
}

// TestLoadBindsTrees loads lines whose SET clause has what was lost or misplaced when the
// clause was written as SQL and parsed again: positions of errors, and parameters.
func TestLoadBindsTrees(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "l.csv"), []byte("1,2\n3,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := connect(t, dir)
	if _, err := lines(c, "CREATE TABLE t (a INT, c INT)"); err != nil {
		t.Fatal(err)
	}
	const load = "LOAD DATA INFILE 'l.csv' INTO TABLE t FIELDS TERMINATED BY ',' (a, @b) SET c = "
	_, err := lines(c, load+"@b + missing")
	var e *sqlerr.Error
	if want := len(load + "@b + "); !errors.As(err, &e) || e.Code != sqlerr.BadField || e.Pos != want {
		t.Errorf("an unknown column: %+v, want error 1054 at %d", err, want)
	}
	if _, err := lines(c, load+"@B * ? + (SELECT COUNT(*) FROM t)", 10); err != nil {
		t.Fatal(err)
	}
	if got, err := lines(c, "SELECT a, c FROM t ORDER BY a"); got != "1|20 3|40" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// TestShowBindsTrees checks that errors of SHOW's clauses are where they are in its text, and
// that no text can name the tables that SHOW reads.
func TestShowBindsTrees(t *testing.T) {
	c := connect(t, "")
	if _, err := lines(c, "CREATE TABLE t (a INT, b INT)"); err != nil {
		t.Fatal(err)
	}
	for _, before := range []string{"SHOW COLUMNS FROM t WHERE Field = ", "SHOW TABLES LIKE ", "SHOW /* WHERE */ VARIABLES WHERE 'WHERE' = "} {
		_, err := lines(c, before+"missing")
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != sqlerr.BadField || e.Pos != len(before) {
			t.Errorf("%s: %+v, want error 1054 at %d", before, err, len(before))
		}
	}
	if got, err := lines(c, "SHOW COLUMNS FROM t WHERE Field IN ('B', (SELECT 'a')) -- comment"); !strings.HasPrefix(got, "a|int") || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for _, name := range []string{"shown_source", "`shown_source`"} {
		if _, err := lines(c, "SHOW COLUMNS FROM t WHERE Field = (SELECT MAX(COLUMN_NAME) FROM "+name+")"); !errors.Is(err, sqlerr.NoSuchTable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
