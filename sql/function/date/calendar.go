package date

import (
	"time"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/timezone"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerCalendar() {
	kernel.Register(
		kernel.Def{Name: expr.FuncToSeconds, Bind: bindToSeconds, Total: kernel.Always},
		kernel.Def{Name: "from_days", Bind: kernel.Fn(kernel.TryUnary(fromDays)), Total: kernel.Always},
		kernel.Def{Name: "makedate", Bind: kernel.Fn(kernel.TryBinary(makeDate)), Total: kernel.Always},
		kernel.Def{Name: "period_add", Bind: kernel.Fn(kernel.TryBinary(periodAdd))},
		kernel.Def{Name: "period_diff", Bind: kernel.Fn(kernel.TryBinary(periodDiff))},
		kernel.Def{Name: expr.FuncUnixTimestamp, Bind: inZone(bindUnixTimestamp), Total: kernel.Always},
		kernel.Def{Name: expr.FuncFromUnixTime, Bind: inZone(bindFromUnixtime), Total: kernel.Always},
	)
}

func bindToSeconds(c *expr.Call) (kernel.Kernel, error) {
	micros := microsOf(c.Args[0].Type())
	return kernel.Unary(func(x int64) int64 {
		us := micros(x) + dayZero*types.Day
		return us / types.Second
	}), nil
}

// fromDays has no date before year 1, as MySQL advises.
func fromDays(_ *kernel.Runtime, n int64) (int64, bool, error) {
	return n - dayZero, n > 365 && n <= lastDate+dayZero, nil
}

func makeDate(_ *kernel.Runtime, year, day int64) (int64, bool, error) {
	if day < 1 || day > lastDate-firstDate || year < 0 || year > 9999 {
		return 0, false, nil
	}
	date := types.Days(int(fullYear(year)), 1, 1) + day - 1
	return date, date <= lastDate, nil
}

// fullYear expands a two-digit year to four digits.
func fullYear(y int64) int64 {
	switch {
	case y < 70:
		return y + 2000
	case y < 100:
		return y + 1900
	}
	return y
}

// monthsOfPeriod converts YYMM or YYYYMM to a number of months.
func monthsOfPeriod(rt *kernel.Runtime, p int64) (int64, error) {
	if m := p % 100; p <= 0 || m == 0 || m > 12 || p > 999912 {
		return 0, rt.Fail(sqlerr.WrongArguments, "Incorrect arguments to %s", rt.Call.Fn)
	}
	return fullYear(p/100)*12 + p%100 - 1, nil
}

// maxMonths exceeds every difference between periods that have the digits of a BIGINT.
const maxMonths = 1 << 50

func periodAdd(rt *kernel.Runtime, p, n int64) (int64, bool, error) {
	m, err := monthsOfPeriod(rt, p)
	if err != nil {
		return 0, false, err
	}
	if n > maxMonths || m+n < 0 {
		return 0, true, nil
	}
	m += n
	return fullYear(m/12)*100 + m%12 + 1, true, nil
}

func periodDiff(rt *kernel.Runtime, p, q int64) (int64, bool, error) {
	a, err := monthsOfPeriod(rt, p)
	if err != nil {
		return 0, false, err
	}
	b, err := monthsOfPeriod(rt, q)
	return a - b, true, err
}

// bindUnixTimestamp binds UNIX_TIMESTAMP of the statement's time or of an argument. Times before
// 1970 yield 0.
func bindUnixTimestamp(c *expr.Call, zone *time.Location) kernel.Kernel {
	if len(c.Args) == 0 {
		return func(rt *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
			for i := range out.I64 {
				out.I64[i] = rt.Now() / types.Second
			}
			return nil
		}
	}
	shown := microsOf(c.Args[0].Type())
	micros := func(x int64) int64 { return timezone.Instant(shown(x), zone) }
	if c.T.Kind() == types.KindI64 {
		return kernel.Unary(func(x int64) int64 { return max(micros(x), 0) / types.Second })
	}
	unit := int64(dec128.Pow10Word(6 - int(c.T.Scale)))
	return kernel.Unary(func(x int64) decimal128.Num { return decimal128.FromI64(max(micros(x), 0) / unit) })
}

// lastUnixtime is the last second that FROM_UNIXTIME accepts: 3001-01-18 23:59:59.
const lastUnixtime = 32536771199

func bindFromUnixtime(c *expr.Call, zone *time.Location) kernel.Kernel {
	return bindSeconds(c, func(_ *kernel.Runtime, us int64) (int64, bool) {
		return timezone.Local(us, zone), us >= 0 && us < (lastUnixtime+1)*types.Second
	})
}
