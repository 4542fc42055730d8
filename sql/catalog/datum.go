package catalog

import (
	"strconv"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// Text formats the value as a result set shows it; NULL is "NULL".
func (d Datum) Text() string { return string(d.AppendText(nil)) }

// AppendText appends the result of Text to dst.
func (d Datum) AppendText(dst []byte) []byte {
	if d.Null {
		return append(dst, "NULL"...)
	}
	switch d.Type.Kind() {
	case types.KindI64:
		return types.AppendI64(dst, d.Type, d.I64)
	case types.KindU64:
		return strconv.AppendUint(dst, uint64(d.I64), 10)
	case types.KindF64:
		return types.AppendFloat(dst, d.F64, d.Type.Bits())
	case types.KindDec:
		return types.AppendDecimal(dst, d.Dec, int(d.Type.Scale))
	case types.KindStr:
		return append(dst, d.Str...)
	}
	return append(dst, "NULL"...)
}

// Put stores d, which has the kind of v or is NULL, in slot i of a flat vector.
func (d Datum) Put(v *vec.Vector, i int) {
	if d.Null || d.Type.ID == types.Null {
		v.SetNull(i)
		return
	}
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		v.I64[i] = d.I64
	case types.KindF64:
		v.F64[i] = d.F64
	case types.KindDec:
		v.Dec[i] = d.Dec
	case types.KindStr:
		v.Str[i] = d.Str
	}
}

// DatumAt returns row i of v. Strings share v's memory.
func DatumAt(v *vec.Vector, i int) Datum {
	d := Datum{Type: v.Type}
	b, s := v.Slot(i)
	if s < 0 || v.Type.ID == types.Null || b.Null != nil && b.Null[s] {
		d.Null = true
		return d
	}
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		d.I64 = b.I64[s]
	case types.KindF64:
		d.F64 = b.F64[s]
	case types.KindDec:
		if b.Narrow {
			d.Dec = decimal128.FromI64(b.I64[s])
		} else {
			d.Dec = b.Dec[s]
		}
	case types.KindStr:
		d.Str = b.Str[s]
	}
	return d
}

// Vector returns a constant vector with n rows of value d.
func (d Datum) Vector(n int) *vec.Vector {
	if d.Null || d.Type.ID == types.Null {
		return vec.NewNull(d.Type, n)
	}
	switch d.Type.Kind() {
	case types.KindI64, types.KindU64:
		v, at := constant[int64](d.Type, n)
		at[0], v.I64 = d.I64, at
		return v
	case types.KindF64:
		v, at := constant[float64](d.Type, n)
		at[0], v.F64 = d.F64, at
		return v
	case types.KindDec:
		v, at := constant[decimal128.Num](d.Type, n)
		at[0], v.Dec = d.Dec, at
		return v
	case types.KindStr:
		v, at := constant[string](d.Type, n)
		at[0], v.Str = d.Str, at
		return v
	}
	return &vec.Vector{Type: d.Type, Form: vec.Const, N: n}
}

// constant allocates a constant vector and the memory of its slot together.
func constant[T any](t types.Type, n int) (*vec.Vector, []T) {
	c := &struct {
		v    vec.Vector
		slot [1]T
	}{}
	c.v.Type, c.v.Form, c.v.N = t, vec.Const, n
	return &c.v, c.slot[:]
}

// Int returns a BIGINT datum.
func Int(x int64) Datum { return Datum{Type: types.T(types.Int64), I64: x} }

// Str returns a VARCHAR datum.
func Str(s string) Datum { return Datum{Type: types.T(types.String), Str: s} }

// NullOf returns a NULL of type t.
func NullOf(t types.Type) Datum { return Datum{Type: t, Null: true} }
