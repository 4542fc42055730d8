package storage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/segment"
	"gsql/storage/stats"
)

// lender stands for a file from which a column's data are loaded.
type lender struct {
	data  *segment.Data
	typ   types.Type
	err   error
	loads *atomic.Int64
	ahead int
	busy  bool // somebody else is loading the data
}

func (l *lender) Load() (*segment.Data, error) {
	l.loads.Add(1)
	return l.data.Retyped(l.typ), l.err
}

func (l *lender) LoadAhead() (bool, error) {
	if l.busy || l.ahead > 0 {
		return false, nil
	}
	l.ahead++
	return true, l.err
}

func (l *lender) Sketch() (*stats.Sketch, error) { return nil, l.err }

func (l *lender) Retyped(t types.Type) segment.Source {
	out := *l
	out.typ = t
	return &out
}

// onDemand makes the columns of the table's segments be loaded on demand. err is the error of
// loading column bad.
func onDemand(t *testing.T, s *Store, table string, bad int, err error) (loads *atomic.Int64) {
	loads = new(atomic.Int64)
	v := lookup(t, s.Begin(), table).(*version)
	for i := range v.Segs {
		seg := *v.Segs[i].Segment
		seg.Cols = append([]segment.Column(nil), seg.Cols...)
		for c := range seg.Cols {
			col := &seg.Cols[c]
			l := &lender{data: dataOf(t, col), typ: v.schema.Columns[c].Type, loads: loads}
			if c == bad {
				l.err = err
			}
			seg.Cols[c] = segment.OnDemand(col.Zone, col.Bytes(), col.HasRuns(), l)
		}
		v.Segs[i].Segment = &seg
	}
	return loads
}

// TestColumnsOnDemand reads columns that are not in memory, and meets an error wherever a column
// is read.
func TestColumnsOnDemand(t *testing.T) {
	const rows = 5000
	a, b, c := vec.NewFlat(types.T(types.Int64), rows), vec.NewFlat(types.T(types.String), rows), vec.NewFlat(types.T(types.Int32), rows)
	for i := range rows {
		a.I64[i], b.Str[i], c.I64[i] = int64(i), strings.Repeat("x", i%9), int64(i/100)
	}
	filled := func() *Store {
		s := NewStore(nil)
		s.segmentRows = 1000
		create(t, s, "t", &catalog.Schema{Columns: []catalog.Column{{Name: "a", Type: types.T(types.Int64)}, {Name: "b", Type: types.T(types.String)}, {Name: "c", Type: types.T(types.Int32)}},
			Indexes: []catalog.Index{{Name: "PRIMARY", Columns: []int{0}, Unique: true, Primary: true}}})
		commitRows(t, s, "t", a, b, c)
		return s
	}
	s := filled()
	want, _ := scan(t, lookup(t, s.Begin(), "t"), catalog.ScanSpec{})
	loads := onDemand(t, s, "t", -1, nil)
	if got, _ := scan(t, lookup(t, s.Begin(), "t"), catalog.ScanSpec{BatchSize: 100}); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Error("rows differ")
	}
	if loads.Load() != 2*5*3 { // scan reads twice, see checkLate
		t.Errorf("%d loads of 5 segments with 3 columns, twice", loads.Load())
	}
	key := catalog.Int(1234) // which the primary key finds
	if rows, ids := scan(t, lookup(t, s.Begin(), "t"), catalog.ScanSpec{Prune: []catalog.Range{{Column: 0, Lo: &key, Hi: &key}}}); len(rows) != 1 || ids[0] != 1234 {
		t.Errorf("row 1234 is %q", rows)
	}
	if n := lookup(t, s.Begin(), "t").Stats().Columns[0].NDV; n != rows {
		t.Errorf("%d distinct values", n)
	}

	bad := errors.New("seg-7 is damaged at 4096")
	for column := range 3 {
		s := filled()
		onDemand(t, s, "t", column, bad)
		tx := s.Begin()
		v := lookup(t, tx, "t").(*version)
		src, err := v.Scan(bg, catalog.ScanSpec{Columns: []int{column}})
		must(t, err)
		r, err := src.NewReader()
		must(t, err)
		if _, err := r.Next(); !errors.Is(err, bad) {
			t.Errorf("column %d: a scan returns %v", column, err)
		}
		if column == 2 { // runs, which decide what to scan
			lo := catalog.Datum{Type: types.T(types.Int32), I64: 17}
			if _, err := v.Scan(bg, catalog.ScanSpec{Columns: []int{0}, Prune: []catalog.Range{{Column: 2, Lo: &lo}}}); !errors.Is(err, bad) {
				t.Errorf("a scan of a range returns %v", err)
			}
		}
		if _, err := v.ReadPlaces(bg, []int64{3, 700}, []int{column}); !errors.Is(err, bad) {
			t.Errorf("column %d: a fetch returns %v", column, err)
		}
		if st := v.Stats(); st.Rows != rows || st.Columns[column].NDV != 0 || st.Columns[(column+1)%3].NDV == 0 {
			t.Errorf("column %d: statistics are %+v", column, st.Columns)
		}
		becomes := &catalog.Schema{Columns: append([]catalog.Column{{Name: "n", Type: types.T(types.Int64)}}, v.schema.Columns...)}
		err = tx.DDL().Alter(bg, v, Alteration{Schema: becomes, Columns: []AlteredColumn{
			{From: -1, Inputs: []int{column}, Compute: func(in []*vec.Vector, n, _ int) (*vec.Vector, int64, error) {
				return nil, 0, sqlerr.Internal("computed from %d rows", in[0].N)
			}}, {From: 0}, {From: 1}, {From: 2}}})
		if !errors.Is(err, bad) {
			t.Errorf("column %d: ALTER TABLE returns %v", column, err)
		}
	}
}

// TestLoadAhead has a scan load the columns that it reads, and no others, of the segments that
// follow while other readers are loading those before.
func TestLoadAhead(t *testing.T) {
	for _, c := range []struct {
		readers int
		busy    []int // segments that somebody is loading
		want    []int // segments whose column is loaded ahead when a reader gets to segment 1
	}{
		{1, nil, []int{0, 1}},
		{1, []int{1}, []int{0, 2}},
		{1, []int{1, 2}, []int{0}},
		{3, nil, []int{0, 1}},
		{3, []int{1}, []int{0, 2}},
		{3, []int{1, 2, 3}, []int{0, 4}},
		{3, []int{1, 2, 3, 4}, []int{0}},
	} {
		lenders, readers := lent(t, c.readers)
		for _, k := range c.busy {
			lenders[k][0].busy = true
		}
		first, second := readers[0], readers[len(readers)-1]
		advance(t, first)
		if c.readers > 1 {
			read(t, first)
		} else {
			first.src.ahead.used[1].Store(true)
			lenders[0][0].ahead++
		}
		advance(t, second)
		var got []int
		for k := range lenders {
			if lenders[k][0].ahead > 0 {
				got = append(got, k)
			}
			if lenders[k][1].ahead > 0 {
				t.Errorf("%+v: a column that is not read was loaded ahead", c)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: segments %v are loaded", c, got)
		}
	}
}

// TestLoadInsteadOfWaiting has a reader come upon a column that another one is loading.
func TestLoadInsteadOfWaiting(t *testing.T) {
	lenders, readers := lent(t, 3)
	advance(t, readers[0])
	lenders[0][0].busy = true
	read(t, readers[0])
	for k := range lenders {
		if got, want := lenders[k][0].ahead > 0, k == 1; got != want {
			t.Errorf("segment %d: loaded ahead: %v", k, got)
		}
	}
}

// lent returns the columns of a table with six segments, and readers of a scan of both.
func lent(t *testing.T, readers int) (columns [][]*lender, out []*reader) {
	t.Helper()
	s := NewStore(nil)
	s.segmentRows = 1000
	create(t, s, "t", pairs())
	var ids []int64
	var names []string
	for i := range int64(6000) {
		ids, names = append(ids, i), append(names, "x")
	}
	commitRows(t, s, "t", ints(ids...), strs(names...))
	onDemand(t, s, "t", -1, nil)
	v := lookup(t, s.Begin(), "t").(*version)
	for i := range v.Segs {
		columns = append(columns, []*lender{v.Segs[i].Cols[0].Source().(*lender), v.Segs[i].Cols[1].Source().(*lender)})
	}
	src, err := v.Scan(bg, catalog.ScanSpec{Columns: []int{1, 0}})
	must(t, err)
	for range readers {
		r, err := src.NewReader()
		must(t, err)
		out = append(out, r.(*reader))
	}
	return columns, out
}

func advance(t *testing.T, r *reader) {
	t.Helper()
	_, _, err := r.Advance()
	must(t, err)
}

// read reads the table's first column.
func read(t *testing.T, r *reader) {
	t.Helper()
	_, err := r.Column(1, nil)
	must(t, err)
}

// TestTextsOnDemand keeps texts of a column that the cache may drop: their consumer accounts for them, and few of
// them do not keep the column in memory.
func TestTextsOnDemand(t *testing.T) {
	const rows = 2000
	names := make([]string, rows)
	ids := make([]int64, rows)
	for i := range names {
		ids[i], names[i] = int64(i), fmt.Sprintf("text %d", i*7919)
	}
	s := NewStore(nil)
	s.segmentRows = rows
	create(t, s, "t", pairs())
	commitRows(t, s, "t", ints(ids...), strs(names...))
	few, many := []int32{3, 500, 1999}, ascendingRows(rows/2)
	for _, loaded := range []bool{false, true} {
		if loaded {
			onDemand(t, s, "t", -1, nil)
		}
		v := lookup(t, s.Begin(), "t").(*version)
		src, err := v.Scan(bg, catalog.ScanSpec{Columns: []int{1}, BatchSize: rows})
		must(t, err)
		r, err := src.NewReader()
		must(t, err)
		late := r.(*reader)
		advance(t, late)
		data, err := v.Segs[0].Cols[1].Data()
		must(t, err)
		for _, rows := range [][]int32{nil, many, few} {
			x, err := late.Column(0, rows)
			must(t, err)
			if x.SharesTexts() == loaded {
				t.Errorf("%d rows, on demand: %v: the texts are said to be shared: %v", len(rows), loaded, x.SharesTexts())
			}
			for i, row := range rows {
				if x.Str[i] != names[row] {
					t.Errorf("row %d is %q", row, x.Str[i])
				}
			}
			within := len(rows) > 0 && inBuffer(x.Str[0], data.Arr.Data().Buffers()[2].Bytes())
			if len(rows) > 0 && within != (!loaded || len(rows) > len(few)) {
				t.Errorf("%d rows, on demand: %v: the texts are in the column's memory: %v", len(rows), loaded, within)
			}
		}
	}
}

func ascendingRows(n int) (out []int32) {
	for i := range n {
		out = append(out, int32(i))
	}
	return out
}

// inBuffer reports whether a text is in a buffer's memory.
func inBuffer(s string, b []byte) bool {
	at, from := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return at >= from && at < from+uintptr(len(b))
}
