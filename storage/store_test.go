package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

var bg = context.Background()

// ints returns a BIGINT vector.
func ints(xs ...int64) *vec.Vector {
	v := vec.NewFlat(types.T(types.Int64), len(xs))
	copy(v.I64, xs)
	return v
}

// strs returns a VARCHAR vector in which "NULL" stands for NULL.
func strs(xs ...string) *vec.Vector {
	v := vec.NewFlat(types.T(types.String), len(xs))
	copy(v.Str, xs)
	for i, x := range xs {
		if x == "NULL" {
			v.SetNull(i)
		}
	}
	return v
}

// pairs is the schema (id BIGINT PRIMARY KEY, name VARCHAR).
func pairs() *catalog.Schema {
	return &catalog.Schema{
		Columns: []catalog.Column{{Name: "id", Type: types.T(types.Int64)}, {Name: "name", Type: types.T(types.String)}},
		Indexes: []catalog.Index{{Columns: []int{0}, Primary: true}},
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, code sqlerr.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("got error %v, want %d", err, code)
	}
}

func lookup(t testing.TB, tx *Tx, name string) catalog.Table {
	t.Helper()
	o, err := tx.Table(bg, "", name)
	must(t, err)
	return o.Table
}

// create commits an empty table.
func create(t testing.TB, s *Store, name string, schema *catalog.Schema) {
	t.Helper()
	tx := s.Begin()
	must(t, tx.DDL().CreateTable("", name, schema))
	must(t, tx.Commit())
}

// commitRows inserts rows in a separate transaction.
func commitRows(t testing.TB, s *Store, name string, cols ...*vec.Vector) {
	t.Helper()
	tx := s.Begin()
	must(t, tx.Insert(bg, lookup(t, tx, name), [][]*vec.Vector{cols}))
	must(t, tx.Commit())
}

// scan reads all rows as text, values separated by |, and their ids.
func scan(t testing.TB, tbl catalog.Table, spec catalog.ScanSpec) (rows []string, ids []int64) {
	t.Helper()
	if spec.Columns == nil {
		for i := range tbl.Schema().Columns {
			spec.Columns = append(spec.Columns, i)
		}
		spec.Columns = append(spec.Columns, catalog.RowID)
	}
	src, err := tbl.Scan(bg, spec)
	must(t, err)
	r, err := src.NewReader()
	must(t, err)
	last := int64(0)
	for {
		b, err := r.Next()
		must(t, err)
		if b == nil {
			break
		}
		if b.N == 0 || b.Morsel < last || b.Morsel == 0 {
			t.Fatalf("batch of %d rows in morsel %d after %d", b.N, b.Morsel, last)
		}
		last = b.Morsel
		for i := range b.N {
			row := ""
			for c, v := range b.Cols {
				if i == 0 {
					checkVector(t, v, b.N)
				}
				if spec.Columns[c] == catalog.RowID {
					ids = append(ids, v.I64[i])
					continue
				}
				row += catalog.DatumAt(v, i).Text() + "|"
			}
			rows = append(rows, row)
		}
	}
	must(t, r.Close())
	must(t, src.Close())
	if spec.Keys == nil {
		checkLate(t, tbl, spec, rows, ids)
	}
	return rows, ids
}

// checkVector checks that v has n rows and consistent runs.
func checkVector(t testing.TB, v *vec.Vector, n int) {
	t.Helper()
	if v.N != n {
		t.Fatalf("a column has %d rows of %d", v.N, n)
	}
	if v.Form != vec.View || v.Ends == nil {
		return
	}
	from := int32(0)
	for _, end := range v.Ends {
		if end <= from || len(slices.Compact(slices.Clone(v.Idx[from:end]))) != 1 {
			t.Fatalf("runs end at %d, the indexes are %d", v.Ends, v.Idx)
		}
		from = end
	}
	if int(from) != n || len(v.Ends)*vec.MinRun > n {
		t.Fatalf("%d rows have runs that end at %d", n, v.Ends)
	}
}

// checkLate reads tbl column by column: the first column completely, the others only for some
// rows. It compares the rows with those read in batches.
func checkLate(t testing.TB, tbl catalog.Table, spec catalog.ScanSpec, rows []string, ids []int64) {
	t.Helper()
	src, err := tbl.Scan(bg, spec)
	must(t, err)
	reader, err := src.NewReader()
	must(t, err)
	r := reader.(catalog.LateReader)
	for at := 0; ; {
		n, live, err := r.Advance()
		must(t, err)
		if n == 0 {
			if at != len(rows) {
				t.Fatalf("%d rows late, %d in batches", at, len(rows))
			}
			break
		}
		if live == nil {
			for i := range n {
				live = append(live, int32(i))
			}
		}
		some := []int32{}
		for i, x := range live {
			if (at+i)%3 != 1 {
				some = append(some, x)
			}
		}
		cols := make([]*vec.Vector, len(spec.Columns))
		for c := range cols {
			want := some
			if c == 0 {
				want = live
			}
			cols[c], err = r.Column(c, want)
			must(t, err)
			checkVector(t, cols[c], len(want))
		}
		for i, k := 0, 0; i < len(live); i, at = i+1, at+1 {
			if at%3 == 1 {
				continue
			}
			row := ""
			for c, v := range cols {
				x := k
				if c == 0 {
					x = i
				}
				if d := catalog.DatumAt(v, x); spec.Columns[c] != catalog.RowID {
					row += d.Text() + "|"
				} else if d.I64 != ids[at] {
					t.Fatalf("row %d has the id %d late, %d in a batch", at, d.I64, ids[at])
				}
			}
			if k++; row != rows[at] {
				t.Fatalf("row %d is %s late, %s in a batch", at, row, rows[at])
			}
		}
	}
	must(t, r.Close())
	must(t, src.Close())
}

func wantRows(t testing.TB, tbl catalog.Table, want ...string) {
	t.Helper()
	got, _ := scan(t, tbl, catalog.ScanSpec{})
	if !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestSnapshotsAndOwnWrites(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", pairs())
	commitRows(t, s, "t", ints(1, 2), strs("a", "NULL"))

	reader, writer := s.Begin(), s.Begin()
	tbl := lookup(t, writer, "t")
	must(t, writer.Insert(bg, tbl, [][]*vec.Vector{{ints(3), strs("c")}}))
	_, ids := scan(t, lookup(t, writer, "t"), catalog.ScanSpec{})
	n, err := writer.Delete(context.Background(), tbl, []int64{ids[0]})
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	n, err = writer.Update(bg, tbl, []int64{ids[2]}, []int{1}, []*vec.Vector{strs("C")})
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	wantRows(t, lookup(t, writer, "t"), "2|NULL|", "3|C|")
	wantRows(t, tbl, "1|a|", "2|NULL|")
	wantRows(t, lookup(t, reader, "t"), "1|a|", "2|NULL|")
	must(t, writer.Commit())
	wantRows(t, lookup(t, reader, "t"), "1|a|", "2|NULL|")
	wantRows(t, lookup(t, s.Begin(), "t"), "2|NULL|", "3|C|")

	undone := s.Begin()
	must(t, undone.Insert(bg, lookup(t, undone, "t"), [][]*vec.Vector{{ints(9), strs("z")}}))
	undone.Rollback()
	wantRows(t, lookup(t, s.Begin(), "t"), "2|NULL|", "3|C|")
	if err := undone.Commit(); err == nil {
		t.Fatal("a transaction rolled back must not commit")
	}
}

func TestFirstCommitterWins(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", pairs())
	commitRows(t, s, "t", ints(1, 2, 3), strs("a", "b", "c"))
	a, b, c := s.Begin(), s.Begin(), s.Begin()
	_, ids := scan(t, lookup(t, a, "t"), catalog.ScanSpec{})
	for tx, row := range map[*Tx]int{a: 0, b: 0, c: 1} {
		if _, err := tx.Update(bg, lookup(t, tx, "t"), ids[row:row+1], []int{1}, []*vec.Vector{strs(fmt.Sprint("row", row))}); err != nil {
			t.Fatal(err)
		}
	}
	must(t, a.Commit())
	wantCode(t, b.Commit(), sqlerr.WriteConflict)
	must(t, c.Commit())
	wantRows(t, lookup(t, s.Begin(), "t"), "3|c|", "1|row0|", "2|row1|")
}
