package date

import (
	"time"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/timezone"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerTimezone() {
	kernel.Register(
		kernel.Def{Name: "convert_tz", Bind: kernel.Fn(kernel.TryTernary(convertTZ)), Total: kernel.Always},
		kernel.Def{Name: expr.FuncFromUTC, Bind: kernel.Fn(fromUTC), Total: kernel.Always},
		kernel.Def{Name: expr.FuncToUTC, Bind: bindToUTC((*kernel.Runtime).Zone)},
		kernel.Def{Name: expr.FuncKeepUTC, Bind: bindToUTC(func(*kernel.Runtime) *time.Location { return time.UTC })},
	)
}

// fromUTC converts a time from UTC to the session's time zone.
func fromUTC(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	zone, m := rt.Zone(), kernel.Mask(args[0])
	for i := range out.I64 {
		if out.Null == nil || !out.Null[i] {
			out.I64[i] = timezone.Local(args[0].I64[i&m], zone)
		}
	}
	return nil
}

// bindToUTC binds the conversion of a local time to UTC, which a TIMESTAMP column stores. The other
// arguments are the column's name and whether the statement is strict. For a time that the column
// cannot hold, or that clocks skip, a strict statement fails with error 1292. Otherwise the time
// becomes NULL, or the time of the clock change, with a warning.
func bindToUTC(in func(*kernel.Runtime) *time.Location) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		column, strict := c.Args[1].(*expr.Const).Value.Str, c.Args[2].(*expr.Const).Value.I64 != 0
		return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
			zone, m := in(rt), kernel.Mask(args[0])
			for i := range out.I64 {
				if out.Null != nil && out.Null[i] {
					continue
				}
				local := args[0].I64[i&m]
				utc := timezone.Instant(local, zone)
				out.I64[i] = utc
				there := timezone.InTimestamp(utc)
				if there && (zone == time.UTC || timezone.Local(utc, zone) == local) {
					continue
				}
				if strict {
					text := catalog.DatumAt(args[0], i).Text()
					return sqlerr.New(sqlerr.TruncatedWrongValue, "Incorrect datetime value: '%s' for column '%s' at row %d", text, column, i+1).At(c.Pos)
				}
				if there {
					rt.Warn(sqlerr.InvalidTimestamp, "Invalid TIMESTAMP value in column '%s' at row %d", column, i+1)
				} else {
					rt.Warn(sqlerr.WarnDataOutOfRange, "Out of range value for column '%s' at row %d", column, i+1)
					out.SetNull(i)
				}
			}
			return nil
		}, nil
	}
}

// inZone returns a kernel that uses the session's time zone.
func inZone(bind func(c *expr.Call, zone *time.Location) kernel.Kernel) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		utc := bind(c, time.UTC)
		return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
			if zone := rt.Zone(); zone != time.UTC {
				return bind(c, zone)(rt, args, out)
			}
			return utc(rt, args, out)
		}, nil
	}
}

// lastConverted is 3001-01-18 23:59:59, the last second that MySQL converts.
const lastConverted = 32536771199

// convertTZ converts a time between zones. It returns NULL for unknown zones, and times outside the
// range of TIMESTAMP unchanged.
func convertTZ(_ *kernel.Runtime, us int64, from, to string) (int64, bool, error) {
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
