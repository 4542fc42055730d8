package query

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// recursion is the state of a recursive common table expression while the SELECTs that refer to it are bound.
type recursion struct {
	name    string
	columns []logical.Column // of the non-recursive part, which alone determines names and types
	work    int
	sel     *ast.SelectStmt // the SELECT being bound, nil within the non-recursive part
	used    bool            // the SELECT already refers to the expression
}

// recursive binds a common table expression that refers to itself: SELECTs without such
// references, then SELECTs with them, connected by UNION.
func (q *Binder) recursive(c *cte, n *ast.SetOprStmt) (*Rel, error) {
	rec := &recursion{name: c.name}
	ctes, err := q.with(n.With, c.outer, &cte{name: c.name, self: rec, outer: c.outer, next: c.next})
	if err != nil {
		return nil, err
	}
	selects := n.SelectList.Selects
	first := 0
	for !refersTo(c.name, selects[first]) {
		first++
	}
	if first == 0 {
		return nil, seedFirst(c.name, q.Find(c.name, 0))
	}
	if n.OrderBy != nil {
		return nil, sqlerr.Unsupported(q.Find("ORDER", 0), "ORDER BY over UNION in recursive Common Table Expression")
	}
	seed, err := q.setOperation(selects[:first], nil, nil, c.outer, ctes, statement.ShownOnly)
	if err != nil {
		return nil, err
	}
	rec.columns, rec.work = recursiveColumns(seed, c.columns), int(q.NewID())
	node := &logical.Recursive{Name: c.name, Seed: scope.CastColumns(q.Statement, seed.Node, rec.columns), Work: rec.work, Columns: scope.Renewed(q.Statement, rec.columns), Count: -1}
	if node.Distinct, err = q.distinctSteps(c.name, selects[first:]); err != nil {
		return nil, err
	}
	for _, sel := range selects[first:] {
		step, err := q.recursiveStep(rec, sel, c.outer, ctes)
		if err != nil {
			return nil, err
		}
		if node.Step != nil {
			step = &logical.SetOp{Kind: logical.Union, All: true, L: node.Step, R: step, Columns: scope.Renewed(q.Statement, rec.columns)}
		}
		node.Step = step
	}
	if n.Limit != nil {
		l, err := Limit(q.Statement, nil, n.Limit)
		if err != nil {
			return nil, err
		}
		node.Count, node.Offset = l.(*logical.Limit).Count, l.(*logical.Limit).Offset
	}
	return &Rel{Node: node, Names: seed.Names}, nil
}

// recursiveColumns returns the columns of a recursive expression: those of the non-recursive
// part, all nullable and stored. As in MySQL, a DECIMAL has a digit before the point: 0.5 is DECIMAL(2,1).
func recursiveColumns(seed *Rel, names []string) []logical.Column {
	cols := append([]logical.Column(nil), seed.Node.Schema()...)
	for i := range cols {
		cols[i].Name, cols[i].NotNull, cols[i].Hex = seed.Names[i], false, false
		if t := cols[i].T; t.ID == types.Decimal && t.Prec == t.Scale {
			cols[i].T = types.Dec(int(t.Prec)+1, int(t.Scale))
		}
		if i < len(names) {
			cols[i].Name = names[i]
		}
	}
	return cols
}

func seedFirst(name string, pos int) error {
	return sqlerr.New(sqlerr.CTESeedFirst, "Recursive Common Table Expression '%s' should have one or more non-recursive query blocks followed by one or more recursive ones", name).At(pos)
}

// distinctSteps checks the operators before the recursive SELECTs and reports whether duplicate
// rows are removed. UNION after UNION ALL also removes the duplicates of all previous rows.
func (q *Binder) distinctSteps(name string, steps []ast.Node) (distinct bool, err error) {
	for i, n := range steps {
		switch operatorBefore(n) {
		case ast.Union:
			distinct = true
		case ast.UnionAll:
			if distinct && i > 0 {
				return false, sqlerr.Unsupported(q.Find(name, 0), "recursive query blocks with UNION DISTINCT then UNION ALL, in recursive Common Table Expression")
			}
		default:
			return false, sqlerr.New(sqlerr.CTENotUnion, "Recursive table reference in EXCEPT or INTERSECT operand is not allowed.").At(q.Find(name, 0))
		}
	}
	return distinct, nil
}

// recursiveStep binds a SELECT that refers to the expression. Its columns are converted to those
// of the expression, as by INSERT.
func (q *Binder) recursiveStep(rec *recursion, n ast.Node, outer *block.Block, ctes *cte) (logical.Node, error) {
	sel, ok := unparenthesized(n)
	switch {
	case !refersTo(rec.name, n):
		return nil, seedFirst(rec.name, q.Find(rec.name, 0))
	case !ok:
		return nil, sqlerr.Unsupported(q.Find(rec.name, 0), "a recursive SELECT within parentheses with others, or with WITH, ORDER BY or LIMIT")
	case sel.Distinct || sel.OrderBy != nil || sel.Limit != nil:
		return nil, sqlerr.Unsupported(q.Find(rec.name, 0), "ORDER BY / LIMIT / SELECT DISTINCT in recursive query block of Common Table Expression")
	}
	rec.sel, rec.used = sel, false
	r, err := q.nested(sel, outer, ctes, statement.ShownOnly)
	rec.sel = nil
	if err != nil {
		return nil, err
	}
	if err := recursionRules(r.Node, rec, q.Find(rec.name, 0)); err != nil {
		return nil, err
	}
	cols := r.Node.Schema()
	if len(cols) != len(rec.columns) {
		return nil, sqlerr.New(sqlerr.WrongNumberOfColumnsInSelect, "The used SELECT statements have a different number of columns").
			WithHint("The non-recursive part has %d column(s), the recursive one %d.", len(rec.columns), len(cols))
	}
	items := make([]logical.Item, len(cols))
	for i, want := range scope.Renewed(q.Statement, rec.columns) {
		if want.T.ID == types.Null && cols[i].T.ID != types.Null {
			return nil, sqlerr.New(sqlerr.DataTooLong, "Data too long for column '%s' at row 1", want.Name).At(q.Find(rec.name, 0)).
				WithHint("The non-recursive part determines the type: write CAST(NULL AS ...) there.")
		}
		items[i] = logical.Item{Col: want, Expr: q.storedAs(cols[i].Ref(), want)}
	}
	return &logical.Project{In: r.Node, Items: items}, nil
}

// unparenthesized removes the parentheses around a single SELECT.
func unparenthesized(n ast.Node) (*ast.SelectStmt, bool) {
	for {
		switch x := n.(type) {
		case *ast.SelectStmt:
			return x, true
		case *ast.SetOprSelectList:
			if len(x.Selects) != 1 || x.With != nil || x.OrderBy != nil || x.Limit != nil {
				return nil, false
			}
			n = x.Selects[0]
		default:
			return nil, false
		}
	}
}

// storedAs converts e to the type of a recursive expression's column.
func (q *Binder) storedAs(e expr.Expr, c logical.Column) expr.Expr {
	if !q.Mode.Strict() {
		return expr.Cast(e, c.T)
	}
	return expr.Assign(e, c.T, c.Name, -1)
}

// workTable binds the reference to the expression in one of its recursive SELECTs.
func (f *from) workTable(rec *recursion, alias string, pos int) (logical.Node, *scope.Scope, error) {
	switch {
	case rec.columns == nil || rec.sel == nil:
		return nil, nil, seedFirst(rec.name, pos)
	case rec.sel != f.sel || rec.used:
		return nil, nil, sqlerr.New(sqlerr.CTESingleReference, "In recursive query block of Recursive Common Table Expression '%s', the recursive table must be referenced only once, and not in any subquery", rec.name).At(pos)
	}
	rec.used = true
	node := &logical.WorkTable{Work: rec.work, Alias: alias, Columns: scope.Renewed(f.Statement, rec.columns)}
	for i := range node.Columns {
		node.Columns[i].Table = alias
	}
	return node, scope.New(&scope.Source{Key: strings.ToLower(alias), Alias: alias}, node.Columns), nil
}

// recursionRules checks the operators between a recursive SELECT's root and its work table: their result for a
// row must not depend on other rows of the iteration.
func recursionRules(n logical.Node, rec *recursion, pos int) error {
	switch x := n.(type) {
	case *logical.Aggregate, *logical.Window:
		if holdsWork(n, rec.work) {
			return sqlerr.New(sqlerr.CTEForbidsAggregation, "Recursive Common Table Expression '%s' can contain neither aggregation nor window functions in recursive query block", rec.name).At(pos)
		}
	case *logical.Join:
		if x.Kind != logical.Inner && holdsWork(x.R, rec.work) || x.Kind == logical.Full && holdsWork(x.L, rec.work) || x.Hint != nil && x.Hint.Straight && holdsWork(x.R, rec.work) {
			return sqlerr.New(sqlerr.CTEForbiddenJoinOrder, "In recursive query block of Recursive Common Table Expression '%s', the recursive table must neither be in the right argument of a LEFT JOIN, nor be forced to be non-first with join order hints", rec.name).At(pos)
		}
	}
	for _, in := range n.Inputs() {
		if err := recursionRules(in, rec, pos); err != nil {
			return err
		}
	}
	return nil
}

func holdsWork(n logical.Node, work int) bool {
	if w, ok := n.(*logical.WorkTable); ok {
		return w.Work == work
	}
	for _, in := range n.Inputs() {
		if holdsWork(in, work) {
			return true
		}
	}
	return false
}

// refersTo reports whether a query refers to a common table expression anywhere, except below a WITH that
// redefines the name.
func refersTo(name string, n ast.Node) bool {
	f := cteFinder{name: name}
	n.Accept(&f)
	return f.found
}

type cteFinder struct {
	name  string
	found bool
}

// Enter implements ast.Visitor.
func (f *cteFinder) Enter(n ast.Node) (ast.Node, bool) {
	var with *ast.WithClause
	switch x := n.(type) {
	case *ast.TableName:
		f.found = f.found || x.Schema.L == "" && x.Name.L == f.name
	case *ast.SelectStmt:
		with = x.With
	case *ast.SetOprStmt:
		with = x.With
	case *ast.SetOprSelectList:
		with = x.With
	}
	return n, f.found || redefines(with, f.name)
}

func redefines(with *ast.WithClause, name string) bool {
	if with == nil {
		return false
	}
	for _, c := range with.CTEs {
		if c.Name.L == name {
			return true
		}
	}
	return false
}

// Leave implements ast.Visitor.
func (f *cteFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }
