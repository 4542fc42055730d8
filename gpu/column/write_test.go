package column_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gsql/gpu/column"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// rowCounts are sizes around the unrolled loop's and a few more.
var rowCounts = []int{0, 1, 3, 4, 5, 8, 1000}

// flat makes a vector of random values below limit (all bits if 0); every nulls-th row is NULL.
func flat(t types.Type, n int, limit int64, nulls int) *vec.Vector {
	r := rand.New(rand.NewPCG(uint64(n), uint64(limit)))
	v := vec.NewFlat(t, n)
	for i := range n {
		x := int64(r.Uint64())
		if limit > 0 {
			x %= limit
		}
		if t.IsUnsigned() && limit > 0 {
			x = max(x, -x)
		}
		if t.IsFloat() {
			v.F64[i] = []float64{r.NormFloat64(), math.Copysign(0, -1), 0, math.Inf(-1)}[r.IntN(4)]
		} else {
			v.I64[i] = x
		}
		if nulls > 0 && r.IntN(nulls) == 0 {
			v.SetNull(i)
		}
	}
	return v
}

// forms returns v and what can be made of it, of about n rows each.
func forms(v *vec.Vector, n int) map[string]*vec.Vector {
	r := rand.New(rand.NewPCG(uint64(n), uint64(v.N)))
	idx := make([]int32, n)
	for i := range idx {
		idx[i] = int32(r.IntN(v.N+1)) - 1
	}
	all := map[string]*vec.Vector{"flat": v, "view": {Type: v.Type, Form: vec.View, N: n, Base: v, Idx: idx}, "nulls": vec.NewNull(v.Type, n)}
	if v.N > 0 {
		c := v.Slice(0, 1)
		c.Form, c.N = vec.Const, n
		all["const"] = c
		all["slice"] = v.Slice(v.N/3, v.N)
	}
	return all
}

// check compares what Write stored with the vector, row by row.
func check(t *testing.T, v *vec.Vector, f column.Format, dst, valid []byte, found column.Found) {
	t.Helper()
	nulls, bounds := int64(0), column.None
	for i := range v.N {
		if v.IsNull(i) {
			nulls++
			if valid[i] != 0 {
				t.Fatalf("row %d is NULL and valid is %d", i, valid[i])
			}
			continue
		}
		if found.Nulls > 0 && valid[i] != 1 {
			t.Fatalf("row %d is not NULL and valid is %d", i, valid[i])
		}
		b, s := v.Slot(i)
		if f.Kind == column.F64 {
			bits := binary.LittleEndian.Uint64(dst[8*i:])
			if got := math.Float64frombits(bits); got != b.F64[s] || bits == 1<<63 {
				t.Fatalf("row %d is %v (%#x), want %v", i, got, bits, b.F64[s])
			}
			continue
		}
		want := b.I64[s]
		if f.Flipped {
			want ^= math.MinInt64
		}
		got := int64(0)
		if f.Kind == column.I32 {
			got = int64(int32(binary.LittleEndian.Uint32(dst[4*i:])))
		} else {
			got = int64(binary.LittleEndian.Uint64(dst[8*i:]))
		}
		if got != want {
			t.Fatalf("row %d is %d, want %d", i, got, want)
		}
		bounds = bounds.With(column.Bounds{Min: want, Max: want})
	}
	if found.Nulls != nulls || found.Bounds != bounds {
		t.Errorf("found %+v, want %d NULLs and bounds %+v", found, nulls, bounds)
	}
}

func TestWrite(t *testing.T) {
	cases := []struct {
		id    types.ID
		limit int64
		f     column.Format
	}{
		{types.Int64, 1 << 31, column.Format{Kind: column.I32}},
		{types.Int64, 0, column.Format{Kind: column.I64}},
		{types.Date, 1 << 22, column.Format{Kind: column.I32}},
		{types.Datetime, 0, column.Format{Kind: column.I64}},
		{types.Uint64, 1 << 31, column.Format{Kind: column.I32}},
		{types.Uint64, 1 << 62, column.Format{Kind: column.I64}},
		{types.Uint64, 0, column.Format{Kind: column.I64, Flipped: true}},
		{types.Float64, 0, column.Format{Kind: column.F64}},
	}
	for _, c := range cases {
		for _, n := range rowCounts {
			for _, nulls := range []int{0, 1, 3} {
				v := flat(types.T(c.id), n, c.limit, nulls)
				for name, v := range forms(v, max(n, 1)) {
					t.Run(fmt.Sprintf("%s/%d/%d/%s", v.Type, n, nulls, name), func(t *testing.T) {
						dst, valid := make([]byte, 8*v.N+8), make([]byte, v.N)
						found, err := c.f.Write(dst, valid, v)
						if err != nil {
							t.Fatal(err)
						}
						check(t, v, c.f, dst, valid, found)
						if m := column.Measure(v); c.f.Kind != column.F64 && !contains(m, v) {
							t.Errorf("Measure gives %+v", m)
						}
					})
				}
			}
		}
	}
}

// contains reports whether b are the bounds of v's values that are not NULL.
func contains(b column.Bounds, v *vec.Vector) bool {
	want := column.None
	for i := range v.N {
		if !v.IsNull(i) {
			base, s := v.Slot(i)
			want = want.With(column.Between(v.Type, base.I64[s], base.I64[s]))
		}
	}
	return b == want
}

// TestWriteRefusesWhatDoesNotFit: a single value outside, which NULL rows may be.
func TestWriteRefusesWhatDoesNotFit(t *testing.T) {
	tests := []struct {
		id    types.ID
		value int64
		f     column.Format
	}{
		{types.Int64, math.MaxInt32 + 1, column.Format{Kind: column.I32}},
		{types.Int64, math.MinInt32 - 1, column.Format{Kind: column.I32}},
		{types.Uint64, -1, column.Format{Kind: column.I32}},
		{types.Uint64, math.MinInt64, column.Format{Kind: column.I64}},
		{types.Int64, -1, column.Format{Kind: column.I64, Flipped: true}},
	}
	for _, test := range tests {
		for at := range 9 {
			v := vec.NewFlat(types.T(test.id), 9)
			v.I64[at] = test.value
			dst, valid := make([]byte, 72), make([]byte, 9)
			if _, err := test.f.Write(dst, valid, v); !errors.Is(err, column.ErrRange) {
				t.Errorf("%s %d as %+v: error %v, want ErrRange", v.Type, test.value, test.f, err)
			}
			v.SetNull(at)
			if _, err := test.f.Write(dst, valid, v); err != nil {
				t.Errorf("%s %d in a NULL row: %v", v.Type, test.value, err)
			}
		}
	}
	if _, err := (column.Format{Kind: column.F64}).Write(make([]byte, 8), make([]byte, 1), vec.NewFlat(types.T(types.Int64), 1)); err == nil {
		t.Error("integers were written as doubles")
	}
	if _, err := (column.Format{Kind: column.I64}).Write(make([]byte, 8), make([]byte, 1), vec.NewFlat(types.T(types.Float64), 1)); err == nil {
		t.Error("doubles were written as integers")
	}
}

func BenchmarkWrite(b *testing.B) {
	const n = 1 << 20
	dst, valid := make([]byte, 8*n), make([]byte, n)
	for _, c := range []struct {
		name  string
		v     *vec.Vector
		f     column.Format
		bytes int64
	}{
		{"i32", flat(types.T(types.Int64), n, 1<<31, 0), column.Format{Kind: column.I32}, 4 * n},
		{"i64", flat(types.T(types.Int64), n, 0, 0), column.Format{Kind: column.I64}, 8 * n},
		{"f64", flat(types.T(types.Float64), n, 0, 0), column.Format{Kind: column.F64}, 8 * n},
		{"i32 with NULLs", flat(types.T(types.Int64), n, 1<<31, 10), column.Format{Kind: column.I32}, 4 * n},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(c.bytes)
			for b.Loop() {
				if _, err := c.f.Write(dst, valid, c.v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
