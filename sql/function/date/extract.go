package date

import (
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
)

func registerExtract() {
	kernel.Register(kernel.Def{Name: expr.FuncExtract, Bind: bindExtract, Total: kernel.Always})
}

// dateParts are the parts that depend on the day.
var dateParts = [expr.Microsecond + 1]func(days int64) int64{
	expr.Year: kernel.YearOf, expr.Quarter: quarterOf, expr.Month: monthOf, expr.Day: dayOf,
	expr.Week: func(days int64) int64 { return week(days, 0) },
}

// bindExtract binds EXTRACT(unit, x). It concatenates the digits of a composite unit's parts: two
// digits for each, six for microseconds.
func bindExtract(c *expr.Call) (kernel.Kernel, error) {
	u, err := expr.UnitOf(c.Args[0])
	if err != nil {
		return nil, err
	}
	t := c.Args[1].Type()
	if f := dateParts[u.First]; f != nil && !u.Composite() && t.ID != types.Time {
		return kernel.ByDay(1, t, kernel.OfDay(f)), nil
	}
	if f := clockParts[u.First]; f != nil && !u.Composite() && t.ID != types.Time && t.ID != types.Date {
		return byClock(1, f), nil
	}
	parts := u.Parts()
	micros := microsOf(t)
	return kernel.Binary(func(_ string, x int64) int64 {
		x = micros(x)
		day, clock, sign := int64(0), x, int64(1)
		if t.ID != types.Time {
			day = types.DateOf(x)
			clock = x - day*types.Day
		} else if x < 0 {
			clock, sign = -x, -1
		}
		n := int64(0)
		for _, p := range parts {
			n = n*100 + partOf(p, day, clock, t)
			if p == expr.Microsecond {
				n = (n-clock%types.Second)*1e4 + clock%types.Second
			}
		}
		return sign * n
	}), nil
}

// partOf returns one part of a date and a time of day. A TIME has no day.
func partOf(p expr.Part, day, clock int64, t types.Type) int64 {
	if f := clockParts[p]; f != nil {
		return f(clock)
	}
	if t.ID == types.Time {
		return 0
	}
	return dateParts[p](day)
}
