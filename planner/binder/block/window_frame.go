package block

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/statement"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// bindFrame binds a window's frame clause. Without one, the frame ends at the current row's peers
// if there is an ORDER BY; else it is the whole partition.
func (w *windowing) bindFrame(win *window, pos int) error {
	n := win.spec.Frame
	if n == nil {
		win.frame = &expr.Frame{Unit: expr.Range, End: expr.Bound{Kind: expr.CurrentRow}}
		if len(win.order) == 0 {
			win.frame = &expr.Frame{Unit: expr.Rows, End: expr.Bound{Kind: expr.UnboundedFollowing}}
		}
		return nil
	}
	f := frameBinder{b: w.b, w: win, pos: pos}
	return f.bind(n)
}

// frameBinder binds one frame clause.
type frameBinder struct {
	b   *Block
	w   *window
	pos int
}

func (f *frameBinder) bind(n *ast.FrameClause) error {
	start, end := &n.Extent.Start, &n.Extent.End
	switch {
	case start.UnBounded && start.Type == ast.Following:
		return f.fail(sqlerr.WindowFrameStart, "Window '%s': frame start cannot be UNBOUNDED FOLLOWING.")
	case end.UnBounded && end.Type == ast.Preceding:
		return f.fail(sqlerr.WindowFrameEnd, "Window '%s': frame end cannot be UNBOUNDED PRECEDING.")
	case start.Type == ast.Following && end.Type != ast.Following, start.Type == ast.CurrentRow && end.Type == ast.Preceding:
		return f.illegal()
	}
	f.w.frame = &expr.Frame{Unit: [...]expr.FrameUnit{ast.Rows: expr.Rows, ast.Ranges: expr.Range, ast.Groups: expr.Groups}[n.Type]}
	f.w.frame.Start.Kind, f.w.frame.End.Kind = boundKind(start), boundKind(end)
	for _, bound := range []struct {
		n  *ast.FrameBound
		to *expr.Bound
	}{{start, &f.w.frame.Start}, {end, &f.w.frame.End}} {
		if bound.n.Expr == nil {
			continue
		}
		if err := f.offset(bound.n, bound.to); err != nil {
			return err
		}
	}
	return f.oneKey()
}

func boundKind(n *ast.FrameBound) expr.BoundKind {
	switch {
	case n.Type == ast.CurrentRow:
		return expr.CurrentRow
	case n.Type == ast.Preceding && n.UnBounded:
		return expr.UnboundedPreceding
	case n.Type == ast.Preceding:
		return expr.Preceding
	case n.UnBounded:
		return expr.UnboundedFollowing
	}
	return expr.Following
}

func (f *frameBinder) fail(code sqlerr.Code, format string) *sqlerr.Error {
	return sqlerr.New(code, format, f.w.name).At(f.pos)
}

func (f *frameBinder) illegal() error {
	return f.fail(sqlerr.WindowFrameIllegal, "Window '%s': frame start or end is negative, NULL or of non-integral type").
		WithHint("A frame starts before it ends, and bounds of ROWS and GROUPS are whole numbers.")
}

// offset binds the n of "n PRECEDING" or "n FOLLOWING".
func (f *frameBinder) offset(n *ast.FrameBound, to *expr.Bound) error {
	interval := n.Unit != ast.TimeUnitInvalid
	if f.w.frame.Unit != expr.Range && interval {
		return f.fail(sqlerr.WindowRowsInterval, "Window '%s': INTERVAL can only be used with RANGE frames.")
	}
	inner, outer := f.b.innerRefs, f.b.outerRefs
	e, err := f.b.Expr(n.Expr)
	if err != nil {
		return err
	}
	if f.b.innerRefs != inner || f.b.outerRefs != outer || n.Expr.GetFlag()&ast.FlagHasSubquery != 0 || expr.Volatile(e) {
		return f.fail(sqlerr.WindowBoundNotConstant, "Window '%s' has a non-constant frame bound.")
	}
	c, isConst := e.(*expr.Const)
	if isConst && (expr.IsNull(c) || isNegative(c)) || !isConst && !interval {
		return f.illegal()
	}
	if f.w.frame.Unit != expr.Range {
		if !c.Value.Type.IsInteger() {
			return f.illegal()
		}
		to.N = statement.Clip(uint64(c.Value.I64))
		return nil
	}
	return f.rangeOffset(n, e, to)
}

// isNegative reports whether a constant bound, or the amount of an INTERVAL, is below 0.
func isNegative(c *expr.Const) bool {
	if c.Value.Type.IsString() {
		return strings.HasPrefix(strings.TrimSpace(c.Value.Str), "-")
	}
	return c.Value.Float() < 0
}

// rangeOffset computes the key's value at a RANGE bound as an expression over the key.
func (f *frameBinder) rangeOffset(n *ast.FrameBound, amount expr.Expr, to *expr.Bound) error {
	if len(f.w.order) != 1 {
		return f.orderType()
	}
	k := f.w.order[0]
	t := k.Expr.Type()
	interval := n.Unit != ast.TimeUnitInvalid
	switch {
	case !t.IsNumeric() && !t.IsTemporal():
		return f.orderType()
	case t.IsTemporal() && !interval:
		return f.fail(sqlerr.WindowRangeTemporal, "Window '%s' with RANGE frame has ORDER BY expression of datetime type. Only INTERVAL bound value allowed.")
	case t.IsNumeric() && interval:
		return f.fail(sqlerr.WindowRangeNumeric, "Window '%s' with RANGE frame has ORDER BY expression of numeric type, INTERVAL bound value not allowed.")
	case t.IsNumeric() && !amount.Type().IsNumeric():
		return f.illegal()
	}
	back := (to.Kind == expr.Preceding) != k.Desc
	f.w.frame.Desc = k.Desc
	var err error
	if interval {
		to.Value, err = shiftTime(k.Expr, amount, n.Unit, back, f.pos)
	} else {
		to.Value, err = shiftNumber(k.Expr, amount, back, f.pos)
	}
	return err
}

func (f *frameBinder) orderType() error {
	return f.fail(sqlerr.WindowRangeOrderType, "Window '%s' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type")
}

// shiftTime returns the key plus or minus an interval.
func shiftTime(key, amount expr.Expr, unit ast.TimeUnitType, back bool, pos int) (expr.Expr, error) {
	fn := expr.FuncDateAdd
	if back {
		fn = expr.FuncDateSub
	}
	return expr.NewCall(fn, []expr.Expr{key, amount, &expr.Const{Value: catalog.Str(strings.ToLower(unit.String()))}}, pos)
}

// shiftNumber returns the key plus or minus a number, in a type that cannot overflow if one
// exists.
func shiftNumber(key, amount expr.Expr, back bool, pos int) (expr.Expr, error) {
	fn := expr.FuncAdd
	if back {
		fn = expr.FuncSub
	}
	kt, at := key.Type(), amount.Type()
	switch {
	case kt.IsFloat() || at.IsFloat():
		key, amount = expr.Cast(key, types.T(types.Float64)), expr.Cast(amount, types.T(types.Float64))
	case kt.IsInteger() && kt.Bits() < 64 && at.IsInteger() && at.Kind() == types.KindI64 && amount.(*expr.Const).Value.I64 < 1<<62:
		key = expr.Cast(key, types.T(types.Int64))
	default:
		key = expr.Cast(key, expr.DecimalOf(kt))
	}
	return expr.NewCall(fn, []expr.Expr{key, amount}, pos)
}

// oneKey casts the key of a RANGE frame with offsets and its bounds to one type.
func (f *frameBinder) oneKey() error {
	frame := f.w.frame
	bounds := []*expr.Expr{&frame.Start.Value, &frame.End.Value}
	var common types.Type
	for _, e := range bounds {
		if *e != nil {
			common = expr.CommonType(common, (*e).Type())
		}
	}
	if common.ID == types.Null {
		return nil
	}
	frame.Key = expr.Cast(f.w.order[0].Expr, common)
	for _, e := range bounds {
		if *e != nil {
			*e = expr.Cast(*e, common)
		}
	}
	return nil
}
