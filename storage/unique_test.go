package storage

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func insert(tx *Tx, tbl catalog.Table, cols ...*vec.Vector) error {
	return tx.Insert(bg, tbl, [][]*vec.Vector{cols})
}

func wantMessage(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Fatalf("got error %v, want one with %q", err, text)
	}
}

func TestUniqueKeys(t *testing.T) {
	s := NewStore(nil)
	schema := pairs()
	schema.Indexes = append(schema.Indexes, catalog.Index{Name: "by_name", Columns: []int{1}, Unique: true})
	create(t, s, "t", schema)
	commitRows(t, s, "t", ints(1, 2), strs("a", "NULL"))

	tx := s.Begin()
	tbl := lookup(t, tx, "t")
	wantMessage(t, insert(tx, tbl, ints(3, 1), strs("c", "d")), "Duplicate entry '1' for key 't.PRIMARY'")
	wantMessage(t, insert(tx, tbl, ints(3, 4), strs("c", "a")), "Duplicate entry 'a' for key 't.by_name'")
	wantMessage(t, insert(tx, tbl, ints(3, 3), strs("c", "d")), "Duplicate entry '3' for key 't.PRIMARY'")
	wantRows(t, lookup(t, tx, "t"), "1|a|", "2|NULL|")
	must(t, insert(tx, tbl, ints(3), strs("NULL"))) // the failed insertion left nothing behind
	wantMessage(t, insert(tx, tbl, ints(3), strs("x")), "Duplicate entry '3' for key 't.PRIMARY'")
	_, ids := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{})
	if _, err := tx.Delete(context.Background(), tbl, []int64{ids[0], ids[2]}); err != nil {
		t.Fatal(err)
	}
	must(t, insert(tx, tbl, ints(1, 3), strs("a", "z")))
	wantRows(t, lookup(t, tx, "t"), "2|NULL|", "1|a|", "3|z|")
	must(t, tx.Commit())

	tx = s.Begin()
	tbl = lookup(t, tx, "t")
	_, ids = scan(t, tbl, catalog.ScanSpec{})
	// Keys are swapped within one statement.
	if _, err := tx.Update(bg, tbl, ids, []int{0}, []*vec.Vector{ints(1, 2, 4)}); err != nil {
		t.Fatal(err)
	}
	_, ids = scan(t, lookup(t, tx, "t"), catalog.ScanSpec{})
	_, err := tx.Update(bg, tbl, ids[:1], []int{0}, []*vec.Vector{ints(4)})
	wantCode(t, err, sqlerr.DupEntry)
	must(t, tx.Commit())
	wantRows(t, lookup(t, s.Begin(), "t"), "1|NULL|", "2|a|", "4|z|")
}

func TestKeysOfConcurrentTransactions(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", pairs())
	a, b, c := s.Begin(), s.Begin(), s.Begin()
	must(t, insert(a, lookup(t, a, "t"), ints(1), strs("a")))
	must(t, insert(b, lookup(t, b, "t"), ints(2, 1), strs("b", "b")))
	must(t, a.Commit())
	wantMessage(t, b.Commit(), "Duplicate entry '1' for key 't.PRIMARY'")
	// The row is not in c's snapshot, yet its key is taken.
	wantCode(t, insert(c, lookup(t, c, "t"), ints(1), strs("c")), sqlerr.DupEntry)
	must(t, insert(c, lookup(t, c, "t"), ints(2), strs("c")))
	must(t, c.Commit())
	wantRows(t, lookup(t, s.Begin(), "t"), "1|a|", "2|c|")
}

func TestCompositeKeys(t *testing.T) {
	dec := types.Dec(10, 2)
	s := NewStore(nil)
	create(t, s, "t", &catalog.Schema{
		Columns: []catalog.Column{{Name: "a", Type: types.T(types.String)}, {Name: "b", Type: types.T(types.String)},
			{Name: "d", Type: dec}, {Name: "f", Type: types.T(types.Float64)}},
		Indexes: []catalog.Index{{Name: "k", Columns: []int{0, 1, 2, 3}, Unique: true}},
	})
	row := func(a, b string, d int64, f float64) []*vec.Vector {
		dv, fv := vec.NewFlat(dec, 1), vec.NewFlat(types.T(types.Float64), 1)
		dv.Dec[0], fv.F64[0] = decimal128.FromI64(d), f
		return []*vec.Vector{strs(a), strs(b), dv, fv}
	}
	tx := s.Begin()
	tbl := lookup(t, tx, "t")
	must(t, insert(tx, tbl, row("ab", "c", 150, 0)...))
	must(t, insert(tx, tbl, row("a", "bc", 150, 0)...))
	must(t, insert(tx, tbl, row("ab", "NULL", 150, 0)...))
	must(t, insert(tx, tbl, row("ab", "NULL", 150, 0)...))
	must(t, insert(tx, tbl, row("ab", "c", -150, 0)...))
	negativeZero := row("ab", "c", 150, 0)
	negativeZero[3].F64[0] *= -1
	wantMessage(t, insert(tx, tbl, negativeZero...), "Duplicate entry 'ab-c-1.50-0' for key 't.k'")
}

func TestStaleKeysAreSwept(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", pairs())
	for i := range int64(20) {
		xs := make([]int64, 1000)
		for j := range xs {
			xs[j] = i*1000 + int64(j)
		}
		tx := s.Begin()
		tbl := lookup(t, tx, "t")
		_, ids := scan(t, tbl, catalog.ScanSpec{})
		if _, err := tx.Delete(context.Background(), tbl, ids); err != nil {
			t.Fatal(err)
		}
		must(t, insert(tx, tbl, ints(xs...), strs(make([]string, 1000)...)))
		must(t, tx.Commit())
	}
	v := lookup(t, s.Begin(), "t").(*version)
	if n := v.keys[0].rows.Len(); n > 5000 || n < 1000 {
		t.Fatalf("the index holds %d keys for 1000 rows", n)
	}
	if v.memory() > 1<<20 {
		t.Fatalf("1000 rows take %d bytes", v.memory())
	}
	tx := s.Begin()
	must(t, insert(tx, lookup(t, tx, "t"), ints(5), strs("again")))
	wantCode(t, insert(tx, lookup(t, tx, "t"), ints(19500), strs("dup")), sqlerr.DupEntry)
}

func TestIndexDefinitions(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", &catalog.Schema{Columns: pairs().Columns})
	commitRows(t, s, "t", ints(1, 2, 2), strs("a", "b", "NULL"))
	tx := s.Begin()
	tbl := lookup(t, tx, "t")
	must(t, insert(tx, tbl, ints(3), strs("c")))
	wantMessage(t, tx.DDL().CreateIndex(bg, tbl, catalog.Index{Name: "u", Columns: []int{0}, Unique: true}), "Duplicate entry '2' for key 't.u'")
	must(t, tx.DDL().CreateIndex(bg, tbl, catalog.Index{Name: "u", Columns: []int{1}, Unique: true}))
	wantCode(t, tx.DDL().CreateIndex(bg, tbl, catalog.Index{Name: "U", Columns: []int{0}}), sqlerr.DupKeyName)
	wantCode(t, insert(tx, tbl, ints(9), strs("a")), sqlerr.DupEntry)
	wantCode(t, insert(tx, tbl, ints(9), strs("c")), sqlerr.DupEntry)
	must(t, tx.Commit())

	tx = s.Begin()
	tbl = lookup(t, tx, "t")
	wantCode(t, insert(tx, tbl, ints(9), strs("c")), sqlerr.DupEntry)
	wantCode(t, tx.DDL().CreateIndex(bg, tbl, catalog.Index{Columns: []int{1}, Primary: true}), sqlerr.BadNull)
	wantCode(t, tx.DDL().DropIndex(tbl, "nope"), sqlerr.CantDropFieldOrKey)
	must(t, tx.DDL().DropIndex(tbl, "U"))
	must(t, insert(tx, tbl, ints(9), strs("c")))
	must(t, tx.Commit())
	wantRows(t, lookup(t, s.Begin(), "t"), "1|a|", "2|b|", "2|NULL|", "3|c|", "9|c|")
}
