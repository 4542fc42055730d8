package storage

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

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
}

func (l *lender) Load() (*segment.Data, error) {
	l.loads.Add(1)
	return l.data.Retyped(l.typ), l.err
}

func (l *lender) LoadAhead() error {
	l.ahead++
	return l.err
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

// TestLoadAhead has a scan load the columns that it reads one segment ahead, and no others.
func TestLoadAhead(t *testing.T) {
	s := NewStore(nil)
	s.segmentRows = 1000
	create(t, s, "t", pairs())
	const segments = 6
	var ids []int64
	var names []string
	for i := range int64(segments * 1000) {
		ids, names = append(ids, i), append(names, "x")
	}
	commitRows(t, s, "t", ints(ids...), strs(names...))
	onDemand(t, s, "t", -1, nil)
	v := lookup(t, s.Begin(), "t").(*version)
	src, err := v.Scan(bg, catalog.ScanSpec{Columns: []int{1, 0}})
	must(t, err)
	r, err := src.NewReader()
	must(t, err)
	late := r.(catalog.LateReader)
	for i := range segments {
		_, _, err := late.Advance()
		must(t, err)
		_, err = late.Column(1, nil)
		must(t, err)
		for k := range segments {
			want := 0 // nothing is known to be read until the reader gets to segment 1
			switch {
			case i > 0 && (k == 1 || k == i+1):
				want = 1
			case k > 1 && k <= i: // when it followed, and when the reader got there
				want = 2
			}
			if got := v.Segs[k].Cols[0].Source().(*lender).ahead; got != want {
				t.Errorf("in segment %d, segment %d was loaded ahead %d times, want %d", i, k, got, want)
			}
			if got := v.Segs[k].Cols[1].Source().(*lender).ahead; got != 0 {
				t.Errorf("a column that is not read was loaded ahead")
			}
		}
	}
}
