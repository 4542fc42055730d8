package eval

import (
	"time"

	"gsql/sql/expr"
	"gsql/sql/timezone"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() {
	Register(
		Def{Name: "convert_tz", Bind: Fn(TryTernary(convertTZ)), Total: Always},
		Def{Name: "from_utc", Bind: Fn(zoned(timezone.Local)), Total: Always},
		Def{Name: "to_utc", Bind: Fn(zoned(timezone.Instant)), Total: Always},
	)
}

// zone is the session's time zone; without a session it spoils constant folding.
func (rt *Runtime) zone() *time.Location {
	if rt.Env == nil {
		rt.tripped = true
		return time.UTC
	}
	return timezone.Of(rt.Env)
}

// zoned makes a kernel that moves times by the session's time zone.
func zoned(move func(us int64, zone *time.Location) int64) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		zone, m := rt.zone(), mask(args[0])
		for i := range out.I64 {
			if out.Null == nil || !out.Null[i] {
				out.I64[i] = move(args[0].I64[i&m], zone)
			}
		}
		return nil
	}
}

// inZone makes a kernel with the session's time zone.
func inZone(bind func(c *expr.Call, zone *time.Location) Kernel) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		utc := bind(c, time.UTC)
		return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
			if zone := rt.zone(); zone != time.UTC {
				return bind(c, zone)(rt, args, out)
			}
			return utc(rt, args, out)
		}, nil
	}
}

// lastConverted is 3001-01-18 23:59:59, the last second that MySQL converts.
const lastConverted = 32536771199

// convertTZ moves a point in time between zones; NULL for zones that there are not.
// What lies outside the times of TIMESTAMP stays as it is.
func convertTZ(_ *Runtime, us int64, from, to string) (int64, bool, error) {
	source, target := timezone.Find(from), timezone.Find(to)
	if source == nil || target == nil {
		return 0, false, nil
	}
	utc := timezone.Instant(us, source)
	if s := utc / types.Second; s < 1 || s > lastConverted {
		return us, true, nil
	}
	return timezone.Local(utc, target), true, nil
}
