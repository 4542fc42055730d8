package storage

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/segment"
)

// TestPruning compares pruned scans with a filter over all rows: no row within the range may be
// missing, and segments outside of it must not be read.
func TestPruning(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for _, typ := range allTypes {
		s := NewStore(nil)
		s.segmentRows = 50
		create(t, s, "t", &catalog.Schema{Columns: []catalog.Column{{Name: "x", Type: typ}}})
		v := randomVector(rng, typ, 1000)
		sorted := make([]catalog.Datum, 0, 1000)
		for i := range 1000 {
			if d := catalog.DatumAt(v, i); !d.Null {
				sorted = append(sorted, d)
			}
		}
		slices.SortFunc(sorted, func(a, b catalog.Datum) int { return a.Compare(b) })
		commitRows(t, s, "t", vectorOf(typ, sorted))
		tbl := lookup(t, s.Begin(), "t")
		for range 30 {
			r := catalog.Range{Lo: &sorted[rng.Intn(len(sorted))], Hi: &sorted[rng.Intn(len(sorted))]}
			if rng.Intn(3) == 0 {
				r.Lo = nil
			} else if rng.Intn(3) == 0 {
				r.Hi = nil
			}
			all, _ := scan(t, tbl, catalog.ScanSpec{Columns: []int{0}, Prune: []catalog.Range{r}})
			var want []string
			for _, d := range sorted {
				if (r.Lo == nil || d.Compare(*r.Lo) >= 0) && (r.Hi == nil || d.Compare(*r.Hi) <= 0) {
					want = append(want, d.Text()+"|")
				}
			}
			if len(want) > 0 && !contains(all, want) {
				t.Fatalf("%s: rows are missing", typ)
			}
			if len(all) > len(want)+100+len(sorted)%50 && distinct(all) > 5 {
				t.Fatalf("%s: %d rows read for %d", typ, len(all), len(want))
			}
		}
	}
}

func vectorOf(t types.Type, ds []catalog.Datum) *vec.Vector {
	v := vec.NewFlat(t, len(ds))
	for i, d := range ds {
		one := d.Vector(1).Flatten(nil)
		segment.AppendFlat(v, i, one, 1)
	}
	return v
}

// contains reports whether want is a contiguous part of all.
func contains(all, want []string) bool {
	for i := 0; i+len(want) <= len(all); i++ {
		if slices.Equal(all[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

func distinct(xs []string) int {
	xs = slices.Clone(xs)
	slices.Sort(xs)
	return len(slices.Compact(xs))
}

func TestScanWithoutColumnsAndBadColumn(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", pairs())
	commitRows(t, s, "t", ints(1, 2, 3), strs("a", "b", "c"))
	tbl := lookup(t, s.Begin(), "t")
	src, err := tbl.Scan(bg, catalog.ScanSpec{Columns: []int{}})
	must(t, err)
	r, _ := src.NewReader()
	if b, err := r.Next(); err != nil || b.N != 3 || len(b.Cols) != 0 {
		t.Fatal(b, err)
	}
	_, err = tbl.Scan(bg, catalog.ScanSpec{Columns: []int{2}})
	wantCode(t, err, sqlerr.InternalError)
}

func TestScanIsCancelled(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", pairs())
	commitRows(t, s, "t", ints(1), strs("a"))
	ctx, cancel := context.WithCancel(bg)
	src, err := lookup(t, s.Begin(), "t").Scan(ctx, catalog.ScanSpec{Columns: []int{0}})
	must(t, err)
	r, _ := src.NewReader()
	cancel()
	_, err = r.Next()
	wantCode(t, err, sqlerr.QueryInterrupted)
}

// TestReadersShareMorsels checks that several readers together deliver each row once, in morsels
// whose numbers restore the order.
func TestReadersShareMorsels(t *testing.T) {
	const rows = 100_000
	s := NewStore(nil)
	s.segmentRows = 30_000
	create(t, s, "t", pairs())
	xs, names := make([]int64, rows), make([]string, rows)
	for i := range xs {
		xs[i], names[i] = int64(i), fmt.Sprint("n", i%7)
	}
	commitRows(t, s, "t", ints(xs...), strs(names...))
	var progress atomic.Int64
	src, err := lookup(t, s.Begin(), "t").Scan(bg, catalog.ScanSpec{Columns: []int{1, 0}, Progress: func(n int64) { progress.Add(n) }})
	must(t, err)
	var mu sync.Mutex
	byMorsel := map[int64][]int64{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r, err := src.NewReader()
			for err == nil {
				var b *vec.Batch
				if b, err = r.Next(); b == nil {
					break
				}
				mu.Lock()
				byMorsel[b.Morsel] = append(byMorsel[b.Morsel], b.Cols[1].I64...)
				mu.Unlock()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	next := int64(0)
	for m := int64(1); m <= int64(len(byMorsel)); m++ {
		for _, x := range byMorsel[m] {
			if x != next {
				t.Fatalf("morsel %d has %d, want %d", m, x, next)
			}
			next++
		}
	}
	if next != rows || progress.Load() != rows {
		t.Fatal(next, progress.Load())
	}
}

// TestBound scans with a bound that becomes narrower: no row within it may be missing, segments
// outside of it are skipped, and segments with NULLs only if NULL is not wanted.
func TestBound(t *testing.T) {
	s := NewStore(nil)
	s.segmentRows = 50
	create(t, s, "t", &catalog.Schema{Columns: []catalog.Column{{Name: "x", Type: types.T(types.Int64)}}})
	v := vec.NewFlat(types.T(types.Int64), 1000)
	for i := range v.I64 {
		v.I64[i] = int64(i)
	}
	v.SetNull(990)
	commitRows(t, s, "t", v)
	tbl := lookup(t, s.Begin(), "t")
	read := func(nulls bool) (n int, late []string) {
		hi := catalog.Int(120)
		asked := 0
		src, err := tbl.Scan(bg, catalog.ScanSpec{Columns: []int{0}, Bound: func() (catalog.Range, bool, bool) {
			asked++
			return catalog.Range{Column: 0, Hi: &hi}, nulls, asked > 1
		}})
		must(t, err)
		r, err := src.NewReader()
		must(t, err)
		for {
			b, err := r.Next()
			must(t, err)
			if b == nil {
				return n, late
			}
			for i := range b.N {
				if d := catalog.DatumAt(b.Cols[0], i); d.Null || d.I64 >= 150 {
					late = append(late, d.Text())
				}
			}
			n += b.N
		}
	}
	if n, late := read(false); n < 150 || len(late) > 0 {
		t.Errorf("%d rows, behind the bound %v", n, late)
	}
	if n, late := read(true); n < 200 || !slices.Contains(late, "NULL") || len(late) > 50 {
		t.Errorf("%d rows where NULL is wanted, behind the bound %v", n, late)
	}
}
