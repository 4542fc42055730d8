package gsql

import (
	"context"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// broken is a table whose statistics panic, as a mistake in planning would.
type broken struct{ catalog.Table }

func (broken) Name() string          { return "broken" }
func (broken) Version() uint64       { return 1 }
func (broken) Stats() *catalog.Stats { panic("a mistake") }
func (broken) Schema() *catalog.Schema {
	return &catalog.Schema{Columns: []catalog.Column{{Name: "a", Type: types.T(types.Int64)}}}
}

func TestPanicsOfPlanningAreErrors(t *testing.T) {
	db, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.shared.Arrow.Put("broken", broken{}); err != nil {
		t.Fatal(err)
	}
	s := db.NewSession()
	ctx := context.Background()
	for _, text := range []string{"CREATE TABLE t (a INT)", "BEGIN", "INSERT INTO t VALUES (1)"} {
		if _, _, err := s.Exec(ctx, text); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"SELECT * FROM broken b JOIN broken c ON b.a = c.a WHERE b.a > 1", "INSERT INTO t SELECT b.a FROM broken b JOIN broken c ON b.a = c.a"} {
		if _, _, err := s.Exec(ctx, text); err == nil || sqlerr.From(err).Code != sqlerr.InternalError {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, _, err := s.Exec(ctx, "COMMIT"); err != nil {
		t.Errorf("the transaction did not outlive the panics: %v", err)
	}
}
