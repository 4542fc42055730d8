package segfile

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/segment"
	"gsql/storage/vfs"
)

var allTypes = []types.Type{
	types.T(types.Null), types.T(types.Bool), types.T(types.Int8), types.T(types.Int16), types.T(types.Int32), types.T(types.Int64),
	types.T(types.Uint8), types.T(types.Uint16), types.T(types.Uint32), types.T(types.Uint64), types.T(types.Float32), types.T(types.Float64),
	types.Dec(15, 2), types.Dec(18, 0), types.Dec(38, 10), types.T(types.String), types.T(types.Bytes), types.T(types.Date), types.T(types.Datetime),
	types.T(types.Timestamp), types.T(types.Time), types.T(types.Year),
}

// shape tells how the values of a random column are distributed.
type shape struct {
	name   string
	values int // distinct ones
	run    int // average length of runs
	nulls  int // one in so many rows, 0 for none, 1 for all
	sorted bool
	text   int // length of texts
}

var shapesOfColumns = []shape{
	{name: "any", values: 1 << 30, run: 1, text: 20},
	{name: "any with NULLs", values: 1 << 30, run: 1, nulls: 3, text: 20},
	{name: "sorted", values: 1 << 30, run: 1, sorted: true, text: 9},
	{name: "few", values: 7, run: 1, text: 12},
	{name: "few with NULLs", values: 7, run: 1, nulls: 10, text: 12},
	{name: "runs", values: 300, run: 200, text: 5},
	{name: "runs with NULLs", values: 300, run: 200, nulls: 4, text: 5},
	{name: "runs of many", values: 1 << 30, run: 50, nulls: 5, text: 300},
	{name: "one value", values: 1, run: 1, text: 3},
	{name: "all NULL", values: 1, run: 1, nulls: 1},
	{name: "long texts", values: 1 << 30, run: 1, nulls: 9, text: 4000},
	{name: "empty texts", values: 3, run: 1, text: 0},
}

// column returns a flat vector of n values of type t.
func (s *shape) column(rng *rand.Rand, t types.Type, n int) *vec.Vector {
	v := vec.NewFlat(t, n)
	if t.ID == types.Null {
		v.Null = make([]bool, n)
		for i := range v.Null {
			v.Null[i] = true
		}
		return v
	}
	number, gone := int64(0), false
	for i := range n {
		if i == 0 || rng.Intn(s.run) == 0 {
			if number = rng.Int63n(int64(s.values)); s.sorted {
				number = int64(i)
			}
			gone = s.nulls > 0 && rng.Intn(s.nulls) == 0
		}
		s.put(v, i, number)
		if gone {
			v.SetNull(i)
		}
	}
	return v
}

// bitsOf returns the bits of integers of a type, without the sign.
func bitsOf(t types.Type) int {
	switch t.ID {
	case types.Bool:
		return 1
	case types.Int8, types.Uint8:
		return 7
	case types.Int16, types.Uint16, types.Year:
		return 15
	case types.Int32, types.Uint32, types.Date:
		return 31
	}
	return 50
}

// put stores the value that stands for a number.
func (s *shape) put(v *vec.Vector, i int, number int64) {
	sign := int64(1)
	if number%2 == 1 && v.Type.ID != types.Bool && v.Type.Kind() != types.KindU64 && !s.sorted {
		sign = -1
	}
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		v.I64[i] = sign * (number * 1_000_003 % (1 << bitsOf(v.Type)))
	case types.KindF64:
		v.F64[i] = float64(float32(number) / 3)
	case types.KindDec:
		v.Dec[i] = decimal128.FromI64(sign * number * 100)
		if v.Type.Prec > 18 && number%3 == 0 {
			v.Dec[i] = v.Dec[i].Mul(decimal128.FromU64(1 << 62))
		}
	case types.KindStr:
		if s.text > 0 {
			v.Str[i] = fmt.Sprintf("%0*d ", s.text, number) + strings.Repeat("ä", int(number%3))
		}
	}
}

// newFiles returns the segment files of an empty folder.
func newFiles(t testing.TB, account *mem.Account, limit int64) (*Files, vfs.FS) {
	fs, err := vfs.Dir(t.TempDir())
	must(t, err)
	f := New(fs, account, limit)
	t.Cleanup(func() { must(t, f.Close()) })
	return f, fs
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sealed returns a segment of random columns, one of each type.
func sealed(t testing.TB, rng *rand.Rand, s shape, n int) (*catalog.Schema, *segment.Segment) {
	schema := &catalog.Schema{}
	var cols []*vec.Vector
	for i, x := range allTypes {
		schema.Columns = append(schema.Columns, catalog.Column{Name: fmt.Sprint("c", i), Type: x})
		cols = append(cols, s.column(rng, x, n))
	}
	seg, err := segment.Seal(nil, schema, cols)
	must(t, err)
	return schema, seg
}

// written writes a segment to a file of its own and returns it as another process would read it.
func written(t testing.TB, f *Files, number uint64, schema *catalog.Schema, s *segment.Segment) *segment.Segment {
	t.Helper()
	w, err := f.NewWriter(number)
	must(t, err)
	out, err := w.Add(schema, s)
	must(t, err)
	must(t, w.Finish())
	must(t, errors.Join(f.Check(t.Context(), number)...))
	again, rest, err := f.Decode(append(f.Encode([]byte(nil), out), "rest"...), schema)
	must(t, err)
	if string(rest) != "rest" {
		t.Fatalf("%q follows the description", rest)
	}
	return again
}

// same compares all rows of two segments.
func same(t testing.TB, schema *catalog.Schema, got, want *segment.Segment) {
	t.Helper()
	if got.Rows != want.Rows || got.Bytes != want.Bytes || len(got.IDs) != len(want.IDs) {
		t.Fatalf("%d rows, %d bytes, %d ids; want %d, %d, %d", got.Rows, got.Bytes, len(got.IDs), want.Rows, want.Bytes, len(want.IDs))
	}
	a, err := got.Flat(schema)
	must(t, err)
	b, err := want.Flat(schema)
	must(t, err)
	for c := range a {
		for i := range got.Rows {
			if x, y := catalog.DatumAt(a[c], i), catalog.DatumAt(b[c], i); x.Null != y.Null || !x.Null && x.Compare(y) != 0 {
				t.Fatalf("%s: row %d is %s, want %s", schema.Columns[c].Type, i, x.Text(), y.Text())
			}
		}
		sameColumn(t, &schema.Columns[c], &got.Cols[c], &want.Cols[c])
	}
}

// sameColumn compares what is known of two columns, and their forms.
func sameColumn(t testing.TB, def *catalog.Column, got, want *segment.Column) {
	t.Helper()
	a, err := got.Counted()
	must(t, err)
	b, err := want.Counted()
	must(t, err)
	if a.Rows != b.Rows || a.Nulls != b.Nulls || a.Sorted != b.Sorted || a.Text != b.Text || (a.Min == nil) != (b.Min == nil) {
		t.Errorf("%s: %+v, want %+v", def.Type, a, b)
	}
	if a.Min != nil && (a.Min.Compare(*b.Min) > 0 || a.Max.Compare(*b.Max) < 0 || a.Min.Type != def.Type) {
		t.Errorf("%s: bounds %s and %s, want %s and %s", def.Type, a.Min.Text(), a.Max.Text(), b.Min.Text(), b.Max.Text())
	}
	if (a.Sketch == nil) != (b.Sketch == nil) || a.Sketch != nil && a.Sketch.Estimate() != b.Sketch.Estimate() {
		t.Errorf("%s: the sketches differ", def.Type)
	}
	d, err := got.Data()
	must(t, err)
	e, err := want.Data()
	must(t, err)
	if (d.Dict == nil) != (e.Dict == nil) || (d.Runs == nil) != (e.Runs == nil) || (d.Ints == nil) != (e.Ints == nil) || d.Bytes() != e.Bytes() || d.Footprint() != e.Footprint() {
		t.Errorf("%s: data of %d bytes, want %d: %+v, want %+v", def.Type, d.Bytes(), e.Bytes(), d, e)
	}
}

// TestRoundTrip writes and reads every type in every form.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	f, _ := newFiles(t, nil, 0)
	number := uint64(0)
	for _, s := range shapesOfColumns {
		for _, n := range []int{1, 2, 100, 1024, 5000} {
			if s.text > 1000 && n > 1024 {
				continue
			}
			t.Run(fmt.Sprint(s.name, " ", n), func(t *testing.T) {
				schema, seg := sealed(t, rng, s, n)
				number++
				if n == 100 {
					seg.IDs = make([]int64, n)
					for i := range seg.IDs {
						seg.IDs[i] = int64(i*i) + 1<<40
					}
				}
				got := written(t, f, number, schema, seg)
				same(t, schema, got, seg)
				for i := range got.IDs {
					if got.IDs[i] != seg.IDs[i] {
						t.Fatalf("row %d has id %d", i, got.IDs[i])
					}
				}
				if list := Numbers(got); len(list) != 1 || list[0] != number {
					t.Errorf("columns are in files %d", list)
				}
			})
		}
	}
}

// TestEmpty writes a segment without rows.
func TestEmpty(t *testing.T) {
	f, _ := newFiles(t, nil, 0)
	schema, seg := sealed(t, rand.New(rand.NewSource(1)), shapesOfColumns[0], 0)
	same(t, schema, written(t, f, 1, schema, seg), seg)
}
