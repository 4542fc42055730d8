package date

import (
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
)

// The parts of a week mode.
const (
	mondayFirst  = 1 // weeks begin on Monday
	weekYear     = 2 // weeks are numbered from 1 to 53: the first days may belong to the previous year
	firstWeekday = 4 // week 1 is the first that begins in the year, else the first with four days
)

// weekMode returns the parts of a mode of WEEK, 0 to 7 (MySQL manual, WEEK()).
func weekMode(mode int64) int64 {
	mode &= 7
	if mode&mondayFirst == 0 {
		mode ^= firstWeekday
	}
	return mode
}

// bindWeek binds WEEK and YEARWEEK.
func bindWeek(f func(days, mode int64) int64) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		day := daysOf(c.Args[0].Type())
		if len(c.Args) == 2 {
			return kernel.Binary(func(x, mode int64) int64 { return f(day(x), mode) }), nil
		}
		return kernel.Unary(func(x int64) int64 { return f(day(x), 0) }), nil
	}
}

func week(days, mode int64) int64 {
	w, _ := weekOf(days, weekMode(mode))
	return w
}

func yearWeek(days, mode int64) int64 {
	w, y := weekOf(days, weekMode(mode)|weekYear)
	return y*100 + w
}

// weekOf returns the week of a day and the year that the week belongs to. mode is a set of the
// parts above.
func weekOf(days, mode int64) (week, year int64) {
	y, month, d := types.CivilDate(days)
	year = int64(y)
	first := types.Days(y, 1, 1)
	start := weekday(first, mode&mondayFirst == 0) // of 1 January
	if month == 1 && int64(d) <= 7-start {
		if mode&weekYear == 0 && lateStart(start, mode) {
			return 0, year
		}
		mode |= weekYear
		year--
		first -= daysInYear(year)
		start = (start + 53*7 - daysInYear(year)) % 7
	}
	if lateStart(start, mode) {
		first += 7 - start
	} else {
		first -= start
	}
	if n := days - first; mode&weekYear == 0 || n < 52*7 {
		return n/7 + 1, year
	}
	if !lateStart((start+daysInYear(year))%7, mode) {
		return 1, year + 1
	}
	return (days-first)/7 + 1, year
}

// lateStart reports whether the first days of a year, whose 1 January is the given day of the week,
// belong to the week before week 1.
func lateStart(start, mode int64) bool {
	if mode&firstWeekday != 0 {
		return start != 0
	}
	return start >= 4
}

func daysInYear(year int64) int64 {
	return int64(337 + types.DaysIn(int(year), 2))
}
