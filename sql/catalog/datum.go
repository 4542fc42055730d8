package catalog

import (
	"strconv"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// Text writes the value as a result set shows it; NULL is "NULL".
func (d Datum) Text() string { return string(d.AppendText(nil)) }

// AppendText appends what Text gives.
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

// Put writes d, which has the kind of v or is NULL, to slot i of a flat vector.
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

// DatumAt reads row i of v. Strings share v's memory.
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
		d.Dec = b.Dec[s]
	case types.KindStr:
		d.Str = b.Str[s]
	}
	return d
}

// Vector gives a constant vector of n rows of d.
func (d Datum) Vector(n int) *vec.Vector {
	if d.Null || d.Type.ID == types.Null {
		return vec.NewNull(d.Type, n)
	}
	v := vec.NewFlat(d.Type, 1)
	switch d.Type.Kind() {
	case types.KindI64, types.KindU64:
		v.I64[0] = d.I64
	case types.KindF64:
		v.F64[0] = d.F64
	case types.KindDec:
		v.Dec[0] = d.Dec
	case types.KindStr:
		v.Str[0] = d.Str
	}
	v.Form, v.N = vec.Const, n
	return v
}

// Int makes a BIGINT datum.
func Int(x int64) Datum { return Datum{Type: types.T(types.Int64), I64: x} }

// Str makes a VARCHAR datum.
func Str(s string) Datum { return Datum{Type: types.T(types.String), Str: s} }

// NullOf makes a NULL of type t.
func NullOf(t types.Type) Datum { return Datum{Type: t, Null: true} }
