package date

import (
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/cast"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func registerInterval() {
	kernel.Register(
		kernel.Def{Name: expr.FuncDateAdd, Bind: bindDateAdd(1)},
		kernel.Def{Name: expr.FuncDateSub, Bind: bindDateAdd(-1)},
		kernel.Def{Name: expr.FuncTimestampDiff, Bind: bindTimestampDiff, Total: kernel.Always},
	)
}

// The days of 0000-01-01 and 9999-12-31.
var firstDate, lastDate = types.Days(0, 1, 1), types.Days(9999, 12, 31)

// longest exceeds the number of microseconds between any two dates.
const longest = 10000 * 366 * types.Day

// interval is the amount that DATE_ADD adds: months first, then microseconds.
type interval struct{ months, micros int64 }

// unitMicros holds the lengths of the parts from Week on.
var unitMicros = map[expr.Part]int64{
	expr.Week: 7 * types.Day, expr.Day: types.Day, expr.Hour: types.Hour, expr.Minute: types.Minute,
	expr.Second: types.Second, expr.Microsecond: 1,
}

// unitMonths holds the lengths of the parts that consist of months.
var unitMonths = map[expr.Part]int64{expr.Year: 12, expr.Quarter: 3, expr.Month: 1}

func bindDateAdd(sign int64) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		u, err := expr.UnitOf(c.Args[2])
		if err != nil {
			return nil, err
		}
		switch kernel.ArgKind(c, 1) {
		case types.KindStr:
			return addInterval(c, u, func(s string) (interval, bool) { return composite(u, s, sign) }), nil
		case types.KindDec:
			return addInterval(c, u, func(n decimal128.Num) (interval, bool) {
				return interval{micros: sign * int64(n.LowBits())}, dec128.IsInt64(n)
			}), nil
		}
		months, micros := unitMonths[u.First], unitMicros[u.First]
		return addInterval(c, u, func(n int64) (interval, bool) {
			n *= sign
			v := interval{n * months, n * micros}
			return v, micros == 0 && v.months/months == n || micros != 0 && v.micros/micros == n
		}), nil
	}
}

// addInterval returns the kernel for an amount of type A. decode converts the amount; it returns
// false if the amount is not an interval or is too long.
func addInterval[A kernel.Value](c *expr.Call, u expr.Unit, decode func(A) (interval, bool)) kernel.Kernel {
	from, to := c.Args[0].Type(), c.T
	switch {
	case from.IsString():
		return kernel.TryBinary(func(rt *kernel.Runtime, s string, n A) (string, bool, error) {
			us, ok, err := cast.TextTemporal(rt, types.Type{ID: types.Datetime, Prec: 6}, s, s)
			if !ok {
				return "", false, err
			}
			v, ok := decode(n)
			if !ok {
				return "", false, nil
			}
			us, ok = addMicros(rt, us, v)
			return dateText(rt, us, dateOnly(s) && !u.HasClock()), ok, nil
		})
	case to.IsString():
		return kernel.TryBinary(func(rt *kernel.Runtime, us int64, n A) (string, bool, error) {
			v, ok := decode(n)
			if !ok {
				return "", false, nil
			}
			us, ok = addMicros(rt, us, v)
			return dateText(rt, us, !u.HasClock() && us%types.Day == 0), ok, nil
		})
	}
	add := addMicros
	switch to.ID {
	case types.Date:
		add = addDays
	case types.Time:
		add = addTime
	}
	if exact := add; kernel.ArgKind(c, 1) == types.KindDec {
		add = func(rt *kernel.Runtime, us int64, v interval) (int64, bool) {
			us, ok := exact(rt, us, v)
			return cutOff(us, to), ok
		}
	}
	return kernel.TryBinary(func(rt *kernel.Runtime, x int64, n A) (int64, bool, error) {
		v, ok := decode(n)
		if !ok {
			fieldOverflow(rt, "datetime")
			return 0, false, nil
		}
		x, ok = add(rt, x, v)
		return x, ok, nil
	})
}

// cutOff truncates a point in time, or a duration, to the fractional digits of its type.
func cutOff(us int64, t types.Type) int64 {
	if t.ID != types.Datetime && t.ID != types.Time || t.Prec >= 6 {
		return us
	}
	unit := microUnits[t.Prec]
	rest := us % unit
	if rest < 0 && t.ID == types.Datetime {
		rest += unit
	}
	return us - rest
}

// microUnits holds the microseconds of the last of a number of fractional digits.
var microUnits = [...]int64{1e6, 1e5, 1e4, 1e3, 1e2, 10, 1}

// dateOnly reports whether the text of a date has no time of day.
func dateOnly(s string) bool {
	s = strings.TrimSpace(s)
	return !strings.ContainsAny(s, " T:") && (len(s) <= 8 || strings.Trim(s, "0123456789") != "")
}

// dateText formats a DATETIME, with its fraction if that is not zero.
func dateText(rt *kernel.Runtime, us int64, date bool) string {
	switch {
	case date:
		rt.Buf = types.AppendDate(rt.Buf[:0], types.DateOf(us))
	case us%types.Second != 0:
		rt.Buf = types.AppendDatetime(rt.Buf[:0], us, 6)
	default:
		rt.Buf = types.AppendDatetime(rt.Buf[:0], us, 0)
	}
	return rt.Text(rt.Buf)
}

// composite parses the amount of a composite unit: numbers separated by any other characters. If
// there are fewer numbers than parts, the largest parts are missing.
func composite(u expr.Unit, s string, sign int64) (v interval, ok bool) {
	parts := u.Parts()
	s = strings.TrimLeft(s, " \t")
	if strings.HasPrefix(s, "-") {
		sign = -sign
	}
	var numbers []int64
	for len(numbers) < len(parts) {
		s = s[leading(s, false):]
		n := leading(s, true)
		if n == 0 {
			break
		}
		x, err := strconv.ParseInt(s[:n], 10, 64)
		if err != nil {
			return v, false
		}
		if parts[len(numbers)] == expr.Microsecond && n < 6 {
			x *= int64(math.Pow10(6 - n))
		}
		numbers = append(numbers, x)
		s = s[n:]
	}
	if s = s[leading(s, false):]; s != "" {
		return v, false
	}
	for i, x := range numbers {
		p := parts[len(parts)-len(numbers)+i]
		if x > longest/max(unitMicros[p], unitMonths[p]*types.Day) {
			return v, false
		}
		v.months += sign * x * unitMonths[p]
		v.micros += sign * x * unitMicros[p]
	}
	return v, true
}

// leading returns the length of the longest prefix of s that consists only of digits, or only of
// other characters.
func leading(s string, digits bool) int {
	i := 0
	for i < len(s) && (s[i]-'0' <= 9) == digits {
		i++
	}
	return i
}

func fieldOverflow(rt *kernel.Runtime, field string) {
	rt.Warn(sqlerr.DatetimeOverflow, "Datetime function: %s field overflow", field)
}

// addMicros adds to a DATETIME. If the result is outside the years 0 to 9999, it warns (1441) and
// ok is false.
func addMicros(rt *kernel.Runtime, us int64, v interval) (int64, bool) {
	day := types.DateOf(us)
	clock := us - day*types.Day
	day, ok := addMonths(day, v.months)
	us = day*types.Day + clock
	sum := us + v.micros
	if !ok || (sum < us) != (v.micros < 0) || sum < firstDate*types.Day || sum >= (lastDate+1)*types.Day {
		fieldOverflow(rt, "datetime")
		return 0, false
	}
	return sum, true
}

func addDays(rt *kernel.Runtime, day int64, v interval) (int64, bool) {
	day, ok := addMonths(day, v.months)
	day += v.micros / types.Day
	if !ok || day < firstDate || day > lastDate {
		fieldOverflow(rt, "datetime")
		return 0, false
	}
	return day, true
}

func addTime(rt *kernel.Runtime, us int64, v interval) (int64, bool) {
	sum := us + v.micros
	if (sum < us) != (v.micros < 0) || sum > types.MaxTime || sum < -types.MaxTime {
		fieldOverflow(rt, "time")
		return 0, false
	}
	return sum, true
}

// addMonths adds months to a day. In a month that is too short, the result is its last day.
func addMonths(day, months int64) (int64, bool) {
	if months == 0 {
		return day, true
	}
	y, m, d := types.CivilDate(day)
	if months > 120000 || months < -120000 {
		return 0, false
	}
	month := int64(y*12+m-1) + months
	if month < 0 || month >= 120000 {
		return 0, false
	}
	y, m = int(month/12), int(month%12)+1
	return types.Days(y, m, min(d, types.DaysIn(y, m))), true
}

// bindTimestampDiff binds TIMESTAMPDIFF(unit, a, b), the number of whole units from a to b.
func bindTimestampDiff(c *expr.Call) (kernel.Kernel, error) {
	u, err := expr.UnitOf(c.Args[0])
	if err != nil {
		return nil, err
	}
	months, micros := unitMonths[u.First], unitMicros[u.First]
	a, b := microsOf(c.Args[1].Type()), microsOf(c.Args[2].Type())
	return kernel.Ternary(func(_ string, x, y int64) int64 {
		x, y = a(x), b(y)
		if micros > 0 {
			return (y - x) / micros
		}
		return monthsBetween(x, y) / months
	}), nil
}

// monthsBetween returns the number of whole months between the DATETIMEs x and y.
func monthsBetween(x, y int64) int64 {
	if y < x {
		return -monthsBetween(y, x)
	}
	xd, yd := types.DateOf(x), types.DateOf(y)
	x1, x2, x3 := types.CivilDate(xd)
	y1, y2, y3 := types.CivilDate(yd)
	n := int64(y1-x1)*12 + int64(y2-x2)
	if y3 < x3 || y3 == x3 && y-yd*types.Day < x-xd*types.Day {
		n--
	}
	return n
}
