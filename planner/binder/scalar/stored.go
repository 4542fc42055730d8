package scalar

import (
	"strings"
	"time"

	"gsql/planner/binder/statement"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/timezone"
	"gsql/sql/types"
)

// Stored converts e to the value that column c stores. In strict mode, unless the statement says
// IGNORE, a value that does not fit is an error; otherwise the nearest value is stored with a
// warning. Integers and strings that fit need no conversion, so that long VALUES lists are cheap.
func Stored(s *statement.Statement, e expr.Expr, c *catalog.Column, ignore bool, pos int) expr.Expr {
	if c.Type.ID == types.Timestamp {
		return storedTime(s, e, c, ignore, pos)
	}
	switch {
	case c.Fixed:
		e = unpadded(e)
	case c.Type.HasMembers() && (e.Type().IsFloat() || e.Type().ID == types.Decimal):
		e = expr.Cast(e, types.T(types.Int64))
	}
	k, ok := e.(*expr.Const)
	switch {
	case ok && fits(&k.Value, c.Type):
		d := k.Value
		d.Type = c.Type
		return &expr.Const{Value: d}
	case ignore || !s.Mode.Strict():
		return expr.Fit(e, c.Type, c.Name, pos)
	}
	return expr.Assign(e, c.Type, c.Name, pos)
}

// unpadded removes trailing spaces, which a CHAR column does not store, from text.
func unpadded(e expr.Expr) expr.Expr {
	if e.Type().ID != types.String {
		return e
	}
	if k, ok := e.(*expr.Const); ok {
		d := k.Value
		d.Str = strings.TrimRight(d.Str, " ")
		return &expr.Const{Value: d}
	}
	return &expr.Call{Fn: expr.FuncRTrim, Args: []expr.Expr{e}, T: e.Type(), Pos: -1}
}

// fits reports whether a literal is a value of type t without conversion.
func fits(d *catalog.Datum, t types.Type) bool {
	switch {
	case d.Null:
		return true
	case d.Type.ID == types.Int64 && t.ID >= types.Int8 && t.ID <= types.Int64:
		unused := 64 - t.Bits()
		return d.I64<<unused>>unused == d.I64
	case d.Type.ID == types.String && t.ID == types.String:
		return t.Len == 0 || len(d.Str) <= int(t.Len)
	}
	return false
}

// ImplicitDefault returns MySQL's value for a NOT NULL column without a default if sql_mode is not strict: zero
// or the empty string.
func ImplicitDefault(c *catalog.Column) expr.Expr {
	if c.Type.ID == types.Enum {
		return &expr.Const{Value: catalog.Datum{Type: c.Type, Str: c.Type.Members.Values()[0]}}
	}
	if c.Type.IsString() {
		return &expr.Const{Value: catalog.Datum{Type: c.Type}}
	}
	return expr.Cast(&expr.Const{Value: catalog.Int(0)}, c.Type)
}

// storedTime is Stored for a TIMESTAMP column, which stores UTC.
func storedTime(s *statement.Statement, e expr.Expr, c *catalog.Column, ignore bool, pos int) expr.Expr {
	local := *c
	local.Type.ID = types.Datetime
	if e.Type() != c.Type {
		e = Stored(s, e, &local, ignore, pos)
	}
	if k, ok := e.(*expr.Const); ok {
		d := k.Value
		d.Type = c.Type
		if !d.Null {
			d.I64 = timezone.Instant(d.I64, s.Zone)
		}
		if d.Null || timezone.InTimestamp(d.I64) && timezone.Local(d.I64, s.Zone) == k.Value.I64 {
			return &expr.Const{Value: d}
		}
	}
	fn := expr.FuncToUTC
	if s.Zone == time.UTC {
		fn = expr.FuncKeepUTC
	}
	strict := catalog.Int(0)
	if s.Mode.Strict() && !ignore {
		strict = catalog.Int(1)
	}
	args := []expr.Expr{e, &expr.Const{Value: catalog.Str(c.Name)}, &expr.Const{Value: strict}}
	return &expr.Call{Fn: fn, Args: args, T: c.Type, Pos: pos}
}
