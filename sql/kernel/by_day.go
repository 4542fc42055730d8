package kernel

import (
	"sync/atomic"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// If the days of a batch are close together, their results are looked up in a table, which is
// faster to make than calling the function for each row.
const (
	maxTabledDays = 1 << 15
	daysPerRow    = 2 // days of a table per row of the batch
)

// tabledDays holds the results of a function for the days from lo on.
type tabledDays[R int64 | string] struct {
	Lo     int64
	Values []R
}

// ByDay returns a kernel for a function of the day of argument arg, a DATE or DATETIME. The other
// arguments are constants that f contains. Evaluators share the most recent table.
func ByDay[R int64 | string](arg int, t types.Type, f func(rt *Runtime, days int64) R) Kernel {
	tables := &DayTables[R]{F: f}
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		r := Values[R](out)
		days := rt.DaysOf(args[arg], t, len(r))
		table := tables.Of(rt, days)
		if table == nil {
			for i, d := range days {
				r[i] = f(rt, d)
			}
			return nil
		}
		for i, d := range days {
			r[i] = table.Values[d-table.Lo]
		}
		return nil
	}
}

// DaysOf returns the days of n values of a DATE or DATETIME.
func (rt *Runtime) DaysOf(v *vec.Vector, t types.Type, n int) []int64 {
	a, m := v.I64, Mask(v)
	if t.ID == types.Date && m != 0 {
		return a[:n]
	}
	rt.days = Resize(rt.days, n)
	if t.ID == types.Date {
		for i := range rt.days {
			rt.days[i] = a[0]
		}
	} else {
		for i := range rt.days {
			rt.days[i] = types.DateOf(a[i&m])
		}
	}
	return rt.days
}

// DayTables keeps the most recent table of a function.
type DayTables[R int64 | string] struct {
	F    func(rt *Runtime, days int64) R
	last atomic.Pointer[tabledDays[R]]
}

// Of returns a table for the given days, or nil if they are too few.
func (t *DayTables[R]) Of(rt *Runtime, days []int64) *tabledDays[R] {
	lo, hi := extent(days)
	table := t.last.Load()
	if !table.has(lo, hi) {
		if table = tableOf(rt, lo, hi, len(days), t.F); table != nil {
			t.last.Store(table)
		}
	}
	return table
}

// OfDay adapts a function that needs only the day to ByDay.
func OfDay[R int64 | string](f func(days int64) R) func(*Runtime, int64) R {
	return func(_ *Runtime, days int64) R { return f(days) }
}

func (t *tabledDays[R]) has(lo, hi int64) bool {
	return t != nil && lo >= t.Lo && uint64(hi)-uint64(t.Lo) < uint64(len(t.Values))
}

// tableOf returns the table for days from lo to hi, or nil if n rows are too few for it.
func tableOf[R int64 | string](rt *Runtime, lo, hi int64, n int, f func(rt *Runtime, days int64) R) *tabledDays[R] {
	span := uint64(hi) - uint64(lo)
	if span >= maxTabledDays || span >= uint64(n)*daysPerRow {
		return nil
	}
	t := &tabledDays[R]{lo, make([]R, span+1)}
	for i := range t.Values {
		t.Values[i] = f(rt, lo+int64(i))
	}
	return t
}

// extent returns the smallest and the largest value, or 0 and 0 if there are none.
func extent(xs []int64) (lo, hi int64) {
	if len(xs) == 0 {
		return 0, 0
	}
	lo, hi = xs[0], xs[0]
	for _, x := range xs {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// YearOf returns the year of a day.
func YearOf(days int64) int64 {
	y, _, _ := types.CivilDate(days)
	return int64(y)
}
