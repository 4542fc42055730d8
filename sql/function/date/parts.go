package date

import (
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// dayZero is TO_DAYS('1970-01-01'): MySQL counts days from year 0.
const dayZero = 719528

func registerParts() {
	for name, f := range map[expr.FuncID]func(days int64) int64{
		expr.FuncYear: kernel.YearOf, expr.FuncMonth: monthOf, expr.FuncDay: dayOf, expr.FuncDayOfYear: dayOfYear, expr.FuncQuarter: quarterOf,
		expr.FuncDayOfWeek: func(days int64) int64 { return weekday(days, true) + 1 },
		expr.FuncWeekday:   func(days int64) int64 { return weekday(days, false) },
		expr.FuncToDays:    func(days int64) int64 { return days + dayZero },
		expr.FuncLastDay:   lastDay,
		expr.FuncWeekOfYear: func(days int64) int64 {
			week, _ := weekOf(days, weekMode(3))
			return week
		},
	} {
		kernel.Register(kernel.Def{Name: name, Bind: bindDay(f), Total: kernel.Always})
	}
	for name, part := range map[expr.FuncID]expr.Part{expr.FuncHour: expr.Hour, expr.FuncMinute: expr.Minute, expr.FuncSecond: expr.Second, expr.FuncMicrosecond: expr.Microsecond} {
		kernel.Register(kernel.Def{Name: name, Bind: bindClock(clockParts[part]), Total: kernel.Always})
	}
	kernel.Register(
		kernel.Def{Name: "dayname", Bind: bindName(func(days int64) string { return dayNames[weekday(days, false)] }), Total: kernel.Always},
		kernel.Def{Name: "monthname", Bind: bindName(func(days int64) string { return monthNames[monthOf(days)-1] }), Total: kernel.Always},
		kernel.Def{Name: expr.FuncWeek, Bind: bindWeek(week), Total: kernel.Always},
		kernel.Def{Name: expr.FuncYearWeek, Bind: bindWeek(yearWeek), Total: kernel.Always},
		kernel.Def{Name: expr.FuncDateDiff, Bind: bindDateDiff, Total: kernel.Always},
	)
}

// clockParts are the parts of a time of day.
var clockParts = [expr.Microsecond + 1]func(us int64) int64{
	expr.Hour:        func(us int64) int64 { return us / types.Hour },
	expr.Minute:      func(us int64) int64 { return us / types.Minute % 60 },
	expr.Second:      func(us int64) int64 { return us / types.Second % 60 },
	expr.Microsecond: func(us int64) int64 { return us % types.Second },
}

var (
	dayNames   = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	monthNames = []string{
		"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December",
	}
)

// kernel.DaysOf returns the function that extracts the day from values of a DATE or DATETIME.
func daysOf(t types.Type) func(int64) int64 {
	if t.ID == types.Date {
		return kernel.Same[int64]
	}
	return types.DateOf
}

// microsOf returns the function that converts values of t to DATETIME.
func microsOf(t types.Type) func(int64) int64 {
	if t.ID == types.Date {
		return func(days int64) int64 { return days * types.Day }
	}
	return kernel.Same[int64]
}

// bindDay binds functions of the day of their argument.
func bindDay(f func(days int64) int64) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		return kernel.ByDay(0, c.Args[0].Type(), kernel.OfDay(f)), nil
	}
}

func bindName(f func(days int64) string) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		return kernel.ByDay(0, c.Args[0].Type(), kernel.OfDay(f)), nil
	}
}

// bindClock binds functions of the time of day, or of a TIME without its sign.
func bindClock(f func(us int64) int64) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		if c.Args[0].Type().ID == types.Time {
			return kernel.Unary(func(us int64) int64 { return f(max(us, -us)) }), nil
		}
		return byClock(0, f), nil
	}
}

// byClock returns the kernel of a function of the time of day of argument arg, a DATETIME.
func byClock(arg int, f func(us int64) int64) kernel.Kernel {
	return func(_ *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, r, m := args[arg].I64, out.I64, kernel.Mask(args[arg])
		for i := range r {
			us := a[i&m]
			r[i] = us - types.DateOf(us)*types.Day
		}
		for i, us := range r {
			r[i] = f(us)
		}
		return nil
	}
}

// clockOf returns the function that extracts the time of day from values of a TIME or DATETIME.
func clockOf(t types.Type) func(int64) int64 {
	if t.ID == types.Time {
		return kernel.Same[int64]
	}
	return func(us int64) int64 { return us - types.DateOf(us)*types.Day }
}

func monthOf(days int64) int64 {
	_, m, _ := types.CivilDate(days)
	return int64(m)
}

func dayOf(days int64) int64 {
	_, _, d := types.CivilDate(days)
	return int64(d)
}

func quarterOf(days int64) int64 { return (monthOf(days) + 2) / 3 }

func dayOfYear(days int64) int64 { return days - types.Days(int(kernel.YearOf(days)), 1, 1) + 1 }

func lastDay(days int64) int64 {
	y, m, d := types.CivilDate(days)
	return days + int64(types.DaysIn(y, m)-d)
}

// weekday returns 0 for the first day of the week, which is Monday or Sunday.
func weekday(days int64, sundayFirst bool) int64 {
	return ((days+3+kernel.Bit(sundayFirst))%7 + 7) % 7
}

func bindDateDiff(c *expr.Call) (kernel.Kernel, error) {
	a, b := daysOf(c.Args[0].Type()), daysOf(c.Args[1].Type())
	return kernel.Binary(func(x, y int64) int64 { return a(x) - b(y) }), nil
}
