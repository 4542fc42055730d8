package binder

import (
	"strings"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/timezone"
	"gsql/sql/types"
)

// Tables keep TIMESTAMP columns in UTC. Where the session's time zone is another one, a
// query has what clocks show there, as DATETIME, and what it stores is turned back.

// localTimes gives a scan, or a projection over it whose TIMESTAMP columns are local; the
// scope has the columns of what it gives.
func (s *statement) localTimes(scan *logical.Scan, sc *scope) logical.Node {
	if !s.zoned {
		return scan
	}
	items, changed := passItems(scan.Columns), false
	for i, c := range scan.Columns {
		if c.T.ID != types.Timestamp {
			continue
		}
		local := c
		local.ID, local.T = s.newID(), types.Type{ID: types.Datetime, Prec: c.T.Prec}
		items[i] = logical.Item{Col: local, Expr: &expr.Call{Fn: "from_utc", Args: []expr.Expr{c.Ref()}, T: local.T, Pos: -1}}
		sc.cols[i].Column, changed = local, true
	}
	if !changed {
		return scan
	}
	node := &logical.Project{In: scan, Items: items}
	sc.sources[0].local = node
	return node
}

// inUTC gives the text of a local time as that of the time in UTC.
func (s *statement) inUTC(text string) string {
	us, _, ok := types.ParseDatetime(text)
	zone, _ := s.session.Var("time_zone")
	if !ok || !s.zoned {
		return text
	}
	utc := catalog.Datum{Type: types.Type{ID: types.Datetime, Prec: 6}, I64: timezone.Instant(us, timezone.Find(zone))}
	return strings.TrimSuffix(utc.Text(), ".000000")
}

// toUTC casts a local time to the type of a column, and to UTC for a TIMESTAMP.
func (s *statement) toUTC(e expr.Expr, t types.Type) expr.Expr {
	if !s.zoned || t.ID != types.Timestamp || expr.IsNull(e) {
		return expr.Cast(e, t)
	}
	e = expr.Cast(e, types.Type{ID: types.Datetime, Prec: t.Prec})
	return &expr.Call{Fn: "to_utc", Args: []expr.Expr{e}, T: t, Pos: -1}
}

// storedTime is stored for a local time that a TIMESTAMP column is to keep, and for a
// TIMESTAMP that another column is to.
func (s *statement) storedTime(e expr.Expr, c *catalog.Column, ignore bool, pos int) expr.Expr {
	local := types.Type{ID: types.Datetime, Prec: max(c.Type.Prec, e.Type().Prec)}
	if c.Type.ID != types.Timestamp {
		e = &expr.Call{Fn: "from_utc", Args: []expr.Expr{e}, T: local, Pos: -1}
		return s.stored(e, c, ignore, pos)
	}
	shown := *c
	shown.Type = types.Type{ID: types.Datetime, Prec: c.Type.Prec}
	return s.toUTC(s.stored(e, &shown, ignore, pos), c.Type)
}
