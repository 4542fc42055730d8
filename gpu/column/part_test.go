package column_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/gpu/column"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func room(n int) ([]uint64, error) { return slices.Repeat([]uint64{0xABABABABABABABAB}, n), nil }

func free(int64) error { return nil }

// pack packs vectors as parts of one column and returns its rows as values, nil for NULL, read in
// two pieces of which the first has cut rows.
func pack(t *testing.T, cut int, vs ...*vec.Vector) (*column.Layout, []*int64) {
	t.Helper()
	p := column.NewPacker(vs[0].Type, room, free)
	var parts []column.Part
	for _, v := range vs {
		part, err := p.Pack(v)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	var l *column.Layout
	if p.Texts == nil {
		l = column.NewLayout(vs[0].Type.Kind() == types.KindF64, parts, nil, nil)
	} else {
		if err := p.Texts.Sort(); err != nil {
			t.Fatal(err)
		}
		d, codes, err := column.Unite([]*column.Texts{p.Texts}, free)
		if err != nil {
			t.Fatal(err)
		}
		l = column.NewLayout(false, parts, d, slices.Repeat(codes, len(parts)))
	}
	values, valid := make([]byte, l.ValueBytes()), make([]byte, l.ValidBytes())
	cut = min(cut/64*64, int(l.Rows)/64*64)
	l.Values(values[:cut*l.Width], 0)
	l.Values(values[cut*l.Width:], int64(cut))
	l.ValidBits(valid[:cut/8], 0)
	l.ValidBits(valid[cut/8:], int64(cut))
	rows := make([]*int64, l.Rows)
	for i := range rows {
		stored := big.NewInt(0)
		for b := range l.Width {
			stored.Add(stored, new(big.Int).Lsh(big.NewInt(int64(values[i*l.Width+b])), uint(8*b)))
		}
		if l.Width == 8 {
			stored.SetInt64(int64(stored.Uint64()))
		}
		if valid[i/8]>>(i%8)&1 == 0 {
			if stored.Sign() != 0 {
				t.Fatalf("row %d: NULL is stored as %v", i, stored)
			}
			continue
		}
		x := stored.Add(stored, big.NewInt(l.Bias)).Int64()
		rows[i] = &x
	}
	for _, b := range values[int(l.Rows)*l.Width:] {
		if b != 0 {
			t.Fatal("padding is not 0")
		}
	}
	return l, rows
}

// TestWidths packs the least and the greatest value of each width at each end of int64.
func TestWidths(t *testing.T) {
	for _, test := range []struct {
		least, most int64
		width       int
		bias        int64
	}{
		{0, 0, 1, 0}, {0, 255, 1, 0}, {0, 256, 2, 0}, {-1, 254, 1, -1}, {-1, 255, 2, -1},
		{250, 260, 1, 250}, {7, 256, 1, 7}, {1, 257, 2, 0}, {0, 65535, 2, 0}, {1, 65536, 2, 1}, {0, 65536, 4, 0},
		{5, math.MaxUint32, 4, 0}, {-1, math.MaxUint32, 8, 0}, {1, 1 << 32, 4, 1},
		{math.MinInt64, math.MinInt64 + 255, 1, math.MinInt64}, {math.MinInt64, math.MinInt64 + 65535, 2, math.MinInt64},
		{math.MaxInt64 - math.MaxUint32, math.MaxInt64, 4, math.MaxInt64 - math.MaxUint32},
		{math.MinInt64, math.MaxInt64, 8, 0}, {math.MaxInt64, math.MaxInt64, 1, math.MaxInt64},
	} {
		width, bias := column.Fit(test.least, test.most)
		if width != test.width || bias != test.bias {
			t.Errorf("%d to %d: width %d, bias %d, want %d, %d", test.least, test.most, width, bias, test.width, test.bias)
		}
		v := vec.NewFlat(types.T(types.Int64), 130)
		for i := range v.I64 {
			v.I64[i] = []int64{test.least, test.most}[i%2]
		}
		for _, nulls := range []bool{false, true} {
			if nulls {
				v.SetNull(0)
				v.SetNull(129)
			}
			l, rows := pack(t, 64, v)
			same(t, fmt.Sprint(test), rows, v)
			if l.Width != width || l.Bias != bias || l.Min != test.least || l.Max != test.most {
				t.Errorf("%d to %d: %+v", test.least, test.most, l.Narrow)
			}
		}
	}
}

// same compares rows with vectors of 64-bit integers.
func same(t *testing.T, what string, rows []*int64, vs ...*vec.Vector) {
	t.Helper()
	at := 0
	for _, v := range vs {
		for i := range v.N {
			d := catalog.DatumAt(v, i)
			if (rows[at] == nil) != d.Null || !d.Null && *rows[at] != d.I64 {
				t.Fatalf("%s, row %d: %v, want %s", what, at, rows[at], d.Text())
			}
			at++
		}
	}
	if at != len(rows) {
		t.Fatalf("%s: %d rows, want %d", what, len(rows), at)
	}
}

// TestPartsOfManyForms lays out flat, constant and view vectors with other widths and biases.
func TestPartsOfManyForms(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	typ := types.T(types.Int64)
	for range 300 {
		var vs []*vec.Vector
		for range 1 + r.IntN(6) {
			n := 1 + r.IntN(150)
			base := vec.NewFlat(typ, n)
			shift := r.IntN(64)
			for i := range base.I64 {
				base.I64[i] = int64(r.Uint64()) >> shift
				if r.IntN(9) == 0 {
					base.SetNull(i)
				}
			}
			idx := make([]int32, 1+r.IntN(200))
			for i := range idx {
				idx[i] = r.Int32N(int32(n)+1) - 1
			}
			vs = append(vs, []*vec.Vector{
				base, {Type: typ, Form: vec.View, N: len(idx), Base: base, Idx: idx},
				{Type: typ, Form: vec.Const, N: n, I64: []int64{int64(shift)}}, vec.NewNull(typ, n),
			}[r.IntN(4)])
		}
		_, rows := pack(t, r.IntN(700), vs...)
		same(t, "forms", rows, vs...)
	}
}

// TestDecimals packs wide and narrow decimals and refuses those beyond 64 bits.
func TestDecimals(t *testing.T) {
	v := vec.NewFlat(types.Dec(38, 4), 3)
	v.Dec[0], v.Dec[1] = decimal128.FromI64(math.MinInt64), decimal128.FromI64(math.MaxInt64)
	v.Dec[2] = decimal128.FromBigInt(new(big.Int).Lsh(big.NewInt(1), 63))
	v.SetNull(2)
	if _, rows := pack(t, 0, v); *rows[0] != math.MinInt64 || *rows[1] != math.MaxInt64 || rows[2] != nil {
		t.Errorf("%v", rows)
	}
	for _, beyond := range []*big.Int{new(big.Int).Lsh(big.NewInt(1), 63), new(big.Int).Lsh(big.NewInt(-1), 64)} {
		v.Null, v.Dec[2] = nil, decimal128.FromBigInt(beyond)
		_, err := column.NewPacker(v.Type, room, free).Pack(v)
		refused(t, err, "values of more than 18 digits")
	}
	narrow := &vec.Vector{Type: types.Dec(18, 2), N: 2, I64: []int64{-5, 999999999999999999}, Narrow: true}
	view := &vec.Vector{Type: narrow.Type, Form: vec.View, N: 3, Base: narrow, Idx: []int32{1, -1, 0}}
	if _, rows := pack(t, 0, narrow, view); *rows[0] != -5 || *rows[2] != 999999999999999999 || rows[3] != nil || *rows[4] != -5 {
		t.Errorf("%v", rows)
	}
}

func refused(t *testing.T, err error, why string) {
	t.Helper()
	var r column.Refusal
	if !errors.As(err, &r) || string(r) != why {
		t.Errorf("error %v, want %q", err, why)
	}
}

func TestRefusals(t *testing.T) {
	v := vec.NewFlat(types.T(types.Uint64), 2)
	v.I64[1] = math.MinInt64
	_, err := column.NewPacker(v.Type, room, free).Pack(v)
	refused(t, err, "unsigned values beyond the range of BIGINT")
	for id, name := range map[types.ID]string{types.JSON: "JSON", types.Enum: "ENUM", types.Set: "SET", types.Null: "NULL"} {
		refused(t, column.Narrowable(types.T(id)), "values of type "+name)
	}
	for _, id := range []types.ID{types.Bool, types.Int64, types.Uint64, types.Float32, types.Decimal, types.String, types.Bytes, types.Time} {
		if err := column.Narrowable(types.T(id)); err != nil {
			t.Errorf("%s: %v", types.T(id), err)
		}
	}
}

// TestFloats keeps negative zeros and the bits of NaNs.
func TestFloats(t *testing.T) {
	v := vec.NewFlat(types.T(types.Float32), 4)
	odd := math.Float64frombits(0x7FF8000000000123)
	v.F64[0], v.F64[1], v.F64[2], v.F64[3] = math.Copysign(0, -1), odd, math.Inf(-1), 7
	v.SetNull(3)
	l, rows := pack(t, 0, v, &vec.Vector{Type: v.Type, Form: vec.Const, N: 2, F64: []float64{0.5}})
	for i, x := range []float64{math.Copysign(0, -1), odd, math.Inf(-1)} {
		if uint64(*rows[i]) != math.Float64bits(x) {
			t.Errorf("row %d: %x", i, *rows[i])
		}
	}
	if !l.Float || l.Width != 8 || rows[3] != nil || uint64(*rows[5]) != math.Float64bits(0.5) {
		t.Errorf("%+v, %v", l.Narrow, rows)
	}
}
