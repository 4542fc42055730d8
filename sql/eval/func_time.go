package eval

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() {
	Register(
		Def{Name: expr.FuncTimeToSec, Bind: bindTimeToSec, Total: Always},
		Def{Name: expr.FuncTimestamp, Bind: Fn(TryBinary(shift(1)))},
		Def{Name: "addtime", Bind: bindAddTime(1)},
		Def{Name: "subtime", Bind: bindAddTime(-1)},
		Def{Name: "timediff", Bind: bindTimeDiff},
		Def{Name: "sec_to_time", Bind: func(c *expr.Call) (Kernel, error) { return bindSeconds(c, secToTime), nil }},
		Def{Name: "maketime", Bind: bindMakeTime},
	)
}

func bindTimeToSec(c *expr.Call) (Kernel, error) {
	clock := clockOf(c.Args[0].Type())
	return Unary(func(us int64) int64 { return clock(us) / types.Second }), nil
}

// clipTime cuts a TIME to its range with warning 1292.
func (rt *Runtime) clipTime(us int64) int64 {
	if us >= -types.MaxTime && us <= types.MaxTime {
		return us
	}
	rt.Truncated("time", string(types.AppendTime(nil, us, 0)))
	if us < 0 {
		return -types.MaxTime
	}
	return types.MaxTime
}

// shift moves a DATETIME by a TIME.
func shift(sign int64) func(rt *Runtime, us, by int64) (int64, bool, error) {
	return func(rt *Runtime, us, by int64) (int64, bool, error) {
		us, ok := rt.addMicros(us, interval{micros: sign * by})
		return us, ok, nil
	}
}

func bindAddTime(sign int64) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		switch c.T.ID {
		case types.Datetime:
			return TryBinary(shift(sign)), nil
		case types.Time:
			return TryBinary(func(rt *Runtime, us, by int64) (int64, bool, error) {
				return rt.clipTime(us + sign*by), true, nil
			}), nil
		}
		return TryBinary(func(rt *Runtime, s string, by int64) (string, bool, error) {
			us, date, ok := rt.readTime(s)
			if !ok {
				return "", false, nil
			}
			if date {
				us, ok = rt.addMicros(us, interval{micros: sign * by})
				return rt.dateText(us, false), ok, nil
			}
			us = rt.clipTime(us + sign*by)
			digits := 0
			if us%types.Second != 0 {
				digits = 6
			}
			rt.Buf = types.AppendTime(rt.Buf[:0], us, digits)
			return rt.Text(rt.Buf), true, nil
		}), nil
	}
}

// readTime reads text as a date and time or, when it does not look like one, as a
// time.
func (rt *Runtime) readTime(s string) (us int64, date, ok bool) {
	t := strings.TrimSpace(s)
	digits := len(t) - len(strings.TrimLeft(t, "0123456789"))
	date = digits >= 12 || digits > 0 && digits < len(t) && strings.IndexByte("-/.", t[digits]) >= 0 &&
		strings.ContainsAny(t[digits+1:], "-/.") || strings.Count(t, ":") > 2
	to := types.Type{ID: types.Time, Prec: 6}
	if date {
		to.ID = types.Datetime
	}
	us, ok, _ = textTemporal(rt, to, s, s)
	return us, date, ok
}

// bindTimeDiff serves TIMEDIFF(a, b), NULL for a time and a date.
func bindTimeDiff(c *expr.Call) (Kernel, error) {
	a, b := c.Args[0].Type(), c.Args[1].Type()
	switch {
	case a.IsString():
		return TryBinary(func(rt *Runtime, x, y string) (int64, bool, error) {
			p, pDate, ok := rt.readTime(x)
			q, qDate, ok2 := rt.readTime(y)
			if !ok || !ok2 || pDate != qDate {
				return 0, false, nil
			}
			return rt.clipTime(p - q), true, nil
		}), nil
	case (a.ID == types.Time) != (b.ID == types.Time):
		return func(_ *Runtime, _ []*vec.Vector, out *vec.Vector) error {
			setAllNull(out, nil)
			return nil
		}, nil
	}
	return TryBinary(func(rt *Runtime, x, y int64) (int64, bool, error) { return rt.clipTime(x - y), true, nil }), nil
}

// bindSeconds serves functions of a number of seconds; f gets microseconds.
func bindSeconds(c *expr.Call, f func(rt *Runtime, us int64) (int64, bool)) Kernel {
	if argKind(c, 0) == types.KindDec {
		return TryUnary(func(rt *Runtime, n decimal128.Num) (int64, bool, error) {
			us, ok := f(rt, microseconds(n))
			return us, ok, nil
		})
	}
	return TryUnary(func(rt *Runtime, n int64) (int64, bool, error) {
		us, ok := f(rt, min(max(n, -longest/types.Second), longest/types.Second)*types.Second)
		return us, ok, nil
	})
}

// microseconds takes seconds of scale 6, cut to what is longer than any time.
func microseconds(n decimal128.Num) int64 {
	if dec128.IsInt64(n) {
		return min(max(int64(n.LowBits()), -longest), longest)
	}
	return int64(n.Sign()) * longest
}

func secToTime(rt *Runtime, us int64) (int64, bool) { return rt.clipTime(us), true }

// bindMakeTime serves MAKETIME(hour, minute, second).
func bindMakeTime(c *expr.Call) (Kernel, error) {
	if argKind(c, 2) == types.KindDec {
		return TryTernary(func(rt *Runtime, h, m int64, s decimal128.Num) (int64, bool, error) {
			return makeTime(rt, h, m, microseconds(s))
		}), nil
	}
	return TryTernary(func(rt *Runtime, h, m, s int64) (int64, bool, error) {
		return makeTime(rt, h, m, min(max(s, -60), 60)*types.Second)
	}), nil
}

func makeTime(rt *Runtime, h, m, us int64) (int64, bool, error) {
	if m < 0 || m > 59 || us < 0 || us >= types.Minute {
		return 0, false, nil
	}
	rest := m*types.Minute + us
	if h = min(max(h, -1000), 1000); h < 0 {
		rest = -rest
	}
	return rt.clipTime(h*types.Hour + rest), true, nil
}
