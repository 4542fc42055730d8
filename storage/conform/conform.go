// Package conform checks that vectors fit the columns in which they are to be stored, and
// converts their values to the form in which they are read back.
package conform

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Vector checks a vector for storage in a column and returns it flat, with the values that will
// be read back: decimals at the column's scale, FLOAT rounded to 32 bits. v is not changed but
// may be returned. So may dst, whose buffers are reused; if it is nil, new ones are allocated.
// row0 is the number of v's first row, for errors. Errors: 1048 (NULL), 1264 (range), 1406
// (length), 1815 if the caller has not cast v.
func Vector(col *catalog.Column, v *vec.Vector, row0 int, dst *vec.Vector) (*vec.Vector, error) {
	if v.Type.ID == types.Null {
		v = vec.NewNull(col.Type, v.N)
	}
	if v.Type.Kind() != col.Type.Kind() {
		return nil, sqlerr.Internal("a %s was not cast to %s for column '%s'", v.Type, col.Type, col.Name)
	}
	v = v.Flatten(dst)
	if col.NotNull && v.Null != nil && slices.Contains(v.Null[:v.N], true) {
		return nil, sqlerr.New(sqlerr.BadNull, "Column '%s' cannot be null", col.Name)
	}
	bad := -1
	if col.NotNegative {
		if bad = negative(v); bad >= 0 {
			return nil, outOfRange(col, row0+bad)
		}
	}
	switch col.Type.Kind() {
	case types.KindI64:
		lo, hi := Bounds(col.Type)
		bad = outside(v, lo, hi)
	case types.KindU64:
		bad = outsideUnsigned(v, math.MaxUint64>>(64-col.Type.Bits()))
		if col.Width > 0 {
			if i := outsideUnsigned(v, math.MaxUint64>>(64-col.Width)); i >= 0 {
				return nil, DataTooLong(col, row0+i)
			}
		}
	case types.KindF64:
		v, bad = floats(col.Type, v)
	case types.KindDec:
		v, bad = decimals(col.Type, v)
	case types.KindStr:
		if i := tooLong(col.Type, v); i >= 0 {
			return nil, DataTooLong(col, row0+i)
		}
	}
	if bad >= 0 {
		return nil, outOfRange(col, row0+bad)
	}
	return v, nil
}

// outOfRange returns error 1264 for row, counted from 0.
func outOfRange(col *catalog.Column, row int) error {
	return sqlerr.New(sqlerr.WarnDataOutOfRange, "Out of range value for column '%s' at row %d", col.Name, row+1)
}

// negative returns the index of a number below zero, or -1.
func negative(v *vec.Vector) int {
	for i := range v.N {
		if v.Null != nil && v.Null[i] {
			continue
		}
		if v.F64 != nil && v.F64[i] < 0 || v.Dec != nil && v.Dec[i].Sign() < 0 {
			return i
		}
	}
	return -1
}

// DataTooLong returns error 1406 for row, counted from 0.
func DataTooLong(col *catalog.Column, row int) error {
	return sqlerr.New(sqlerr.DataTooLong, "Data too long for column '%s' at row %d", col.Name, row+1)
}

// Bounds returns the range of values that a column of KindI64 can store.
func Bounds(t types.Type) (lo, hi int64) {
	switch t.ID {
	case types.Bool:
		return 0, 1
	case types.Year:
		return 0, 2155
	}
	shift := 64 - t.Bits()
	return math.MinInt64 >> shift, math.MaxInt64 >> shift
}

func outside(v *vec.Vector, lo, hi int64) int {
	if lo == math.MinInt64 && hi == math.MaxInt64 {
		return -1
	}
	for i, x := range v.I64[:v.N] {
		if (x < lo || x > hi) && !(v.Null != nil && v.Null[i]) {
			return i
		}
	}
	return -1
}

func outsideUnsigned(v *vec.Vector, hi uint64) int {
	if hi == math.MaxUint64 {
		return -1
	}
	for i, x := range v.I64[:v.N] {
		if uint64(x) > hi && !(v.Null != nil && v.Null[i]) {
			return i
		}
	}
	return -1
}

func floats(t types.Type, v *vec.Vector) (*vec.Vector, int) {
	if t.ID == types.Float64 {
		return v, -1
	}
	out := *v
	out.F64 = make([]float64, v.N)
	for i, x := range v.F64[:v.N] {
		if math.Abs(x) > math.MaxFloat32 && !(v.Null != nil && v.Null[i]) {
			return v, i
		}
		out.F64[i] = float64(float32(x))
	}
	return &out, -1
}

// decimals rescales values to the column's scale, rounding half away from zero. It also returns
// the index of a value that does not fit, or -1.
func decimals(t types.Type, v *vec.Vector) (*vec.Vector, int) {
	from, to := int(v.Type.Scale), int(t.Scale)
	limit := decimal128.GetScaleMultiplier(int(t.Prec))
	out := *v
	if from != to {
		out.Dec = make([]decimal128.Num, v.N)
	}
	for i, x := range v.Dec[:v.N] {
		if v.Null != nil && v.Null[i] {
			continue
		}
		ok := true
		if from != to {
			x, ok = dec128.Rescale(x, from, to)
			out.Dec[i] = x
		}
		if !ok || x.Abs().Cmp(limit) >= 0 {
			return v, i
		}
	}
	return &out, -1
}

// tooLong returns the index of a value longer than the column allows, or -1: in characters for
// text, in bytes for binary strings.
func tooLong(t types.Type, v *vec.Vector) int {
	if t.Len == 0 {
		return -1
	}
	for i, s := range v.Str[:v.N] {
		if Longer(t, s) && !(v.Null != nil && v.Null[i]) {
			return i
		}
	}
	return -1
}

// Longer reports whether s has more characters than t allows, or bytes if t is binary.
func Longer(t types.Type, s string) bool {
	return t.Len > 0 && len(s) > int(t.Len) && (t.ID == types.Bytes || utf8.RuneCountInString(s) > int(t.Len))
}
