package storage

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/segment"
)

// TestNarrowIntegers stores integers and decimals of 64 bits in as few bytes as the values need, and
// reads them in all ways.
func TestNarrowIntegers(t *testing.T) {
	all := []types.Type{types.T(types.Int64), types.T(types.Datetime), types.T(types.Time), types.Dec(15, 2), types.Dec(18, 0)}
	for _, c := range []struct {
		lo, hi int64
		width  int
	}{
		{-128, 127, 1}, {-129, 127, 2}, {-128, 128, 2}, {math.MinInt16, math.MaxInt16, 2}, {math.MinInt16 - 1, 0, 4}, {0, math.MaxInt16 + 1, 4},
		{math.MinInt32, math.MaxInt32, 4}, {math.MinInt32 - 1, 0, 8}, {0, math.MaxInt32 + 1, 8}, {5, 105, 1},
	} {
		for _, nulls := range []bool{false, true} {
			testNarrow(t, all, c.lo, c.hi, c.width, nulls)
		}
	}
}

func testNarrow(t *testing.T, all []types.Type, lo, hi int64, width int, nulls bool) {
	const rows = 3000
	schema := &catalog.Schema{}
	var cols []*vec.Vector
	for i, x := range all {
		schema.Columns = append(schema.Columns, catalog.Column{Name: fmt.Sprint("c", i), Type: x})
		v := vec.NewFlat(x, rows)
		for r := range rows {
			n := lo + int64(r)*7919%max(1, min(hi-lo, 1<<40))
			switch r {
			case 17:
				n = hi
			case 40:
				n = lo
			}
			if v.Type.Kind() == types.KindDec {
				v.Dec[r] = decimal128.FromI64(n)
			} else {
				v.I64[r] = n
			}
			if nulls && r%5 == 3 {
				v.SetNull(r)
				if v.I64 != nil {
					v.I64[r] = math.MaxInt64 // means nothing
				}
			}
		}
		cols = append(cols, v)
	}
	s := NewStore(nil)
	s.segmentRows = rows
	create(t, s, "t", schema)
	commitRows(t, s, "t", cols...)
	v := lookup(t, s.Begin(), "t").(*version)
	for i := range all {
		got := segment.ArrayBytes(dataOf(t, &v.Segs[0].Cols[i]).Arr)
		if want := width * rows; got < want || got > want+rows/8+1 {
			t.Errorf("%s from %d to %d takes %d bytes, want %d", all[i], lo, hi, got, want)
		}
	}
	checkNarrow(t, v, cols, false)
	checkNarrow(t, v, cols, true)
}

// checkNarrow reads all rows, some rows of batches, and single rows.
func checkNarrow(t *testing.T, v *version, cols []*vec.Vector, narrow bool) {
	spec := catalog.ScanSpec{Narrow: narrow, BatchSize: 700}
	for c := range cols {
		spec.Columns = append(spec.Columns, c)
	}
	check := func(c, row int, v *vec.Vector, i int) {
		t.Helper()
		if got, want := catalog.DatumAt(v, i), catalog.DatumAt(cols[c], row); got.Text() != want.Text() {
			t.Fatalf("%s: row %d is %s, want %s", v.Type, row, got.Text(), want.Text())
		}
	}
	for _, some := range [][]int32{nil, {0, 3, 17, 18, 40, 199}} {
		src, err := v.Scan(bg, spec)
		must(t, err)
		reader, err := src.NewReader()
		must(t, err)
		late := reader.(catalog.LateReader)
		for first := 0; ; {
			n, _, err := late.Advance()
			must(t, err)
			if n == 0 {
				break
			}
			rows := some
			if n < 200 || some == nil {
				rows = nil
			}
			for c := range cols {
				got, err := late.Column(c, rows)
				must(t, err)
				for i := range got.N {
					row := i
					if rows != nil {
						row = int(rows[i])
					}
					check(c, first+row, got, i)
				}
			}
			first += n
		}
	}
	places := []int64{0, 17, 40, 1000, 2999}
	fetched, err := v.ReadPlaces(bg, places, spec.Columns)
	must(t, err)
	for c, got := range fetched {
		for i, p := range places {
			check(c, int(p), got, i)
		}
	}
	if !slices.Equal(v.Stats().Columns[0].Min.AppendText(nil), catalog.DatumAt(cols[0], 40).AppendText(nil)) {
		t.Errorf("the least value is %s", v.Stats().Columns[0].Min.Text())
	}
}
