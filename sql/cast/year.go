package cast

import (
	"math"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/kernel"
	"gsql/sql/types"
)

// castYear converts to YEAR: numbers by types.WholeYear, points in time to their year. Invalid
// years become NULL with warning 1292.
func castYear(from types.Type) kernel.Kernel {
	year := func(rt *kernel.Runtime, n int64, text string, short bool) (int64, bool, error) {
		y, ok := types.WholeYear(n, short)
		if !ok {
			rt.Truncated("YEAR", text)
		}
		return y, ok, nil
	}
	number := func(rt *kernel.Runtime, n int64) (int64, bool, error) {
		return year(rt, n, strconv.FormatInt(n, 10), false)
	}
	switch {
	case from.IsTemporal():
		return kernel.TryUnary(func(rt *kernel.Runtime, x int64) (int64, bool, error) {
			switch from.ID {
			case types.Time:
				x = today(rt)
			case types.Datetime, types.Timestamp:
				x = types.DateOf(x)
			}
			return number(rt, kernel.YearOf(x))
		})
	case from.Kind() == types.KindF64:
		return kernel.TryUnary(func(rt *kernel.Runtime, f float64) (int64, bool, error) {
			return number(rt, int64(math.RoundToEven(max(min(f, math.MaxInt32), -1))))
		})
	case from.Kind() == types.KindDec:
		scale := int(from.Scale)
		return kernel.TryUnary(func(rt *kernel.Runtime, n decimal128.Num) (int64, bool, error) {
			r := dec128.Down(n, scale)
			if !dec128.IsInt64(r) {
				r = decimal128.FromI64(-1)
			}
			return number(rt, int64(r.LowBits()))
		})
	case from.Kind() == types.KindStr:
		return kernel.TryUnary(func(rt *kernel.Runtime, s string) (int64, bool, error) {
			u, neg, clean := types.PrefixInt(s)
			if !clean {
				rt.Truncated("YEAR", s)
				return 0, false, nil
			}
			if neg || u > math.MaxInt32 {
				u = math.MaxInt32
			}
			return year(rt, int64(u), s, len(s) != len("0000"))
		})
	}
	return kernel.TryUnary(number)
}
