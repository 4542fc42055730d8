package column

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// placedAll writes vectors one after another in a form, and returns the values and the validity bits.
func placedAll(t *testing.T, typ types.Type, form Narrow, all []*vec.Vector) (values, valid []byte, err error) {
	t.Helper()
	rows := 0
	for _, v := range all {
		rows += v.N
	}
	values, valid = make([]byte, (rows*form.Width+7)/8*8), make([]byte, (rows+63)/64*8)
	for i := range values {
		values[i] = 0xa5
	}
	p, at := NewPlacer(typ, form), 0
	for _, v := range all {
		if err := p.Place(values, valid, at, v); err != nil {
			return nil, nil, err
		}
		at += v.N
	}
	return values[:rows*form.Width], valid, nil
}

// TestPlacer compares what is placed with what a Layout of the same parts has, for each width, with and without
// NULLs, in vectors of many lengths.
func TestPlacer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for _, most := range []int64{200, 60_000, 1 << 31, 1 << 40} {
		for _, nulls := range []int{0, 3} {
			var all []*vec.Vector
			var parts []Part
			room := func(n int) ([]uint64, error) { return make([]uint64, n), nil }
			pack := NewPacker(types.T(types.Int64), room, nil)
			for _, n := range []int{1, 7, 64, 65, 300, 2} {
				v := vec.NewFlat(types.T(types.Int64), n)
				for i := range n {
					if v.I64[i] = r.Int64N(most) - most/2; nulls > 0 && (r.IntN(nulls) == 0 || n == 7) {
						v.SetNull(i)
					}
				}
				if n == 300 { // a view of its odd rows
					idx := make([]int32, 150)
					for i := range idx {
						idx[i] = int32(2*i + 1)
					}
					v = &vec.Vector{Type: v.Type, Form: vec.View, N: len(idx), Base: v, Idx: idx}
				}
				part, err := pack.Pack(v)
				if err != nil {
					t.Fatal(err)
				}
				all, parts = append(all, v), append(parts, part)
			}
			l := NewLayout(false, parts, nil, nil)
			form := l.Narrow
			if l.Nulls > 0 {
				form.Valid = 1
			}
			values, valid, err := placedAll(t, types.T(types.Int64), form, all)
			if err != nil {
				t.Fatal(err)
			}
			want, bits := make([]byte, (len(values)+7)/8*8), make([]byte, len(valid))
			l.Values(want, 0)
			l.ValidBits(bits, 0)
			if !slices.Equal(values, want[:len(values)]) || form.Valid != 0 && !slices.Equal(valid, bits) {
				t.Errorf("up to %d, NULLs %d: differs in width %d", most, nulls, form.Width)
			}
		}
	}
}

// TestPlacerRange places values beyond the bounds of a form, and NULLs where it has none.
func TestPlacerRange(t *testing.T) {
	form := Narrow{Width: 1, Bias: -5, Min: -5, Max: 90}
	for _, c := range []struct {
		values []int64
		null   bool
		form   Narrow
		want   error
	}{
		{[]int64{-5, 90}, false, form, nil}, {[]int64{91}, false, form, ErrRange}, {[]int64{0, -6}, false, form, ErrRange},
		{[]int64{1, 2}, true, form, ErrRange}, {[]int64{1, 2}, true, Narrow{Width: 1, Bias: -5, Min: -5, Max: 90, Valid: 1}, nil},
	} {
		v := vec.NewFlat(types.T(types.Int64), len(c.values))
		copy(v.I64, c.values)
		if c.null {
			v.SetNull(1)
		}
		if _, _, err := placedAll(t, v.Type, c.form, []*vec.Vector{v}); !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.values, err, c.want)
		}
	}
}

// TestPlacerDoubles places doubles, all of which fit.
func TestPlacerDoubles(t *testing.T) {
	v := vec.NewFlat(types.T(types.Float64), 3)
	copy(v.F64, []float64{1.5, -2, 1e300})
	v.SetNull(1)
	values, valid, err := placedAll(t, v.Type, Narrow{Float: true, Width: 8, Valid: 1}, []*vec.Vector{v})
	if err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint64(values); got != 0x3ff8000000000000 || binary.LittleEndian.Uint64(values[8:]) != 0 || valid[0] != 5 {
		t.Errorf("%x, valid %b", values, valid[0])
	}
}

// TestPlaceStored compares values placed as they are stored with the same values placed from a vector.
func TestPlaceStored(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, most := range []int64{1, 200, 30_000, 1 << 30} {
		for _, n := range []int{1, 63, 128, 500, 3000} {
			v := vec.NewFlat(types.T(types.Int64), n)
			all := map[string]catalog.Stored{"I32": {I32: make([]int32, n)}, "I16": {I16: make([]int16, n)}, "I8": {I8: make([]int8, n)}}
			for i := range n {
				v.I64[i] = r.Int64N(most) - most/2
				all["I32"].I32[i], all["I16"].I16[i], all["I8"].I8[i] = int32(v.I64[i]), int16(v.I64[i]), int8(v.I64[i])
			}
			b := measure(v.I64, nil)
			form := Narrow{Min: b.Min, Max: b.Max, Valid: 1}
			form.Width, form.Bias = Fit(b.Min, b.Max)
			want, bits, err := placedAll(t, v.Type, form, []*vec.Vector{v})
			if err != nil {
				t.Fatal(err)
			}
			for name, stored := range all {
				if most > 200 && name == "I8" || most > 30_000 && name == "I16" {
					continue
				}
				p, values, valid := NewPlacer(v.Type, form), make([]byte, len(want)+7), make([]byte, len(bits))
				if err := p.PlaceStored(values, valid, 0, stored); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(values[:len(want)], want) || !slices.Equal(valid, bits) {
					t.Errorf("%s: %d values up to %d differ", name, n, most)
				}
				narrower := form
				narrower.Max--
				if err := NewPlacer(v.Type, narrower).PlaceStored(values, valid, 0, stored); !errors.Is(err, ErrRange) {
					t.Errorf("%s: %v for a value above the bounds", name, err)
				}
			}
		}
	}
}
