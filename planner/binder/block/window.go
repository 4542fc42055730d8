package block

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

var windowFunctions = map[string]expr.WindowFn{
	ast.WindowFuncRowNumber: expr.RowNumber, ast.WindowFuncRank: expr.Rank, ast.WindowFuncDenseRank: expr.DenseRank,
	ast.WindowFuncPercentRank: expr.PercentRank, ast.WindowFuncCumeDist: expr.CumeDist, ast.WindowFuncNtile: expr.Ntile,
	ast.WindowFuncLag: expr.Lag, ast.WindowFuncLead: expr.Lead, ast.WindowFuncFirstValue: expr.FirstValue,
	ast.WindowFuncLastValue: expr.LastValue, ast.WindowFuncNthValue: expr.NthValue,
}

// windowing holds a block's window functions, which are computed over the rows that pass HAVING.
type windowing struct {
	b      *Block
	named  map[string]*window
	nodes  []*logical.Window // one per partition and order, without inputs
	inArgs bool              // a window function's arguments are being bound
	inSpec string            // the window whose specification is being bound, or ""
}

// column returns the output column of a window function, or nil. w may be nil.
func (w *windowing) column(id expr.ColID) *logical.Column {
	if w == nil {
		return nil
	}
	for _, n := range w.nodes {
		for i := range n.Funcs {
			if n.Funcs[i].Col.ID == id {
				return &n.Funcs[i].Col
			}
		}
	}
	return nil
}

func (w *windowing) makes(id expr.ColID) bool { return w.column(id) != nil }

func (w *windowing) notNull(id expr.ColID) bool { return w.column(id).NotNull }

// usedBy reports whether e contains a window function.
func (w *windowing) usedBy(e expr.Expr) bool {
	set := map[expr.ColID]bool{}
	expr.Cols(e, set)
	for id := range set {
		if w.makes(id) {
			return true
		}
	}
	return false
}

// over adds the windows above node.
func (w *windowing) over(node logical.Node) logical.Node {
	for _, n := range w.nodes {
		node = n.WithInputs([]logical.Node{node})
	}
	return node
}

// filterItems applies conditions of HAVING over items, because windows must not see the other rows. The items
// without window functions are computed below.
func (l *selectList) filterItems(node logical.Node, preds []expr.Expr) logical.Node {
	if len(preds) == 0 {
		return node
	}
	var items []logical.Item
	have := map[expr.ColID]bool{}
	for _, c := range node.Schema() {
		items = append(items, logical.Item{Col: c, Expr: c.Ref()})
		have[c.ID] = true
	}
	for i := range l.items {
		if it := &l.items[i]; !have[it.col.ID] && !l.b.windows.usedBy(it.e) {
			items = append(items, logical.Item{Col: it.col, Expr: it.e})
			it.e = it.col.Ref()
		}
	}
	return &logical.Filter{In: &logical.Project{In: node, Items: items}, Preds: preds}
}

// Window implements scalar.Block. It checks that a window function is allowed in the current
// clause and binds it.
func (b *Block) Window(n *ast.WindowFuncExpr, pos int) (expr.Expr, error) {
	name := strings.ToLower(n.Name)
	w := b.windows
	if w != nil && w.inSpec != "" {
		return nil, sqlerr.New(sqlerr.WindowNestedInSpec, "You cannot nest a window function in the specification of window '%s'.", w.inSpec).At(pos)
	}
	if w == nil || w.inArgs || b.inAgg || b.At != scope.FieldList && b.At != scope.OrderBy {
		return nil, sqlerr.New(sqlerr.WindowInvalidUse, "You cannot use the window function '%s' in this context.'", name).At(pos).
			WithHint("Window functions can appear in the select list and in ORDER BY: compute it in a derived table and use its column.")
	}
	if err := refuseWindow(n, name, pos); err != nil {
		return nil, err
	}
	return w.call(n, name, pos)
}

// call binds a window function to the column that will hold its value.
func (w *windowing) call(n *ast.WindowFuncExpr, name string, pos int) (expr.Expr, error) {
	win, err := w.windowOf(&n.Spec, pos)
	if err != nil {
		return nil, err
	}
	args, err := w.args(n.Args)
	if err != nil {
		return nil, err
	}
	if agg, ok := aggregates[name]; ok {
		return w.aggregate(agg, args, win, pos)
	}
	fn := windowFunctions[name]
	if fn == expr.Lag || fn == expr.Lead {
		return w.offsetFunction(fn, args, win, pos)
	}
	return w.rankOrValue(fn, args, win, pos)
}

// refuseWindow returns error 1235 for forms of window functions that MySQL also refuses.
func refuseWindow(n *ast.WindowFuncExpr, name string, pos int) error {
	agg, isAgg := aggregates[name]
	_, known := windowFunctions[name]
	switch {
	case !isAgg && !known, isAgg && agg.Gathers():
		return sqlerr.Unsupported(pos, "%s() as a window function", strings.ToUpper(name))
	case n.Distinct && agg != expr.Min && agg != expr.Max:
		return sqlerr.Unsupported(pos, "<window function>(DISTINCT ..)")
	case n.IgnoreNull:
		return sqlerr.Unsupported(pos, "IGNORE NULLS")
	case n.FromLast:
		return sqlerr.Unsupported(pos, "FROM LAST").WithHint("Use FROM FIRST with the window's ORDER BY reversed.")
	}
	return nil
}

// args binds a window function's arguments over the rows after grouping.
func (w *windowing) args(nodes []ast.ExprNode) ([]expr.Expr, error) {
	b := w.b
	defer b.Enter(scope.FieldList, true)()
	w.inArgs = true
	defer func() { w.inArgs = false }()
	args, err := b.Exprs(nodes...)
	if err != nil {
		return nil, err
	}
	return b.group.regroupList(args)
}

func (w *windowing) aggregate(agg expr.AggFn, args []expr.Expr, win *window, pos int) (expr.Expr, error) {
	if c, ok := args[0].(*expr.Const); ok && agg == expr.Count && !expr.IsNull(c) {
		agg, args = expr.CountStar, nil
	}
	if agg == expr.Min || agg == expr.Max {
		var err error
		if args[0], err = expr.CollatedPair(args[0]); err != nil {
			return nil, sqlerr.From(err).At(pos)
		}
	}
	f, err := expr.NewWindowAgg(agg, args, w.b.Increment())
	if err != nil {
		return nil, sqlerr.From(err).At(pos)
	}
	return expr.CollatedValue(w.add(f, win)), nil
}

// rankOrValue binds the functions other than LAG and LEAD. For NTILE and NTH_VALUE the number is
// the last argument.
func (w *windowing) rankOrValue(fn expr.WindowFn, args []expr.Expr, win *window, pos int) (expr.Expr, error) {
	n := int64(0)
	if fn == expr.Ntile || fn == expr.NthValue {
		var err error
		if n, err = windowNumber(fn, args[len(args)-1], 1, pos); err != nil {
			return nil, err
		}
		args = args[:len(args)-1]
	}
	return w.add(expr.NewWindowFunc(fn, n, args...), win), nil
}

// offsetFunction binds LAG and LEAD. A default applies if there is no such row. To detect that, it
// adds a second function over a constant, which is NULL only if the row is missing.
func (w *windowing) offsetFunction(fn expr.WindowFn, args []expr.Expr, win *window, pos int) (expr.Expr, error) {
	n := int64(1)
	if len(args) > 1 {
		var err error
		if n, err = windowNumber(fn, args[1], 0, pos); err != nil {
			return nil, err
		}
	}
	value := w.add(expr.NewWindowFunc(fn, n, args[0]), win)
	if len(args) < 3 || expr.IsNull(args[2]) {
		return value, nil
	}
	there := w.add(expr.NewWindowFunc(fn, n, &expr.Const{Value: catalog.Int(1)}), win)
	missing, err := expr.NewCall(expr.FuncIsNull, []expr.Expr{there}, pos)
	if err != nil {
		return nil, err
	}
	return expr.NewCall(expr.FuncCase, []expr.Expr{missing, args[2], value}, pos)
}

// windowNumber returns the value of an argument that must be a constant integer of at least low.
func windowNumber(fn expr.WindowFn, e expr.Expr, low int64, pos int) (int64, error) {
	c, ok := e.(*expr.Const)
	if !ok || c.Value.Null || !c.Value.Type.IsInteger() || !c.Value.Type.IsUnsigned() && c.Value.I64 < low || c.Value.I64 == 0 && low > 0 {
		return 0, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to %s", strings.ToLower(fn.String())).At(pos).
			WithHint("The argument must be a constant integer of at least %d.", low)
	}
	return statement.Clip(uint64(c.Value.I64)), nil
}

// add returns the column of a function over w, adding the function if necessary.
func (w *windowing) add(f *expr.WindowFunc, win *window) *expr.Col {
	if f.Framed() {
		f.Frame = win.frame
	}
	node := w.node(win)
	for _, it := range node.Funcs {
		if expr.EqualWindowFuncs(it.Fn, f) && !volatileFunc(f) {
			return it.Col.Ref()
		}
	}
	col := logical.Column{ID: w.b.NewID(), Name: f.String(), T: f.T, NotNull: f.NeverNull()}
	node.Funcs = append(node.Funcs, logical.WindowItem{Col: col, Fn: f})
	return col.Ref()
}

func volatileFunc(f *expr.WindowFunc) bool {
	volatile := false
	f.Exprs(func(e expr.Expr) { volatile = volatile || expr.Volatile(e) })
	return volatile
}

// node returns the plan node for a window's partition and order, adding it if necessary.
func (w *windowing) node(win *window) *logical.Window {
	for _, n := range w.nodes {
		if sameExprs(n.Partition, win.partition) && sameKeys(n.Order, win.order) {
			return n
		}
	}
	n := &logical.Window{Partition: win.partition, Order: win.order}
	w.nodes = append(w.nodes, n)
	return n
}

func sameExprs(a, b []expr.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !expr.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func sameKeys(a, b []expr.SortKey) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Desc != b[i].Desc || !expr.Equal(a[i].Expr, b[i].Expr) {
			return false
		}
	}
	return true
}
