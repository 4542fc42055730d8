package storage

import (
	"fmt"
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/segment"
)

// load appends the numbers 0..n-1 with several writers that take morsels, some of them empty,
// from a counter. It returns the appender.
func load(t testing.TB, tx *Tx, n, writers int) *Appender {
	t.Helper()
	a, err := NewAppender(tx, lookup(t, tx, "t"))
	must(t, err)
	var next atomic.Int64
	var wg sync.WaitGroup
	ws := make([]*AppendWriter, writers)
	for i := range ws {
		ws[i] = a.NewWriter()
	}
	for i, w := range ws {
		wg.Go(func() {
			rng := rand.New(rand.NewSource(int64(i)))
			for {
				m := next.Add(1) - 1
				from, to := int(m)*37, min(int(m)*37+37, n)
				if from >= n {
					break
				}
				for from < to {
					step := min(to-from, 1+rng.Intn(20))
					xs, names := make([]int64, step), make([]string, step)
					for j := range xs {
						xs[j], names[j] = int64(from+j), fmt.Sprint("n", (from+j)%10)
					}
					if err := w.Append(m*3, []*vec.Vector{ints(xs...), strs(names...)}); err != nil {
						t.Error(err)
						return
					}
					from += step
				}
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return a
}

func TestAppenderKeepsOrder(t *testing.T) {
	for _, n := range []int{0, 1, 5, 24, 99, 100, 101, 5000} {
		for _, writers := range []int{1, 4} {
			s := NewStore(nil)
			s.segmentRows = 100
			create(t, s, "t", pairs())
			commitRows(t, s, "t", ints(-2, -1), strs("a", "b"))
			tx := s.Begin()
			must(t, insert(tx, lookup(t, tx, "t"), ints(-3), strs("own")))
			a := load(t, tx, n, writers)
			rows, err := a.Finish(bg)
			if err != nil || rows != int64(n) {
				t.Fatal(rows, err)
			}
			must(t, insert(tx, lookup(t, tx, "t"), ints(-4), strs("after")))
			want := []string{"-2|a|", "-1|b|", "-3|own|"}
			for i := range n {
				want = append(want, fmt.Sprintf("%d|n%d|", i, i%10))
			}
			want = append(want, "-4|after|")
			wantRows(t, lookup(t, tx, "t"), want...)
			must(t, tx.Commit())
			tx = s.Begin()
			wantRows(t, lookup(t, tx, "t"), want...)
			if n > 0 {
				wantCode(t, insert(tx, lookup(t, tx, "t"), ints(int64(n-1)), strs("x")), sqlerr.DupEntry)
			}
			must(t, insert(tx, lookup(t, tx, "t"), ints(int64(n)), strs("x")))
		}
	}
}

// TestLastWriterSealsNothing has the rows of one writer come before those of all others, which therefore wait until it
// closes. It leaves their segments to Finish, which seals them on all cores.
func TestLastWriterSealsNothing(t *testing.T) {
	s := NewStore(nil)
	s.segmentRows = 2000
	create(t, s, "t", pairs())
	tx := s.Begin()
	a, err := NewAppender(tx, lookup(t, tx, "t"))
	must(t, err)
	const writers, rows = 5, 1500
	ws := make([]*AppendWriter, writers)
	for i := range ws {
		ws[i] = a.NewWriter()
	}
	var want []string
	for i := range ws {
		xs, names := make([]int64, rows), make([]string, rows)
		for j := range xs {
			xs[j], names[j] = int64(i*rows+j), fmt.Sprint("n", j%10)
			want = append(want, fmt.Sprintf("%d|%s|", xs[j], names[j]))
		}
		must(t, ws[i].Append(int64(i), []*vec.Vector{ints(xs...), strs(names...)}))
	}
	for i := range ws {
		must(t, ws[writers-1-i].Close())
	}
	if n := len(a.parts); n > 0 {
		t.Errorf("the last writer has sealed %d segments alone", n)
	}
	if n, err := a.Finish(bg); err != nil || n != writers*rows {
		t.Fatal(n, err)
	}
	wantRows(t, lookup(t, tx, "t"), want...)
	must(t, tx.Commit())
}

// TestFailedLoadLeavesNothing fails one load with a duplicate in its last segment and one with a
// bad value, and then inserts the same keys.
func TestFailedLoadLeavesNothing(t *testing.T) {
	s := NewStore(nil)
	s.segmentRows = 100
	create(t, s, "t", pairs())
	commitRows(t, s, "t", ints(4000), strs("there"))
	tx := s.Begin()
	_, err := load(t, tx, 5000, 3).Finish(bg)
	wantCode(t, err, sqlerr.DupEntry)
	wantRows(t, lookup(t, tx, "t"), "4000|there|")
	must(t, insert(tx, lookup(t, tx, "t"), ints(3999, 0), strs("x", "y")))

	a, err := NewAppender(tx, lookup(t, tx, "t"))
	must(t, err)
	w := a.NewWriter()
	must(t, w.Append(0, []*vec.Vector{ints(77), strs("x")}))
	wantCode(t, w.Append(1, []*vec.Vector{vec.NewNull(types.T(types.Int64), 1), strs("x")}), sqlerr.BadNull)
	wantCode(t, w.Close(), sqlerr.BadNull)
	_, err = a.Finish(bg)
	wantCode(t, err, sqlerr.BadNull)
	must(t, tx.Commit())
	wantRows(t, lookup(t, s.Begin(), "t"), "4000|there|", "3999|x|", "0|y|")
}

func TestAppendRecord(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", pairs())
	tx := s.Begin()
	a, err := NewAppender(tx, lookup(t, tx, "t"))
	must(t, err)
	id := &vec.Vector{Type: types.T(types.Int32), N: 2, I64: []int64{7, 8}}
	b := &vec.Batch{N: 2, Cols: []*vec.Vector{id, strs("a", "NULL")}}
	build := arrowvec.NewBuilder([]string{"id", "name"}, []types.Type{id.Type, types.T(types.String)}, memory.DefaultAllocator)
	must(t, build.Append(b))
	w := a.NewWriter()
	must(t, w.AppendRecord(0, build.Record()))
	must(t, w.Close())
	n, err := a.Finish(bg)
	if n != 2 || err != nil {
		t.Fatal(n, err)
	}
	wantRows(t, lookup(t, tx, "t"), "7|a|", "8|NULL|")
}

// dataOf returns the data of a column.
func dataOf(t *testing.T, c *segment.Column) *segment.Data {
	t.Helper()
	d, err := c.Data()
	must(t, err)
	return d
}

// TestSegmentsAreNarrow checks the storage forms: 4 bytes for an INT, a dictionary for a string
// column only if it has few values, 12 bytes for a run.
func TestSegmentsAreNarrow(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", &catalog.Schema{Columns: []catalog.Column{
		{Name: "a", Type: types.T(types.Int32)}, {Name: "few", Type: types.T(types.String)}, {Name: "many", Type: types.T(types.String)}, {Name: "sorted", Type: types.T(types.Int32)}}})
	const n = segment.DefaultRows
	a, few, many, sorted := vec.NewFlat(types.T(types.Int32), n), make([]string, n), make([]string, n), vec.NewFlat(types.T(types.Int32), n)
	for i := range n {
		a.I64[i], sorted.I64[i] = int64(i%7), int64(i/segment.MinRun)
		few[i], many[i] = fmt.Sprint("value ", i%100), fmt.Sprint("value ", i)
	}
	commitRows(t, s, "t", a, strs(few...), strs(many...), sorted)
	v := lookup(t, s.Begin(), "t").(*version)
	if len(v.Segs) != 1 || v.Tail.N != 0 {
		t.Fatal(len(v.Segs), v.Tail.N)
	}
	cols := v.Segs[0].Cols
	if got := segment.ArrayBytes(dataOf(t, &cols[0]).Arr); got < 4*n || got > 4*n+64 {
		t.Errorf("INT column takes %d bytes", got)
	}
	if d := dataOf(t, &cols[1]); d.Dict == nil || d.Dict.N != 100 {
		t.Errorf("no dictionary of 100 values: %+v", d)
	}
	if a, ok := dataOf(t, &cols[2]).Arr.(*array.String); !ok {
		t.Errorf("%T", a)
	}
	if r := dataOf(t, &cols[3]).Runs; r == nil || len(r.Ends) != n/segment.MinRun || r.Bytes != 12*n/segment.MinRun {
		t.Errorf("no runs of %d rows: %+v", segment.MinRun, r)
	}
	if s.Bytes() != v.Stats().Bytes || s.Bytes() < 8*n {
		t.Errorf("%d bytes", s.Bytes())
	}
}
