package storage

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// ruleFunc implements catalog.RowRules with a function.
type ruleFunc func(cols []*vec.Vector) error

// Apply implements catalog.RowRules.
func (f ruleFunc) Apply(_ catalog.Env, cols []*vec.Vector) (int64, error) { return 0, f(cols) }

// TestAlterSegments alters a table with segments and a tail from which rows were deleted: values
// must stay with their rows, and unchanged columns must keep their memory.
func TestAlterSegments(t *testing.T) {
	s := NewStore(nil)
	s.segmentRows = 8
	bigint := types.T(types.Int64)
	was := &catalog.Schema{
		Columns: []catalog.Column{{Name: "k", Type: bigint, NotNull: true}, {Name: "x", Type: bigint}},
		Indexes: []catalog.Index{{Name: "PRIMARY", Columns: []int{0}, Unique: true, Primary: true}},
	}
	create(t, s, "t", was)
	var want []string
	for i := range int64(30) {
		commitRows(t, s, "t", ints(i), ints(10*i))
		if i%3 != 0 {
			want = append(want, fmt.Sprintf("%d|%d|%d|%d|", len(want)+1, 10*i, i, 10*i+1))
		}
	}
	tx := s.Begin()
	_, ids := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{Columns: []int{0, catalog.RowID}})
	var gone []int64
	for i := 0; i < len(ids); i += 3 {
		gone = append(gone, ids[i])
	}
	if _, err := tx.Delete(context.Background(), lookup(t, tx, "t"), gone); err != nil {
		t.Fatal(err)
	}
	must(t, tx.Commit())

	tx = s.Begin()
	becomes := &catalog.Schema{
		Columns: []catalog.Column{
			{Name: "n", Type: bigint, AutoInc: true}, was.Columns[1], was.Columns[0], {Name: "y", Type: bigint, Generated: "`x` + 1"},
		},
		Indexes: []catalog.Index{{Name: "PRIMARY", Columns: []int{2}, Unique: true, Primary: true}, {Name: "n", Columns: []int{0}, Unique: true}},
	}
	plusOne := func(in []*vec.Vector, n, _ int) (*vec.Vector, int64, error) {
		out := vec.NewFlat(bigint, n)
		for i := range n {
			if in[0].I64[i]%30 == 0 {
				return nil, 0, errors.New("a deleted row was computed with")
			}
			out.I64[i] = in[0].I64[i] + 1
		}
		return out, 0, nil
	}
	becomes.Rules = ruleFunc(func(cols []*vec.Vector) error {
		cols[3] = ints(make([]int64, cols[0].N)...)
		return nil
	})
	before := lookup(t, tx, "t").(*version)
	must(t, tx.DDL().Alter(bg, before, Alteration{Schema: becomes, Columns: []AlteredColumn{
		{From: -1}, {From: 1}, {From: 0}, {From: -1, Generated: true, Inputs: []int{1}, Compute: plusOne},
	}}))
	must(t, tx.Commit())

	tx = s.Begin()
	after := lookup(t, tx, "t").(*version)
	wantRows(t, after, want...)
	if len(after.Segs) != len(before.Segs) || dataOf(t, &after.Segs[0].Cols[1]).Arr != dataOf(t, &before.Segs[0].Cols[1]).Arr {
		t.Error("a column that stays was copied")
	}
	if got := NextAutoIncrement(after); got != 21 {
		t.Errorf("the next number is %d", got)
	}
	wantCode(t, insert(tx, after, ints(100), ints(1), ints(4), ints(0)), sqlerr.DupEntry)
	wantCode(t, insert(tx, after, ints(1), ints(1), ints(400), ints(0)), sqlerr.DupEntry)
	must(t, insert(tx, after, ints(100), ints(1), ints(3), ints(2)))

	// A failed conversion changes nothing, and a commit in between is a conflict.
	late := s.Begin()
	must(t, insert(late, lookup(t, late, "t"), ints(200), ints(1), ints(500), ints(2)))
	other := s.Begin()
	fails := func([]*vec.Vector, int, int) (*vec.Vector, int64, error) { return nil, 0, sqlerr.WarnDataTruncated }
	x := lookup(t, other, "t")
	err := other.DDL().Alter(bg, x, Alteration{Schema: becomes, Columns: []AlteredColumn{{From: 0}, {From: -1, Compute: fails, Inputs: []int{1}}, {From: 2}, {From: 3}}})
	wantCode(t, err, sqlerr.WarnDataTruncated)
	wantRows(t, lookup(t, other, "t"), want...)
	must(t, other.DDL().Alter(bg, x, Alteration{Schema: becomes, Columns: []AlteredColumn{{From: 0}, {From: 1}, {From: 2}, {From: 3}}}))
	must(t, other.DDL().Rename("", "t", "", "u"))
	must(t, other.Commit())
	wantCode(t, late.Commit(), sqlerr.NoSuchTable)
	wantRows(t, lookup(t, s.Begin(), "u"), want...)
}

// TestTemporaryTables checks that temporary tables belong to a session and disappear with it.
func TestTemporaryTables(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", pairs())
	begin := func(session uint64) *Tx {
		tx := s.Begin()
		tx.Temporary(session)
		return tx
	}
	tx := begin(1)
	must(t, tx.DDL().CreateTemporary("", "t", pairs()))
	must(t, tx.DDL().CreateTemporary("", "only", pairs()))
	must(t, tx.Commit())
	for session, want := range map[uint64]bool{1: true, 2: false, 11: false} {
		tx := begin(session)
		if got := lookup(t, tx, "t").Schema().Temporary; got != want {
			t.Errorf("session %d: temporary %t", session, got)
		}
		if _, err := tx.Table(bg, "", "only"); (err == nil) != want {
			t.Errorf("session %d: %v", session, err)
		}
		if got := tx.Databases(); len(got) != 1 {
			t.Errorf("session %d: databases %q", session, got)
		}
	}
	must(t, s.DropSession(1))
	if lookup(t, begin(1), "t").Schema().Temporary {
		t.Error("a temporary table outlived its session")
	}
}
