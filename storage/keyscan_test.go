package storage

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/collate"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestKeysReadTheirRows checks that a scan for keys reads only their rows, each once, as the
// snapshot has them: deleted and changed rows, a transaction's own, those of old snapshots of
// which the index has lost rows, and keys without a row.
func TestKeysReadTheirRows(t *testing.T) {
	s := NewStore(nil)
	s.segmentRows = 500
	schema := pairs()
	schema.Indexes = append(schema.Indexes, catalog.Index{Name: "by_name", Columns: []int{1}, Unique: true})
	schema.Indexes = append(schema.Indexes, catalog.Index{Name: "both", Columns: []int{1, 0}, Unique: true})
	create(t, s, "t", schema)
	ids, names := make([]int64, 5000), make([]string, 5000)
	for i := range ids {
		ids[i], names[i] = int64(i*3%5000), fmt.Sprintf("name %d", i*3%5000)
	}
	commitRows(t, s, "t", ints(ids...), strs(names...))

	old := s.Begin()
	tx := s.Begin()
	tbl := lookup(t, tx, "t")
	_, rows := scan(t, tbl, catalog.ScanSpec{})
	if _, err := tx.Delete(context.Background(), tbl, rows[10:20]); err != nil {
		t.Fatal(err)
	}
	must(t, tx.Commit())
	commitRows(t, s, "t", ints(ids[10]), strs("again"))

	mine := s.Begin()
	must(t, insert(mine, lookup(t, mine, "t"), ints(-5), strs("mine")))

	absent := vec.NewFlat(schema.Columns[0].Type, 3)
	absent.I64[0], absent.I64[1] = 9999, -1
	absent.Null = []bool{false, false, true}
	keys := func(x ...int64) *catalog.Keys {
		return &catalog.Keys{Columns: []int{0}, Values: []*vec.Vector{ints(x...)}}
	}
	for _, c := range []struct {
		name string
		tx   *Tx
		keys *catalog.Keys
		want []int64
		all  bool // the index cannot be used: more rows are read
	}{
		{"some", s.Begin(), keys(7, 4999, 7, 12), []int64{7, 12, 4999}, false},
		{"deleted", s.Begin(), keys(ids[12], 1), []int64{1}, false},
		{"inserted again", s.Begin(), keys(ids[10]), []int64{ids[10]}, false},
		{"none", s.Begin(), &catalog.Keys{Columns: []int{0}, Values: []*vec.Vector{absent}}, nil, false},
		{"by name", s.Begin(), &catalog.Keys{Columns: []int{1}, Values: []*vec.Vector{strs("name 77", "again", "no")}}, []int64{ids[10], 77}, false},
		{"own rows", mine, keys(-5, 77), []int64{-5, 77}, false},
		{"by both", s.Begin(), &catalog.Keys{Columns: []int{0, 1}, Values: []*vec.Vector{ints(77, 77, 9, 4998), strs("name 77", "name 78", "none", "name 4998")}}, []int64{77, 4998}, false},
		{"old snapshot", old, keys(ids[10], ids[12]), []int64{ids[10], ids[12]}, true},
		{"old snapshot, rows that stay", old, keys(1, 2), []int64{1, 2}, false},
	} {
		got, _ := scan(t, lookup(t, c.tx, "t"), catalog.ScanSpec{Keys: c.keys})
		var have []int64
		for _, row := range got {
			id, _, _ := strings.Cut(row, "|")
			n, err := strconv.ParseInt(id, 10, 64)
			must(t, err)
			have = append(have, n)
		}
		slices.Sort(have)
		slices.Sort(c.want)
		if c.all {
			if len(have) != 5000 {
				t.Errorf("%s: %d rows, want all 5000", c.name, len(have))
			}
			have = slices.DeleteFunc(have, func(x int64) bool { return !slices.Contains(c.want, x) })
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("%s: %d, want %d", c.name, have, c.want)
		}
	}
	for _, c := range []int{0, 1, 2} {
		if got, want := lookup(t, s.Begin(), "t").(catalog.KeyFinder).FindsBy([]int{c}), c < 2; got != want {
			t.Errorf("finds by column %d: %v", c, got)
		}
	}
	many := keys(ids[:4000]...)
	if got, _ := scan(t, lookup(t, s.Begin(), "t"), catalog.ScanSpec{Keys: many}); len(got) != 4991 {
		t.Errorf("most keys: %d rows, want all that there are", len(got))
	}
}

// TestKeysOfText checks that text with a collation is found by its collation keys, also in a key
// of several columns.
func TestKeysOfText(t *testing.T) {
	s := NewStore(nil)
	schema := pairs()
	schema.Columns[1].Type.Coll = types.UCA
	schema.Indexes = []catalog.Index{{Name: "name", Columns: []int{1}, Unique: true}, {Name: "both", Columns: []int{1, 0}, Unique: true}}
	create(t, s, "t", schema)
	commitRows(t, s, "t", ints(1, 2, 3), strs("Ärger", "ruhe", "RUHIG"))
	name := func(x ...string) *vec.Vector {
		for i := range x {
			x[i] = collate.Key(types.UCA, x[i])
		}
		return strs(x...)
	}
	for _, c := range []struct {
		keys *catalog.Keys
		want []string
	}{
		{&catalog.Keys{Columns: []int{1}, Values: []*vec.Vector{name("ARGER", "Ruhe", "unruhe")}}, []string{"1|Ärger|", "2|ruhe|"}},
		{&catalog.Keys{Columns: []int{0, 1}, Values: []*vec.Vector{ints(1, 2, 3), name("ruhig", "RUHE", "ruhíg")}}, []string{"2|ruhe|", "3|RUHIG|"}},
	} {
		if got, _ := scan(t, lookup(t, s.Begin(), "t"), catalog.ScanSpec{Keys: c.keys}); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
