package storage

import (
	"cmp"
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// randomRuns returns values and NULLs in runs with an average length of about mean.
func randomRuns(rng *rand.Rand, t types.Type, n, mean int) *vec.Vector {
	idx := make([]int32, n)
	for i := range idx {
		if i > 0 && rng.Intn(mean) > 0 {
			idx[i] = idx[i-1]
		} else {
			idx[i] = int32(rng.Intn(n))
		}
	}
	var c vec.Composer
	return c.View(randomVector(rng, t, n), idx).Flatten(nil)
}

// runColumns returns the number of run-length encoded columns in v's segments.
func runColumns(v *version) int {
	n := 0
	for _, s := range v.Segs {
		for _, c := range s.Cols {
			if c.HasRuns() {
				n++
			}
		}
	}
	return n
}

// TestRunsRoundTrip writes every type in runs and reads it back in batches of several sizes, also
// after deletions, updates, ALTER TABLE and compaction.
func TestRunsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	schema := &catalog.Schema{}
	for i, x := range append(slices.Clone(allTypes), types.T(types.Null)) {
		schema.Columns = append(schema.Columns, catalog.Column{Name: fmt.Sprint("c", i), Type: x})
	}
	for _, mean := range []int{5, 17, 300, 5000} {
		for _, segRows := range []int{70, 1 << 10, 1 << 20} {
			rows := min(1500, 15*segRows)
			s := NewStore(nil)
			s.segmentRows = segRows
			create(t, s, "t", schema)
			cols := make([]*vec.Vector, len(schema.Columns))
			for i := range cols {
				cols[i] = randomRuns(rng, schema.Columns[i].Type, rows, mean)
			}
			want := textRows(cols)
			commitRows(t, s, "t", cols...)
			if v := lookup(t, s.Begin(), "t").(*version); len(v.Segs) == 0 && segRows < rows || len(v.Segs) > 0 && mean >= 300 && segRows > 100 && runColumns(v) == 0 {
				t.Fatalf("runs of %d rows: %d columns of runs in %d segments", mean, runColumns(v), len(v.Segs))
			}
			what := fmt.Sprintf("runs of %d rows, segments of %d", mean, segRows)
			wantSame(t, s, want, what)
			for c := range allTypes {
				v := lookup(t, s.Begin(), "t")
				checkColumn(t, what, v.Stats().Columns[c], bruteForce(t, v, c), false)
			}
			want = deleteRuns(t, s, rng, want, rng.Intn(2*mean)+1)
			wantSame(t, s, want, what+", after deletions")
			wantSame(t, s, alterRuns(t, s, want), what+", after ALTER TABLE")
		}
	}
}

func wantSame(t *testing.T, s *Store, want []string, what string) {
	t.Helper()
	v := lookup(t, s.Begin(), "t")
	for i, size := range []int{3, 100, 0} {
		if got, _ := scan(t, v, catalog.ScanSpec{BatchSize: size, Narrow: i > 0}); !slices.Equal(got, want) {
			t.Fatalf("%s, batches of %d: values differ", what, size)
		}
	}
}

// deleteRuns deletes stretches of rows and fetches the remaining rows by their ids.
func deleteRuns(t *testing.T, s *Store, rng *rand.Rand, want []string, length int) (left []string) {
	t.Helper()
	tx := s.Begin()
	tbl := lookup(t, tx, "t")
	_, ids := scan(t, tbl, catalog.ScanSpec{})
	var gone, kept []int64
	drop := false
	for i, id := range ids {
		if rng.Intn(length) == 0 {
			drop = rng.Intn(3) > 0
		}
		if drop {
			gone = append(gone, id)
		} else {
			kept, left = append(kept, id), append(left, want[i])
		}
	}
	fetched, err := tx.Fetch(bg, tbl, kept)
	must(t, err)
	if !slices.Equal(textRows(fetched), left) {
		t.Fatal("rows found by their ids differ")
	}
	_, err = tx.Delete(context.Background(), tbl, gone)
	must(t, err)
	must(t, tx.Commit())
	return left
}

// alterRuns adds a first column and drops the last one.
func alterRuns(t *testing.T, s *Store, want []string) []string {
	t.Helper()
	tx := s.Begin()
	v := lookup(t, tx, "t")
	old := v.Schema().Columns
	schema := &catalog.Schema{Columns: append([]catalog.Column{{Name: "one", Type: types.T(types.Int32)}}, old[:len(old)-1]...)}
	columns := []AlteredColumn{{From: -1, Compute: func(_ []*vec.Vector, n, _ int) (*vec.Vector, int64, error) {
		return catalog.Int(1).Vector(n), 0, nil
	}}}
	for i := range old[:len(old)-1] {
		columns = append(columns, AlteredColumn{From: i})
	}
	must(t, tx.DDL().Alter(bg, v, Alteration{Schema: schema, Columns: columns}))
	must(t, tx.Commit())
	out := make([]string, len(want))
	for i, row := range want {
		out[i] = "1|" + row[:len(row)-len("NULL|")]
	}
	return out
}

// TestRunsUpdate compares random updates and inserts of runs with a map.
func TestRunsUpdate(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	s := NewStore(nil)
	s.segmentRows = 500
	create(t, s, "t", pairs())
	model := map[int64]string{}
	next := int64(0)
	for range 60 {
		tx := s.Begin()
		tbl := lookup(t, tx, "t")
		if rng.Intn(2) == 0 {
			n := 1 + rng.Intn(400)
			keys, vals := make([]int64, n), make([]string, n)
			for i := range keys {
				if vals[i] = fmt.Sprint("v", i/(1+rng.Intn(40))); i > 0 && rng.Intn(30) > 0 {
					vals[i] = vals[i-1]
				}
				keys[i] = next
				model[next] = vals[i]
				next++
			}
			must(t, insert(tx, tbl, ints(keys...), strs(vals...)))
		} else if rows, ids := scan(t, tbl, catalog.ScanSpec{}); len(rows) > 0 {
			lo := rng.Intn(len(rows))
			hi := min(len(rows), lo+rng.Intn(300))
			vals := make([]string, hi-lo)
			for i, row := range rows[lo:hi] {
				var k int64
				_, err := fmt.Sscanf(row, "%d|", &k)
				must(t, err)
				vals[i] = fmt.Sprint("u", hi)
				model[k] = vals[i]
			}
			_, err := tx.Update(bg, tbl, ids[lo:hi], []int{1}, []*vec.Vector{strs(vals...)})
			must(t, err)
		}
		must(t, tx.Commit())
		var want []string
		for k, x := range model {
			want = append(want, fmt.Sprintf("%d|%s|", k, x))
		}
		slices.Sort(want)
		got, _ := scan(t, lookup(t, s.Begin(), "t"), catalog.ScanSpec{BatchSize: 1 + rng.Intn(200)})
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%d rows differ from %d", len(got), len(want))
		}
	}
	if runColumns(lookup(t, s.Begin(), "t").(*version)) == 0 {
		t.Error("no column of runs")
	}
}

// TestRunsArePruned scans run-length encoded columns, some of them sorted, with random bounds: no
// row within the bounds may be missing, and sorted columns must return no row outside of them.
func TestRunsArePruned(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	skipped := 0
	for _, x := range allTypes {
		for _, sorted := range []bool{false, true} {
			s := NewStore(nil)
			s.segmentRows = 6_000
			create(t, s, "t", &catalog.Schema{Columns: []catalog.Column{{Name: "x", Type: x}, {Name: "n", Type: types.T(types.Int64)}}})
			v, n := randomRuns(rng, x, 6_000, 700), vec.NewFlat(types.T(types.Int64), 6_000)
			values := make([]catalog.Datum, v.N)
			for i := range values {
				values[i] = catalog.DatumAt(v, i)
			}
			if sorted {
				slices.SortStableFunc(values, func(a, b catalog.Datum) int {
					if a.Null || b.Null {
						return cmp.Compare(one(b.Null), one(a.Null))
					}
					return a.Compare(b)
				})
				v = vectorOf(x, values)
			}
			for i := range n.I64 {
				n.I64[i] = int64(i)
			}
			commitRows(t, s, "t", v, n)
			tbl := lookup(t, s.Begin(), "t")
			for range 5 {
				r := catalog.Range{Column: 0}
				if d := values[rng.Intn(len(values))]; !d.Null {
					r.Lo = &d
				}
				if d := values[rng.Intn(len(values))]; !d.Null {
					r.Hi = &d
				}
				var want []string
				for i, d := range values {
					if !d.Null && (r.Lo == nil || d.Compare(*r.Lo) >= 0) && (r.Hi == nil || d.Compare(*r.Hi) <= 0) {
						want = append(want, fmt.Sprint(i, "|"))
					}
				}
				got, _ := scan(t, tbl, catalog.ScanSpec{Columns: []int{1}, Prune: []catalog.Range{r}})
				if skipped += len(values) - len(got); !subsequence(got, want) || !slices.IsSortedFunc(got, byNumber) {
					t.Fatalf("%s, sorted %v: rows within %v and %v are missing", x, sorted, r.Lo, r.Hi)
				}
				if sorted && len(got) != len(want) && (r.Lo != nil || r.Hi != nil) {
					t.Fatalf("%s: %d rows come, %d are within %v and %v", x, len(got), len(want), r.Lo, r.Hi)
				}
			}
		}
	}
	if skipped < 100_000 {
		t.Errorf("%d rows were left out", skipped)
	}
}

// subsequence reports whether all contains the elements of want in the same order.
func subsequence(all, want []string) bool {
	for _, x := range all {
		if len(want) > 0 && x == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0
}

func one(x bool) int {
	if x {
		return 1
	}
	return 0
}

func byNumber(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
