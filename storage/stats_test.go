package storage

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// facts holds a column's statistics computed by brute force.
type facts struct {
	nulls, ndv int64
	min, max   *catalog.Datum
	text       int64
	counts     map[string]int64
	sorted     bool
	values     []catalog.Datum
}

func bruteForce(t *testing.T, tbl catalog.Table, col int) facts {
	t.Helper()
	f := facts{counts: map[string]int64{}, sorted: true}
	src, err := tbl.Scan(bg, catalog.ScanSpec{Columns: []int{col}})
	must(t, err)
	r, _ := src.NewReader()
	for {
		b, err := r.Next()
		must(t, err)
		if b == nil {
			break
		}
		for i := range b.N {
			d := catalog.DatumAt(b.Cols[0], i)
			if d.Null {
				f.nulls++
				f.sorted = f.sorted && len(f.values) == 0
				continue
			}
			f.sorted = f.sorted && (len(f.values) == 0 || f.values[len(f.values)-1].Compare(d) <= 0)
			f.values = append(f.values, d)
			f.counts[d.Text()]++
			f.text += int64(len(d.Str))
		}
	}
	f.ndv = int64(len(f.counts))
	if len(f.values) > 0 {
		lo := slices.MinFunc(f.values, catalog.Datum.Compare)
		hi := slices.MaxFunc(f.values, catalog.Datum.Compare)
		f.min, f.max = &lo, &hi
	}
	return f
}

// checkColumn compares statistics with brute force: exactly if exact is set, otherwise bounds
// must hold and counts must be close.
func checkColumn(t *testing.T, what string, got catalog.ColumnStats, f facts, exact bool) {
	t.Helper()
	near := func(name string, a, b, slack float64) {
		if exact && slack <= 0.1 {
			slack = 0
		}
		if math.Abs(a-b) > slack*math.Max(math.Abs(b), 1)+1e-9 {
			t.Errorf("%s: %s is %g, want %g", what, name, a, b)
		}
	}
	near("NULLs", float64(got.Nulls), float64(f.nulls), 0.1)
	near("NDV", float64(got.NDV), float64(f.ndv), 0.1)
	if got.Sorted && !f.sorted || exact && got.Sorted != f.sorted {
		t.Errorf("%s: Sorted is %v, want %v", what, got.Sorted, f.sorted)
	}
	if f.min == nil {
		if exact && (got.Min != nil || got.Max != nil || got.Hist != nil || got.MCV != nil) {
			t.Errorf("%s: statistics of nothing: %+v", what, got)
		}
		return
	}
	if got.Min == nil || got.Max == nil || got.Min.Compare(*f.min) > 0 || got.Max.Compare(*f.max) < 0 ||
		exact && (got.Min.Compare(*f.min) != 0 || got.Max.Compare(*f.max) != 0) {
		t.Errorf("%s: bounds are %v and %v, want %v and %v", what, got.Min, got.Max, f.min, f.max)
	}
	near("average length", got.AvgLen, float64(f.text)/float64(len(f.values)), 0.1)
	for i, m := range got.MCV {
		if i > 0 && m.Rows > got.MCV[i-1].Rows {
			t.Errorf("%s: common values are not in order", what)
		}
		// A tenth of the rows is sampled: allow five standard deviations of the sample's count.
		want := float64(f.counts[m.Value.Text()])
		near("rows of "+m.Value.Text(), float64(m.Rows), want, 0.1+5/math.Sqrt(max(1, want/10)))
		if exact && m.Rows != f.counts[m.Value.Text()] {
			t.Errorf("%s: %s has %d rows, want %d", what, m.Value.Text(), m.Rows, f.counts[m.Value.Text()])
		}
	}
	checkHistogram(t, what, got.Hist, f)
}

// checkHistogram compares the number of rows up to each bound with the share that an equi-depth
// histogram promises. Ties stretch buckets, so either side of a tie is accepted.
func checkHistogram(t *testing.T, what string, h *catalog.Histogram, f facts) {
	t.Helper()
	if h == nil || len(h.Bounds) < 2 || !slices.IsSorted(h.Bounds) {
		t.Fatalf("%s: histogram %+v", what, h)
	}
	xs := make([]float64, len(f.values))
	for i, d := range f.values {
		xs[i] = d.Float()
	}
	slices.Sort(xs)
	buckets := len(h.Bounds) - 1
	for i, b := range h.Bounds {
		below, _ := slices.BinarySearch(xs, b)
		upTo, _ := slices.BinarySearch(xs, math.Nextafter(b, math.Inf(1)))
		want := float64(i) / float64(buckets) * float64(len(f.values))
		slack := 0.06*float64(len(f.values)) + 2
		if float64(below) > want+slack || float64(upTo) < want-slack {
			t.Errorf("%s: bound %d of %d (%g) has %d rows below and %d up to it, want %g", what, i, buckets, b, below, upTo, want)
		}
	}
}

func TestStatisticsOfSmallTablesAreExact(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for _, rows := range []int{0, 1, 2, 30, 3000} {
		for _, typ := range allTypes {
			s := NewStore(nil)
			s.segmentRows = 1000
			create(t, s, "t", &catalog.Schema{Columns: []catalog.Column{{Name: "x", Type: typ}}})
			commitRows(t, s, "t", randomVector(rng, typ, rows))
			tx := s.Begin()
			_, ids := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{})
			if _, err := tx.Delete(context.Background(), lookup(t, tx, "t"), ids[:rows/4]); err != nil {
				t.Fatal(err)
			}
			tbl := lookup(t, tx, "t")
			if st := tbl.Stats(); st.Rows != int64(rows-rows/4) || !st.Exact {
				t.Fatal(st.Rows, st.Exact)
			}
			checkColumn(t, fmt.Sprint(rows, " rows of ", typ), tbl.Stats().Columns[0], bruteForce(t, tbl, 0), true)
		}
	}
}

// TestStatisticsOfLargeTables checks estimates for uniform, skewed, sorted and mostly NULL
// columns, after loading, after small changes and after ANALYZE.
func TestStatisticsOfLargeTables(t *testing.T) {
	const n = 150_000
	rng := rand.New(rand.NewSource(6))
	zipf := rand.NewZipf(rng, 1.3, 1, 5000)
	names := []string{"sorted", "uniform", "skewed", "text"}
	schema := &catalog.Schema{Columns: []catalog.Column{{Name: "sorted", Type: types.T(types.Int64)}, {Name: "uniform", Type: types.T(types.Int64)},
		{Name: "skewed", Type: types.T(types.Int64)}, {Name: "text", Type: types.T(types.String)}}}
	makeRows := func(from, n int) []*vec.Vector {
		cols := []*vec.Vector{ints(make([]int64, n)...), ints(make([]int64, n)...), ints(make([]int64, n)...), strs(make([]string, n)...)}
		for i := range n {
			cols[0].I64[i] = int64((from + i) / 3)
			cols[1].I64[i] = rng.Int63n(1_000_000)
			cols[2].I64[i] = int64(zipf.Uint64())
			cols[3].Str[i] = fmt.Sprint("city ", rng.Intn(300))
			if rng.Intn(10) == 0 {
				cols[2].SetNull(i)
			}
		}
		return cols
	}
	s := NewStore(nil)
	s.segmentRows = 40_000
	create(t, s, "t", schema)
	commitRows(t, s, "t", makeRows(0, n)...)
	check := func(when string, exactBounds bool) {
		tbl := lookup(t, s.Begin(), "t")
		st := tbl.Stats()
		for c, name := range names {
			f := bruteForce(t, tbl, c)
			checkColumn(t, when+", "+name, st.Columns[c], f, false)
			if exactBounds && (st.Columns[c].Min.Compare(*f.min) != 0 || st.Columns[c].Max.Compare(*f.max) != 0) {
				t.Errorf("%s, %s: bounds are not exact", when, name)
			}
		}
		if len(st.Columns[2].MCV) < 5 || st.Columns[2].MCV[0].Value.I64 != 0 {
			t.Errorf("%s: common values of the skewed column: %v", when, st.Columns[2].MCV)
		}
	}
	check("loaded", true)
	if !lookup(t, s.Begin(), "t").Stats().Columns[0].Sorted {
		t.Error("the sorted column is not known to be")
	}
	commitRows(t, s, "t", makeRows(n, 3000)...)
	check("3000 rows more", true)
	if !lookup(t, s.Begin(), "t").Stats().Columns[0].Sorted {
		t.Error("the sorted column is not known to be after rows at its end")
	}
	commitRows(t, s, "t", ints(-5), ints(-5), ints(5), strs("a"))
	check("a row out of order", true)
	tx := s.Begin()
	_, ids := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{})
	if _, err := tx.Delete(context.Background(), lookup(t, tx, "t"), ids[70_000:120_000]); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Delete(context.Background(), lookup(t, tx, "t"), ids[len(ids)-1:]); err != nil {
		t.Fatal(err)
	}
	must(t, tx.Commit())
	must(t, Analyze(bg, lookup(t, s.Begin(), "t")))
	check("analyzed", true)
}

// TestStatisticsWithinTransactions checks that bounds hold for the rows of several transactions,
// each of which requests statistics between its statements.
func TestStatisticsWithinTransactions(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", &catalog.Schema{Columns: []catalog.Column{{Name: "x", Type: types.T(types.Int64)}}})
	many := make([]int64, 2*widenRows)
	commitRows(t, s, "t", ints(many...))
	want := int64(0)
	for range 3 {
		tx := s.Begin()
		for i := range 4 {
			want += 10
			must(t, insert(tx, lookup(t, tx, "t"), ints(want, -want)))
			if i == 3 {
				break // the committed version starts from statistics that lack the last rows
			}
			st := lookup(t, tx, "t").Stats().Columns[0]
			if st.Max.I64 != want || st.Min.I64 != -want {
				t.Errorf("bounds %d and %d, want %d", st.Min.I64, st.Max.I64, want)
			}
		}
		must(t, tx.Commit())
	}
	st := lookup(t, s.Begin(), "t").Stats().Columns[0]
	if st.Max.I64 != want || st.Min.I64 != -want {
		t.Errorf("committed: bounds %d and %d, want %d", st.Min.I64, st.Max.I64, want)
	}
}
