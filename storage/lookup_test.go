package storage

import (
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// TestLookupsReadOneRow checks that a scan whose ranges fix a unique key reads only that row,
// also in old snapshots, and reads nothing if the key does not exist.
func TestLookupsReadOneRow(t *testing.T) {
	s := NewStore(nil)
	s.segmentRows = 500
	schema := pairs()
	schema.Indexes = append(schema.Indexes, catalog.Index{Name: "by_name", Columns: []int{1}, Unique: true})
	create(t, s, "t", schema)
	ids, names := make([]int64, 2000), make([]string, 2000)
	for i := range ids {
		ids[i], names[i] = int64(i), string(rune('a'+i%26))+string(rune('a'+i/26))
	}
	commitRows(t, s, "t", ints(ids...), strs(names...))

	old := s.Begin()
	tx := s.Begin()
	tbl := lookup(t, tx, "t")
	_, rows := scan(t, tbl, catalog.ScanSpec{})
	if _, err := tx.Update(bg, tbl, rows[7:8], []int{0}, []*vec.Vector{ints(-7)}); err != nil {
		t.Fatal(err)
	}
	must(t, tx.Commit())

	for _, c := range []struct {
		tx    *Tx
		col   int
		value catalog.Datum
		want  int // number of rows read
	}{
		{s.Begin(), 0, catalog.Int(1234), 1},
		{s.Begin(), 0, catalog.Int(-7), 1},
		{s.Begin(), 0, catalog.Int(7), 0},
		{s.Begin(), 0, catalog.Int(5000), 0},
		{s.Begin(), 1, catalog.Str(names[1999]), 1},
		{s.Begin(), 1, catalog.Str("none"), 0},
		{old, 0, catalog.Int(7), 1},
		{old, 0, catalog.Int(1234), 1},
	} {
		got, _ := scan(t, lookup(t, c.tx, "t"), catalog.ScanSpec{Prune: []catalog.Range{{Column: c.col, Lo: &c.value, Hi: &c.value}}})
		if len(got) != c.want {
			t.Errorf("column %d, value %s: %d rows read, want %d", c.col, c.value.Text(), len(got), c.want)
		}
	}
}
