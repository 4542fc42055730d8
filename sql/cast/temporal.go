package cast

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/timezone"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// castTemporal converts to DATE, DATETIME, TIMESTAMP or TIME. Invalid values become NULL with
// warning 1292.
func castTemporal(from, to types.Type) kernel.Kernel {
	switch {
	case from.IsTemporal():
		return betweenTemporal(from, to)
	case from.IsString():
		return kernel.TryUnary(func(rt *kernel.Runtime, s string) (int64, bool, error) {
			return TextTemporal(rt, to, s, s)
		})
	case from.Kind() == types.KindDec:
		scale := int(from.Scale)
		return kernel.TryUnary(func(rt *kernel.Runtime, n decimal128.Num) (int64, bool, error) {
			return numberTemporal(rt, to, n, scale)
		})
	case from.Kind() == types.KindF64:
		return kernel.TryUnary(func(rt *kernel.Runtime, f float64) (int64, bool, error) {
			n, ok := dec128.FromFloat(f, 6)
			if !ok {
				n = dec128.Max(dec128.MaxDigits)
			}
			return numberTemporal(rt, to, n, 6)
		})
	case from.Kind() == types.KindU64:
		return kernel.TryUnary(func(rt *kernel.Runtime, x uint64) (int64, bool, error) {
			return numberTemporal(rt, to, decimal128.FromU64(x), 0)
		})
	}
	return kernel.TryUnary(func(rt *kernel.Runtime, x int64) (int64, bool, error) {
		return numberTemporal(rt, to, decimal128.FromI64(x), 0)
	})
}

func betweenTemporal(from, to types.Type) kernel.Kernel {
	round := types.RoundTo(to)
	switch {
	case from.ID == types.Date && to.ID == types.Time:
		return kernel.Unary(func(int64) int64 { return 0 })
	case from.ID == types.Date:
		return kernel.Unary(func(days int64) int64 { return days * types.Day })
	case from.ID == types.Time && to.ID == types.Time:
		return kernel.Unary(round)
	case from.ID == types.Time:
		return kernel.TryUnary(func(rt *kernel.Runtime, us int64) (int64, bool, error) {
			us += today(rt) * types.Day
			if to.ID == types.Date {
				return types.DateOf(us), true, nil
			}
			return round(us), true, nil
		})
	case to.ID == types.Date:
		return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
			copy(out.I64, rt.DaysOf(args[0], from, len(out.I64)))
			return nil
		}
	case to.ID == types.Time:
		return kernel.Unary(func(us int64) int64 { return round(us - types.DateOf(us)*types.Day) })
	}
	return kernel.Unary(round)
}

// today returns the current date in days. Without a session it sets Tripped, which prevents
// constant folding.
func today(rt *kernel.Runtime) int64 {
	if rt.Env == nil {
		rt.Tripped = true
		return 0
	}
	return types.DateOf(timezone.Local(rt.Env.Now(), rt.Zone()))
}

// TextTemporal parses s; shown is the text that a warning quotes.
func TextTemporal(rt *kernel.Runtime, to types.Type, s, shown string) (int64, bool, error) {
	if to.ID == types.Time {
		us, clean, ok := types.ParseTime(s)
		if !clean || !ok {
			rt.Warn(sqlerr.TruncatedWrongValue, "Truncated incorrect time value: '%s'", shown)
		}
		return types.RoundTo(to)(us), ok, nil
	}
	us, clean, ok := types.ParseDatetime(s)
	switch {
	case !ok:
		rt.Warn(sqlerr.TruncatedWrongValue, "Incorrect datetime value: '%s'", shown)
		return 0, false, nil
	case !clean:
		rt.Warn(sqlerr.TruncatedWrongValue, "Truncated incorrect datetime value: '%s'", shown)
	}
	if to.ID == types.Date {
		return types.DateOf(us), true, nil
	}
	return types.RoundTo(to)(us), true, nil
}

// numberTemporal parses a number such as 20200131 or 235959.25.
func numberTemporal(rt *kernel.Runtime, to types.Type, n decimal128.Num, scale int) (int64, bool, error) {
	shown := string(types.AppendDecimal(nil, n, scale))
	whole := dec128.Trunc(n, scale)
	if !dec128.IsInt64(whole) {
		return TextTemporal(rt, to, "", shown)
	}
	x := int64(whole.LowBits())
	frac := shown[len(strconv.FormatInt(x, 10)):]
	if x == 0 && n.Sign() < 0 {
		frac = shown[2:]
	}
	if to.ID == types.Time && x < 1e10 && x > -1e10 {
		return TextTemporal(rt, to, strconv.FormatInt(x, 10)+frac, shown)
	}
	width := 14
	switch {
	case x < 101:
		return TextTemporal(rt, to, "", shown)
	case x <= 991231:
		width = 6
	case x <= 99991231:
		width = 8
	case x <= 991231235959:
		width = 12
	}
	return TextTemporal(rt, to, fmt.Sprintf("%0*d", width, x)+frac, shown)
}
