package date

import (
	"time"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/timezone"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerNow() {
	statement := func(rt *kernel.Runtime) int64 { return rt.Now() }
	wall := func(*kernel.Runtime) int64 { return time.Now().UnixMicro() }
	kernel.Register(
		kernel.Def{Name: expr.FuncNow, Bind: bindNow(statement, true), Total: kernel.Always},
		kernel.Def{Name: expr.FuncUTCTimestamp, Bind: bindNow(statement, false), Total: kernel.Always},
		kernel.Def{Name: "curtime", Bind: bindNow(statement, true), Total: kernel.Always},
		kernel.Def{Name: "utc_time", Bind: bindNow(statement, false), Total: kernel.Always},
		kernel.Def{Name: "curdate", Bind: bindNow(statement, true), Total: kernel.Always},
		kernel.Def{Name: "utc_date", Bind: bindNow(statement, false), Total: kernel.Always},
		kernel.Def{Name: "sysdate", Bind: bindNow(wall, true), Total: kernel.Always},
	)
}

// bindNow returns a clock's time as the call's type, truncated to its fractional digits, in the
// session's time zone if local is set.
func bindNow(clock func(*kernel.Runtime) int64, local bool) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		unit := types.FractionUnit(c.T)
		convert := func(us int64) int64 { return us - us%unit }
		switch c.T.ID {
		case types.Date:
			convert = types.DateOf
		case types.Time:
			convert = func(us int64) int64 { return us%types.Day - us%unit }
		}
		return func(rt *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
			zone := time.UTC
			if local {
				zone = rt.Zone()
			}
			for i := range out.I64 {
				out.I64[i] = convert(timezone.Local(clock(rt), zone))
			}
			return nil
		}, nil
	}
}
