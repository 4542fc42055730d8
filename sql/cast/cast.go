// Package cast implements the kernels that convert values between types: CAST, implicit
// conversions in expressions, and the stricter conversions of values stored in columns.
package cast

import (
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerCast() {
	kernel.Register(kernel.Def{Name: expr.FuncCast, Bind: bindCast, Total: castTotal, Narrow: castNarrow})
}

func bindCast(c *expr.Call) (kernel.Kernel, error) {
	from, to := c.Args[0].Type(), c.T
	if from.ID == types.Null {
		return func(rt *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
			kernel.SetAllNull(out, nil)
			return nil
		}, nil
	}
	var k kernel.Kernel
	if from.ID == types.JSON && !to.IsString() {
		from = types.T(types.String)
	}
	switch {
	case to.ID == types.JSON:
		return castJSON(c)
	case to.IsTemporal():
		k = castTemporal(from, to)
	case to.HasMembers():
		k = castMember(from, to)
	case to.Kind() == types.KindStr:
		k = castStr(from, to, c.Fn == expr.FuncCast)
	case to.Kind() == types.KindDec:
		k = castDec(from, to, c.Fn == expr.FuncCast)
	case to.Kind() == types.KindF64:
		k = castFloat(from, to)
	case to.ID == types.Year:
		k = castYear(from)
	case to.IsInteger():
		k = castInt(from, to, c.Fn == expr.FuncCast)
	}
	if k == nil {
		return nil, sqlerr.Unsupported(c.Pos, "CAST of %s to %s", from, to)
	}
	if c.Args[0].Type().ID == types.JSON && !to.IsString() {
		k = castFromJSON(to, k)
	}
	return k, nil
}

// castNarrow reports whether the kernel of a conversion takes Narrow decimals.
func castNarrow(c *expr.Call) bool {
	text := c.T.Kind() == types.KindStr && c.T.ID != types.JSON && !c.T.HasMembers()
	return kernel.OfDecimal(c) && (text || c.T.Kind() == types.KindDec || c.T.Kind() == types.KindF64 || c.T.IsInteger() && c.T.ID != types.Year)
}

// castTotal reports whether a conversion neither fails nor warns for any value.
func castTotal(c *expr.Call) bool {
	from, to := c.Args[0].Type(), c.T
	switch {
	case from.ID == types.Null || SameValues(from, to):
		return true
	case to.IsString():
		return to.Len == 0 && to.ID != types.JSON && !to.HasMembers() && (from.ID != types.Bytes || to.ID == types.Bytes)
	case from.IsString():
		return false
	case to.ID == types.Float64:
		return true
	case to.ID == types.Decimal && from.ID == types.Decimal:
		return to.Prec-to.Scale >= from.Prec-from.Scale && to.Scale >= from.Scale
	case to.ID == types.Decimal && from.IsInteger():
		return int(to.Prec-to.Scale) >= int(expr.DecimalOf(from).Prec)
	case to.IsTemporal() && from.IsTemporal():
		return from.ID == types.Date || to.ID == types.Date && from.ID != types.Time
	}
	return (to.ID == types.Int64 || to.ID == types.Uint64) && from.IsInteger()
}

// numberOf returns a conversion of temporal values to the number that MySQL reads them as:
// 20200131 for a date, 20200131235959 for a date and time, 235959 for a time. The conversion
// returns the whole part and the microseconds.
func numberOf(t types.Type) func(int64) (whole, micros int64) {
	switch t.ID {
	case types.Date:
		return func(x int64) (int64, int64) { return dateNumber(x), 0 }
	case types.Time:
		return func(x int64) (int64, int64) {
			if x < 0 {
				return -clockNumber(-x), x % types.Second
			}
			return clockNumber(x), x % types.Second
		}
	case types.Datetime, types.Timestamp:
		return func(x int64) (int64, int64) {
			day := types.DateOf(x)
			rest := x - day*types.Day
			return dateNumber(day)*1_000_000 + clockNumber(rest), rest % types.Second
		}
	}
	return func(x int64) (int64, int64) { return x, 0 }
}

func dateNumber(days int64) int64 {
	y, m, d := types.CivilDate(days)
	return int64(y*10000 + m*100 + d)
}

func clockNumber(us int64) int64 {
	return us/types.Hour*10000 + us%types.Hour/types.Minute*100 + us%types.Minute/types.Second
}
