package binder

import (
	"strings"
	"time"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/timezone"
	"gsql/sql/types"
)

// Tables keep TIMESTAMP columns in UTC. Within a query a TIMESTAMP is what the clocks of
// the session's time zone show, as a DATETIME is; what it stores is turned back.

// localTimes gives a scan, or a projection over it whose TIMESTAMP columns are local; the
// scope has the columns of what it gives.
func (s *statement) localTimes(scan *logical.Scan, sc *scope) logical.Node {
	if s.zone == time.UTC {
		return scan
	}
	items, changed := passItems(scan.Columns), false
	for i, c := range scan.Columns {
		if c.T.ID != types.Timestamp {
			continue
		}
		local := c
		local.ID = s.newID()
		items[i] = logical.Item{Col: local, Expr: s.localTime(c.Ref())}
		sc.cols[i].Column, changed = local, true
	}
	if !changed {
		return scan
	}
	node := &logical.Project{In: scan, Items: items}
	sc.sources[0].local = node
	return node
}

// localTime gives what a TIMESTAMP that a table stores is within a query; values of other
// types stay.
func (s *statement) localTime(e expr.Expr) expr.Expr {
	if s.zone == time.UTC || e.Type().ID != types.Timestamp {
		return e
	}
	return &expr.Call{Fn: "from_utc", Args: []expr.Expr{e}, T: e.Type(), Pos: -1}
}

// localDefault gives the default of a column where an expression names it.
func (s *statement) localDefault(c *catalog.Column, pos int) (expr.Expr, error) {
	e, err := s.defaultValue(c, pos)
	if err != nil {
		return nil, err
	}
	return s.localTime(e), nil
}

// inUTC gives the text of a local time as that of the time in UTC; ok is false of one
// that a TIMESTAMP does not have.
func (s *statement) inUTC(text string) (utc string, ok bool) {
	us, _, ok := types.ParseDatetime(text)
	if !ok {
		return text, true // no time at all, which is told elsewhere
	}
	at := catalog.Datum{Type: types.Type{ID: types.Datetime, Prec: 6}, I64: timezone.Instant(us, s.zone)}
	return strings.TrimSuffix(at.Text(), ".000000"), timezone.InTimestamp(at.I64)
}

// storedTime is stored for a TIMESTAMP column: a local time that fits becomes that in UTC.
func (s *statement) storedTime(e expr.Expr, c *catalog.Column, ignore bool, pos int) expr.Expr {
	local := *c
	local.Type.ID = types.Datetime
	if e.Type() != c.Type {
		e = s.stored(e, &local, ignore, pos)
	}
	if k, ok := e.(*expr.Const); ok {
		d := k.Value
		d.Type = c.Type
		if !d.Null {
			d.I64 = timezone.Instant(d.I64, s.zone)
		}
		if d.Null || timezone.InTimestamp(d.I64) && timezone.Local(d.I64, s.zone) == k.Value.I64 {
			return &expr.Const{Value: d}
		}
	}
	fn := "to_utc"
	if s.zone == time.UTC {
		fn = "keep_utc"
	}
	strict := catalog.Int(0)
	if s.mode.Strict() && !ignore {
		strict = catalog.Int(1)
	}
	args := []expr.Expr{e, &expr.Const{Value: catalog.Str(c.Name)}, &expr.Const{Value: strict}}
	return &expr.Call{Fn: fn, Args: args, T: c.Type, Pos: pos}
}
