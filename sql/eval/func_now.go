package eval

import (
	"time"

	"gsql/sql/expr"
	"gsql/sql/timezone"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() {
	statement := func(rt *Runtime) int64 { return rt.now() }
	wall := func(*Runtime) int64 { return time.Now().UnixMicro() }
	Register(
		Def{Name: "now", Bind: bindNow(statement, true), Total: Always},
		Def{Name: expr.FuncUTCTimestamp, Bind: bindNow(statement, false), Total: Always},
		Def{Name: "curtime", Bind: bindNow(statement, true), Total: Always},
		Def{Name: "utc_time", Bind: bindNow(statement, false), Total: Always},
		Def{Name: "curdate", Bind: bindNow(statement, true), Total: Always},
		Def{Name: "utc_date", Bind: bindNow(statement, false), Total: Always},
		Def{Name: "sysdate", Bind: bindNow(wall, true), Total: Always},
	)
}

// now is the statement's time; without a session it spoils constant folding.
func (rt *Runtime) now() int64 {
	if rt.Env == nil {
		rt.tripped = true
		return 0
	}
	return rt.Env.Now()
}

// bindNow gives a clock's time, in the session's time zone if local, as the call's type,
// cut to its fractional digits.
func bindNow(clock func(*Runtime) int64, local bool) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		unit := types.FractionUnit(c.T)
		convert := func(us int64) int64 { return us - us%unit }
		switch c.T.ID {
		case types.Date:
			convert = types.DateOf
		case types.Time:
			convert = func(us int64) int64 { return us%types.Day - us%unit }
		}
		return func(rt *Runtime, _ []*vec.Vector, out *vec.Vector) error {
			zone := time.UTC
			if local {
				zone = rt.zone()
			}
			for i := range out.I64 {
				out.I64[i] = convert(timezone.Local(clock(rt), zone))
			}
			return nil
		}, nil
	}
}
