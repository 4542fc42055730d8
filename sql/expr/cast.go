package expr

import (
	"strconv"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// Cast converts e to t as CAST(e AS t) does. It returns e itself if e has that type, a literal if e
// is a literal and the conversion is exact, and a "cast" call otherwise.
func Cast(e Expr, t types.Type) Expr {
	from := e.Type()
	if from == t || t.ID == types.Null {
		return e
	}
	if t.IsNumeric() && from.HasMembers() {
		return Cast(MemberNumber(e), t)
	}
	if t.IsNumeric() && IsHex(e) {
		return Cast(HexNumber(e), t)
	}
	if c, ok := e.(*Const); ok {
		if d, ok := castLiteral(c.Value, t); ok {
			return &Const{Value: d}
		}
	}
	if from.Carries() && !t.IsNumeric() {
		e = Shown(e)
	}
	if q := DirectQuotient(e, t); q != nil {
		return q
	}
	return &Call{Fn: FuncCast, Args: []Expr{e}, T: t, Pos: -1}
}

// coerce is Cast for arguments of functions. It ignores differences that do not affect the
// computation: INT and BIGINT, CHAR(3) and TEXT.
func coerce(e Expr, want types.Type) Expr {
	if want.ID == types.Null || alike(e.Type(), want) {
		return e
	}
	if p, ok := e.(*Placeholder); ok {
		if q := p.as(want); q != nil {
			return q
		}
	}
	return Cast(e, want)
}

// alike reports whether functions compute with values of type a as with values of type b.
func alike(a, b types.Type) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case types.KindDec:
		return a.Scale == b.Scale && a.Prec <= b.Prec
	case types.KindI64:
		return a.IsTemporal() == b.IsTemporal() && (!a.IsTemporal() || clock(a.ID) == clock(b.ID))
	case types.KindStr:
		return (b.ID != types.JSON || a.ID == types.JSON) && (b.Len == 0 || a.Len > 0 && a.Len <= b.Len)
	}
	return true
}

// clock maps DATETIME and TIMESTAMP, which have the same values, to one ID.
func clock(id types.ID) types.ID {
	if id == types.Timestamp {
		return types.Datetime
	}
	return id
}

// castLiteral converts literals if the result needs neither rounding nor a check.
func castLiteral(d catalog.Datum, t types.Type) (catalog.Datum, bool) {
	if d.Null || d.Type.ID == types.Null {
		return catalog.NullOf(t), true
	}
	if d.Type.ID == types.Decimal {
		return castDecimal(d, t)
	}
	if !d.Type.IsInteger() || d.Type.Kind() != types.KindI64 {
		return d, false
	}
	out := catalog.Datum{Type: t}
	switch t.Kind() {
	case types.KindI64:
		lo, hi := IntRange(t)
		out.I64 = d.I64
		return out, t.IsInteger() && (t.ID != types.Year || d.I64 > 1900) && d.I64 >= lo && d.I64 <= int64(hi)
	case types.KindU64:
		_, hi := IntRange(t)
		out.I64 = d.I64
		return out, d.I64 >= 0 && uint64(d.I64) <= hi
	case types.KindF64:
		out.F64 = float64(d.I64)
		return out, t.ID == types.Float64 && int64(out.F64) == d.I64 && d.I64 < 1<<53 && d.I64 > -1<<53
	case types.KindDec:
		out.Dec = decimal128.FromI64(d.I64)
		digits := len(strconv.FormatUint(magnitude(d.I64), 10))
		if digits+int(t.Scale) > int(t.Prec) {
			return out, false
		}
		if t.Scale > 0 {
			out.Dec = out.Dec.IncreaseScaleBy(int32(t.Scale))
		}
		return out, true
	}
	return d, false
}

// castDecimal converts to DOUBLE and to decimals that hold all digits.
func castDecimal(d catalog.Datum, t types.Type) (catalog.Datum, bool) {
	out, from := catalog.Datum{Type: t}, d.Type
	switch {
	case t.ID == types.Float64:
		out.F64 = dec128.Float64(d.Dec, int(from.Scale))
		return out, true
	case t.ID == types.Decimal && t.Scale >= from.Scale && t.Prec-t.Scale >= from.Prec-from.Scale:
		out.Dec = d.Dec
		if t.Scale > from.Scale {
			out.Dec = d.Dec.IncreaseScaleBy(int32(t.Scale - from.Scale))
		}
		return out, true
	}
	return d, false
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}
