package statement

import (
	"strings"
	"time"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/timezone"
	"gsql/sql/types"
)

// Tables store TIMESTAMP columns in UTC. Within a query a TIMESTAMP is a local time of the session's time zone,
// like a DATETIME. Storing it converts it back.

// LocalTime converts a stored TIMESTAMP to its value within a query. It returns values of other
// types unchanged.
func (s *Statement) LocalTime(e expr.Expr) expr.Expr {
	if s.Zone == time.UTC || e.Type().ID != types.Timestamp {
		return e
	}
	return &expr.Call{Fn: expr.FuncFromUTC, Args: []expr.Expr{e}, T: e.Type(), Pos: -1}
}

// InUTC converts the text of a local time to UTC. ok is false if the result is outside the range of TIMESTAMP.
func (s *Statement) InUTC(text string) (utc string, ok bool) {
	us, _, ok := types.ParseDatetime(text)
	if !ok {
		return text, true // not a time, which is reported elsewhere
	}
	at := catalog.Datum{Type: types.Type{ID: types.Datetime, Prec: 6}, I64: timezone.Instant(us, s.Zone)}
	return strings.TrimSuffix(at.Text(), ".000000"), timezone.InTimestamp(at.I64)
}
