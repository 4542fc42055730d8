package date

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/cast"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerTime() {
	kernel.Register(
		kernel.Def{Name: expr.FuncTimeToSec, Bind: bindTimeToSec, Total: kernel.Always},
		kernel.Def{Name: expr.FuncTimestamp, Bind: kernel.Fn(kernel.TryBinary(shift(1)))},
		kernel.Def{Name: "addtime", Bind: bindAddTime(1)},
		kernel.Def{Name: "subtime", Bind: bindAddTime(-1)},
		kernel.Def{Name: "timediff", Bind: bindTimeDiff},
		kernel.Def{Name: "sec_to_time", Bind: func(c *expr.Call) (kernel.Kernel, error) { return bindSeconds(c, secToTime), nil }},
		kernel.Def{Name: "maketime", Bind: bindMakeTime},
	)
}

func bindTimeToSec(c *expr.Call) (kernel.Kernel, error) {
	clock := clockOf(c.Args[0].Type())
	return kernel.Unary(func(us int64) int64 { return clock(us) / types.Second }), nil
}

// clipTime limits a TIME to its range, with warning 1292.
func clipTime(rt *kernel.Runtime, us int64) int64 {
	if us >= -types.MaxTime && us <= types.MaxTime {
		return us
	}
	rt.Truncated("time", string(types.AppendTime(nil, us, 0)))
	if us < 0 {
		return -types.MaxTime
	}
	return types.MaxTime
}

// shift adds a TIME to a DATETIME.
func shift(sign int64) func(rt *kernel.Runtime, us, by int64) (int64, bool, error) {
	return func(rt *kernel.Runtime, us, by int64) (int64, bool, error) {
		us, ok := addMicros(rt, us, interval{micros: sign * by})
		return us, ok, nil
	}
}

func bindAddTime(sign int64) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		switch c.T.ID {
		case types.Datetime:
			return kernel.TryBinary(shift(sign)), nil
		case types.Time:
			return kernel.TryBinary(func(rt *kernel.Runtime, us, by int64) (int64, bool, error) {
				return clipTime(rt, us+sign*by), true, nil
			}), nil
		}
		return kernel.TryBinary(func(rt *kernel.Runtime, s string, by int64) (string, bool, error) {
			us, date, ok := readTime(rt, s)
			if !ok {
				return "", false, nil
			}
			if date {
				us, ok = addMicros(rt, us, interval{micros: sign * by})
				return dateText(rt, us, false), ok, nil
			}
			us = clipTime(rt, us+sign*by)
			digits := 0
			if us%types.Second != 0 {
				digits = 6
			}
			rt.Buf = types.AppendTime(rt.Buf[:0], us, digits)
			return rt.Text(rt.Buf), true, nil
		}), nil
	}
}

// readTime parses text as a date and time or, if it does not have that form, as a time.
func readTime(rt *kernel.Runtime, s string) (us int64, date, ok bool) {
	t := strings.TrimSpace(s)
	digits := len(t) - len(strings.TrimLeft(t, "0123456789"))
	date = digits >= 12 || digits > 0 && digits < len(t) && strings.IndexByte("-/.", t[digits]) >= 0 &&
		strings.ContainsAny(t[digits+1:], "-/.") || strings.Count(t, ":") > 2
	to := types.Type{ID: types.Time, Prec: 6}
	if date {
		to.ID = types.Datetime
	}
	us, ok, _ = cast.TextTemporal(rt, to, s, s)
	return us, date, ok
}

// bindTimeDiff binds TIMEDIFF(a, b), which is NULL for a time and a date.
func bindTimeDiff(c *expr.Call) (kernel.Kernel, error) {
	a, b := c.Args[0].Type(), c.Args[1].Type()
	switch {
	case a.IsString():
		return kernel.TryBinary(func(rt *kernel.Runtime, x, y string) (int64, bool, error) {
			p, pDate, ok := readTime(rt, x)
			q, qDate, ok2 := readTime(rt, y)
			if !ok || !ok2 || pDate != qDate {
				return 0, false, nil
			}
			return clipTime(rt, p-q), true, nil
		}), nil
	case (a.ID == types.Time) != (b.ID == types.Time):
		return func(_ *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
			kernel.SetAllNull(out, nil)
			return nil
		}, nil
	}
	return kernel.TryBinary(func(rt *kernel.Runtime, x, y int64) (int64, bool, error) { return clipTime(rt, x-y), true, nil }), nil
}

// bindSeconds binds functions of a number of seconds; f receives microseconds.
func bindSeconds(c *expr.Call, f func(rt *kernel.Runtime, us int64) (int64, bool)) kernel.Kernel {
	if kernel.ArgKind(c, 0) == types.KindDec {
		return kernel.TryUnary(func(rt *kernel.Runtime, n decimal128.Num) (int64, bool, error) {
			us, ok := f(rt, microseconds(n))
			return us, ok, nil
		})
	}
	return kernel.TryUnary(func(rt *kernel.Runtime, n int64) (int64, bool, error) {
		us, ok := f(rt, min(max(n, -longest/types.Second), longest/types.Second)*types.Second)
		return us, ok, nil
	})
}

// microseconds converts seconds of scale 6, limited to a value longer than any time.
func microseconds(n decimal128.Num) int64 {
	if dec128.IsInt64(n) {
		return min(max(int64(n.LowBits()), -longest), longest)
	}
	return int64(n.Sign()) * longest
}

func secToTime(rt *kernel.Runtime, us int64) (int64, bool) { return clipTime(rt, us), true }

// bindMakeTime binds MAKETIME(hour, minute, second).
func bindMakeTime(c *expr.Call) (kernel.Kernel, error) {
	if kernel.ArgKind(c, 2) == types.KindDec {
		return kernel.TryTernary(func(rt *kernel.Runtime, h, m int64, s decimal128.Num) (int64, bool, error) {
			return makeTime(rt, h, m, microseconds(s))
		}), nil
	}
	return kernel.TryTernary(func(rt *kernel.Runtime, h, m, s int64) (int64, bool, error) {
		return makeTime(rt, h, m, min(max(s, -60), 60)*types.Second)
	}), nil
}

func makeTime(rt *kernel.Runtime, h, m, us int64) (int64, bool, error) {
	if m < 0 || m > 59 || us < 0 || us >= types.Minute {
		return 0, false, nil
	}
	rest := m*types.Minute + us
	if h = min(max(h, -1000), 1000); h < 0 {
		rest = -rest
	}
	return clipTime(rt, h*types.Hour+rest), true, nil
}
