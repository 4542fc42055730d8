package storage

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/conform"
)

var allTypes = []types.Type{
	types.T(types.Bool), types.T(types.Int8), types.T(types.Int16), types.T(types.Int32), types.T(types.Int64),
	types.T(types.Uint8), types.T(types.Uint16), types.T(types.Uint32), types.T(types.Uint64),
	types.T(types.Float32), types.T(types.Float64), types.Dec(38, 10), types.Dec(5, 2),
	types.T(types.String), {ID: types.String, Len: 8}, types.T(types.Bytes), types.T(types.Date),
	types.T(types.Datetime), types.T(types.Timestamp), types.T(types.Time), types.T(types.Year), types.T(types.JSON),
}

// randomVector returns values over the whole range of the type, with few distinct ones for every
// other seed, and one NULL in five.
func randomVector(rng *rand.Rand, t types.Type, n int) *vec.Vector {
	v := vec.NewFlat(t, n)
	few := rng.Intn(2) == 0
	for i := range n {
		x := rng.Uint64()
		if few {
			x = x % 5 * (math.MaxUint64 / 5)
		}
		switch t.Kind() {
		case types.KindI64:
			lo, hi := conform.Bounds(t)
			if t.Bits() == 64 {
				v.I64[i] = int64(x)
			} else {
				v.I64[i] = lo + int64(x%uint64(hi-lo+1))
			}
		case types.KindU64:
			v.I64[i] = int64(x >> (64 - t.Bits()))
		case types.KindF64:
			v.F64[i] = float64(float32(int64(x)))
		case types.KindDec:
			v.Dec[i] = decimal128.FromI64(int64(x) % 100000)
			if t.Prec > 20 {
				v.Dec[i] = v.Dec[i].Mul(decimal128.GetScaleMultiplier(int(x % 30)))
			}
		case types.KindStr:
			v.Str[i] = strings.Repeat("é", int(x%9))
			if t.Len == 0 {
				v.Str[i] += fmt.Sprint(x)
			}
		}
		if rng.Intn(5) == 0 {
			v.SetNull(i)
		}
	}
	return v
}

func textRows(cols []*vec.Vector) []string {
	rows := make([]string, cols[0].N)
	for i := range rows {
		for _, c := range cols {
			rows[i] += catalog.DatumAt(c, i).Text() + "|"
		}
	}
	return rows
}

// TestTypesRoundTrip writes every type to tails and segments, plain and as a dictionary, and
// reads it back in batches of several sizes, with and without deletions.
func TestTypesRoundTrip(t *testing.T) {
	schema := &catalog.Schema{}
	allTypes := append(slices.Clone(allTypes), types.T(types.Null))
	for i, x := range allTypes {
		schema.Columns = append(schema.Columns, catalog.Column{Name: fmt.Sprint("c", i), Type: x})
	}
	rng := rand.New(rand.NewSource(1))
	for _, rows := range []int{1, 10, 2047, 6000} {
		for _, segRows := range []int{4, 5000, 1 << 20} {
			if rows/segRows > 100 {
				continue
			}
			s := NewStore(nil)
			s.segmentRows = segRows
			create(t, s, "t", schema)
			cols := make([]*vec.Vector, len(allTypes))
			for i, x := range allTypes {
				cols[i] = randomVector(rng, x, rows)
			}
			want := textRows(cols)
			commitRows(t, s, "t", cols...)
			tx := s.Begin()
			for _, size := range []int{1, 3, 0} {
				got, _ := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{BatchSize: size})
				if !slices.Equal(got, want) {
					t.Fatalf("%d rows, segments of %d, batches of %d: values differ", rows, segRows, size)
				}
			}
			checkPlaces(t, rng, lookup(t, tx, "t"), want)
			_, ids := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{})
			var gone []int64
			var left []string
			for i, id := range ids {
				if i%3 == 0 || i > 2000 && i < 4500 {
					gone = append(gone, id)
				} else {
					left = append(left, want[i])
				}
			}
			if n, err := tx.Delete(context.Background(), lookup(t, tx, "t"), gone); err != nil || n != int64(len(gone)) {
				t.Fatal(n, err)
			}
			for _, size := range []int{1, 3, 0} {
				got, _ := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{BatchSize: size})
				if !slices.Equal(got, left) {
					t.Fatalf("%d rows, segments of %d, batches of %d: rows left differ", rows, segRows, size)
				}
			}
			checkPlaces(t, rng, lookup(t, tx, "t"), left)
			must(t, tx.Commit())
			if got, _ := scan(t, lookup(t, s.Begin(), "t"), catalog.ScanSpec{}); !slices.Equal(got, left) {
				t.Fatalf("%d rows, segments of %d: committed rows differ", rows, segRows)
			}
		}
	}
}

func TestColumnChecks(t *testing.T) {
	i64 := func(id types.ID, x int64) *vec.Vector {
		v := vec.NewFlat(types.T(id), 2)
		v.I64[1] = x
		return v
	}
	f64 := func(x float64) *vec.Vector {
		v := vec.NewFlat(types.T(types.Float64), 2)
		v.F64[1] = x
		return v
	}
	dec := func(scale int, x int64) *vec.Vector {
		v := vec.NewFlat(types.Dec(18, scale), 2)
		v.Dec[1] = decimal128.FromI64(x)
		return v
	}
	tests := []struct {
		col  catalog.Column
		in   *vec.Vector
		code sqlerr.Code // 0 if the value is stored
		want string
	}{
		{catalog.Column{Type: types.T(types.Int8)}, i64(types.Int64, 127), 0, "127"},
		{catalog.Column{Type: types.T(types.Int8)}, i64(types.Int64, 128), sqlerr.WarnDataOutOfRange, ""},
		{catalog.Column{Type: types.T(types.Int8)}, i64(types.Int64, -129), sqlerr.WarnDataOutOfRange, ""},
		{catalog.Column{Type: types.T(types.Int32)}, i64(types.Int64, -1<<31), 0, "-2147483648"},
		{catalog.Column{Type: types.T(types.Int32)}, i64(types.Int64, 1<<31), sqlerr.WarnDataOutOfRange, ""},
		{catalog.Column{Type: types.T(types.Uint16)}, i64(types.Uint64, 65535), 0, "65535"},
		{catalog.Column{Type: types.T(types.Uint16)}, i64(types.Uint64, 65536), sqlerr.WarnDataOutOfRange, ""},
		{catalog.Column{Type: types.T(types.Uint64)}, i64(types.Uint64, -1), 0, "18446744073709551615"},
		{catalog.Column{Type: types.T(types.Bool)}, i64(types.Int64, 2), sqlerr.WarnDataOutOfRange, ""},
		{catalog.Column{Type: types.T(types.Float32)}, f64(0.1), 0, "0.1"},
		{catalog.Column{Type: types.T(types.Float32)}, f64(1e39), sqlerr.WarnDataOutOfRange, ""},
		{catalog.Column{Type: types.Dec(5, 2)}, dec(3, 1005), 0, "1.01"},
		{catalog.Column{Type: types.Dec(5, 2)}, dec(3, -1005), 0, "-1.01"},
		{catalog.Column{Type: types.Dec(5, 2)}, dec(3, 1004), 0, "1.00"},
		{catalog.Column{Type: types.Dec(5, 2)}, dec(0, 999), 0, "999.00"},
		{catalog.Column{Type: types.Dec(5, 2)}, dec(3, 999995), sqlerr.WarnDataOutOfRange, ""},
		{catalog.Column{Type: types.Dec(38, 30)}, dec(0, 1e17), sqlerr.WarnDataOutOfRange, ""},
		{catalog.Column{Type: types.Type{ID: types.String, Len: 3}}, strs("", "äöü"), 0, "äöü"},
		{catalog.Column{Type: types.Type{ID: types.String, Len: 3}}, strs("", "abcd"), sqlerr.DataTooLong, ""},
		{catalog.Column{Type: types.Type{ID: types.Bytes, Len: 3}}, strs("", "äö"), sqlerr.DataTooLong, ""},
		{catalog.Column{Type: types.T(types.String), NotNull: true}, strs("", "NULL"), sqlerr.BadNull, ""},
		{catalog.Column{Type: types.T(types.Int32), NotNull: true}, vec.NewNull(types.T(types.Null), 2), sqlerr.BadNull, ""},
		{catalog.Column{Type: types.T(types.Int32)}, vec.NewNull(types.T(types.Null), 2), 0, "NULL"},
		{catalog.Column{Type: types.T(types.Int32)}, strs("", "1"), sqlerr.InternalError, ""},
	}
	for i, x := range tests {
		x.col.Name = "c"
		s := NewStore(nil)
		create(t, s, "t", &catalog.Schema{Columns: []catalog.Column{x.col}})
		tx := s.Begin()
		err := insert(tx, lookup(t, tx, "t"), x.in)
		if x.code != 0 {
			wantCode(t, err, x.code)
			if x.code == sqlerr.WarnDataOutOfRange {
				wantMessage(t, err, "for column 'c' at row 2")
			}
			continue
		}
		must(t, err)
		got, _ := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{})
		if got[1] != x.want+"|" {
			t.Errorf("test %d: stored %s, want %s", i, got[1], x.want)
		}
	}
}
