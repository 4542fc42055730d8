package storage

import (
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/segment"
	"gsql/storage/stats"
)

// codedRow returns row i of string columns: with few values, with many, with few at first and
// many later, with few in any stretch but many in total, and with NULLs.
func codedRow(i int) []string {
	scrambled := int(stats.HashInt(int64(i)) % 1_000_000)
	late := scrambled % 9
	if i > 12_000 {
		late = scrambled
	}
	out := []string{fmt.Sprint("few ", scrambled%50), fmt.Sprint("many ", scrambled), fmt.Sprint("late ", late), fmt.Sprint("near ", i/100+i%2), "NULL"}
	if scrambled%3 > 0 {
		out[4] = fmt.Sprint("some ", scrambled%70)
	}
	return out
}

// codedColumn returns rows [from, to) of column c, for some columns as a view over a dictionary.
func codedColumn(c, from, to int, dicts bool) *vec.Vector {
	v := vec.NewFlat(types.T(types.String), to-from)
	for i := range v.Str {
		if v.Str[i] = codedRow(from + i)[c]; v.Str[i] == "NULL" {
			v.SetNull(i)
			v.Str[i] = "undefined"
		}
	}
	if !dicts || from/1000%2 == 0 {
		return v
	}
	base := &vec.Vector{Type: v.Type, Dict: true, Str: []string{"unused", "undefined"}, Null: []bool{false, true}}
	idx := make([]int32, v.N)
	for i, s := range v.Str {
		switch at := slices.Index(base.Str, s); {
		case s == "undefined":
			idx[i] = int32(i%2)*2 - 1 // NULL in the base, or an index of -1
		case at >= 0:
			idx[i] = int32(at)
		default:
			idx[i] = int32(len(base.Str))
			base.Str, base.Null = append(base.Str, s), append(base.Null, false)
		}
	}
	base.N = len(base.Str)
	return &vec.Vector{Type: v.Type, Form: vec.View, N: v.N, Base: base, Idx: idx}
}

// TestLoadedStrings loads string columns, flat and over dictionaries, with one writer and with
// several, and checks rows, dictionaries and statistics.
func TestLoadedStrings(t *testing.T) {
	const n = 40_000
	schema := &catalog.Schema{}
	for c := range codedRow(0) {
		schema.Columns = append(schema.Columns, catalog.Column{Name: fmt.Sprint("c", c), Type: types.T(types.String)})
	}
	want := make([]string, n)
	for i := range want {
		for _, s := range codedRow(i) {
			want[i] += s + "|"
		}
	}
	for _, writers := range []int{1, 3} {
		for _, dicts := range []bool{false, true} {
			s := NewStore(nil)
			s.segmentRows = 8000
			create(t, s, "t", schema)
			tx := s.Begin()
			a, err := NewAppender(tx, lookup(t, tx, "t"))
			must(t, err)
			var wg sync.WaitGroup
			ws := make([]*AppendWriter, writers)
			for i := range ws {
				ws[i] = a.NewWriter()
			}
			for i, w := range ws {
				wg.Go(func() {
					for from := i * 500; from < n; from += 500 * writers {
						cols := make([]*vec.Vector, len(schema.Columns))
						for c := range cols {
							cols[c] = codedColumn(c, from, from+500, dicts)
						}
						if err := w.Append(int64(from*(writers-1)), cols); err != nil { // a single writer uses one sequence number
							t.Error(err)
						}
					}
					if err := w.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if rows, err := a.Finish(bg); rows != n || err != nil {
				t.Fatal(rows, err)
			}
			must(t, tx.Commit())
			v := lookup(t, s.Begin(), "t").(*version)
			if got, _ := scan(t, v, catalog.ScanSpec{}); !slices.Equal(got, want) {
				t.Fatalf("%d writers, dictionaries %v: rows differ", writers, dicts)
			}
			for c, coded := range []bool{true, false, false, true, true} {
				if d := dataOf(t, &v.Segs[len(v.Segs)-1].Cols[c]); (d.Dict != nil) != coded {
					t.Errorf("%d writers, dictionaries %v: column %d has a dictionary: %v", writers, dicts, c, d.Dict != nil)
				}
				checkColumn(t, fmt.Sprint("column ", c), v.Stats().Columns[c], bruteForce(t, v, c), false)
			}
		}
	}
}

// TestLoadedStringsAreChecked checks that NULLs and overlong strings are refused in every form,
// with the number of their row.
func TestLoadedStringsAreChecked(t *testing.T) {
	typ := types.Type{ID: types.String, Len: 3}
	base := &vec.Vector{Type: types.T(types.String), Dict: true, N: 3, Str: []string{"äöü", "long", ""}, Null: []bool{false, false, true}}
	for _, c := range []struct {
		idx  []int32
		flat bool
		code sqlerr.Code
		msg  string
	}{
		{idx: []int32{0, 0}},
		{idx: []int32{0, 1}, code: sqlerr.DataTooLong, msg: "Data too long for column 'x' at row 2002"},
		{idx: []int32{0, 1}, flat: true, code: sqlerr.DataTooLong, msg: "Data too long for column 'x' at row 2002"},
		{idx: []int32{0, -1}, code: sqlerr.BadNull, msg: "Column 'x' cannot be null"},
		{idx: []int32{2}, code: sqlerr.BadNull, msg: "Column 'x' cannot be null"},
	} {
		s := NewStore(nil)
		create(t, s, "t", &catalog.Schema{Columns: []catalog.Column{{Name: "x", Type: typ, NotNull: true}}})
		tx := s.Begin()
		a, err := NewAppender(tx, lookup(t, tx, "t"))
		must(t, err)
		w := a.NewWriter()
		must(t, w.Append(0, []*vec.Vector{{Type: base.Type, Form: vec.View, N: 2000, Base: base, Idx: make([]int32, 2000)}}))
		v := &vec.Vector{Type: base.Type, Form: vec.View, N: len(c.idx), Base: base, Idx: c.idx}
		if c.flat {
			v = v.Flatten(nil)
		}
		if err := w.Append(0, []*vec.Vector{v}); c.code == 0 {
			must(t, err)
		} else if wantCode(t, err, c.code); sqlerr.From(err).Msg != c.msg {
			t.Errorf("%q, want %q", sqlerr.From(err).Msg, c.msg)
		}
	}
}

// TestRecycledChunks fills a chunk twice, but with NULLs only the first time.
func TestRecycledChunks(t *testing.T) {
	rng := rand.New(rand.NewSource(9))
	for _, typ := range append(slices.Clone(allTypes), types.T(types.Null)) {
		schema := &catalog.Schema{Columns: []catalog.Column{{Name: "x", Type: typ}}}
		c := segment.NewChunk(schema)
		for round := range 3 {
			v := randomVector(rng, typ, 3000-round*800)
			if round == 1 {
				v.Null = nil
			}
			want := textRows([]*vec.Vector{v})
			must(t, c.Add([]*vec.Vector{v}, segment.NewEncoders(schema, 3000)))
			seg, err := segment.SealChunks(nil, schema, []*segment.Chunk{c})
			must(t, err)
			got, err := seg.Flat(schema)
			must(t, err)
			if !slices.Equal(textRows(got), want) {
				t.Errorf("%s, round %d: values differ", typ, round)
			}
		}
	}
}
