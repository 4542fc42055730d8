package expr

import (
	"math"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

func registerAssignments() {
	Register(
		Sig{Name: FuncAssign, Min: 2, Max: 2, Resolve: Fixed(AsIs, AsIs), Internal: true},
		Sig{Name: FuncFit, Min: 2, Max: 2, Resolve: Fixed(AsIs, AsIs), Internal: true},
	)
}

// Assign converts e to the type t of the named column as INSERT and UPDATE do in strict mode. Where
// Cast would warn and return a nearby value, evaluation fails with an error that names the column
// and the row: 1264 (out of range), 1265 or 1366 (text that is not a number), 1292 (not a date) or
// 1406 (too long). Assign returns e itself, or a literal, if the conversion cannot fail. pos is the
// byte offset for errors.
func Assign(e Expr, t types.Type, column string, pos int) Expr {
	return convert(FuncAssign, e, t, column, pos)
}

// Fit is Assign without strict mode: a value that does not fit becomes the nearest one that does,
// with a warning that names the column and the row.
func Fit(e Expr, t types.Type, column string, pos int) Expr {
	return convert(FuncFit, e, t, column, pos)
}

func convert(fn FuncID, e Expr, t types.Type, column string, pos int) Expr {
	from := e.Type()
	if from == t {
		return e
	}
	if t.IsNumeric() && from.HasMembers() {
		return convert(fn, MemberNumber(e), t, column, pos)
	}
	if t.IsNumeric() && IsHex(e) {
		return convert(fn, HexNumber(e), t, column, pos)
	}
	if c, ok := e.(*Const); ok {
		if d, ok := castLiteral(c.Value, t); ok {
			return &Const{Value: d}
		}
	}
	return &Call{Fn: fn, Args: []Expr{e, &Const{Value: catalog.Str(column)}}, T: t, Pos: pos}
}

// IntRange returns the smallest and the largest value of an integer type. The largest of BIGINT
// UNSIGNED is math.MaxUint64.
func IntRange(t types.Type) (lo int64, hi uint64) {
	switch {
	case t.ID == types.Year:
		return 0, 2155
	case t.ID == types.Bool:
		return math.MinInt8, math.MaxInt8
	case t.IsUnsigned():
		return 0, math.MaxUint64 >> (64 - t.Bits())
	}
	return math.MinInt64 >> (64 - t.Bits()), math.MaxInt64 >> (64 - t.Bits())
}
