package query

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// setOperation binds a chain of UNION, EXCEPT and INTERSECT. INTERSECT binds tighter than the others, which
// apply from left to right. keeps applies to a single SELECT in parentheses.
func (q *Binder) setOperation(selects []ast.Node, order *ast.OrderByClause, limit *ast.Limit, outer *block.Block, ctes *cte, keeps statement.Digits) (*Rel, error) {
	if len(selects) > 1 {
		keeps = statement.Operand
	}
	operands := make([]*Rel, len(selects))
	for i, n := range selects {
		var err error
		if operands[i], err = q.nested(n, outer, ctes, keeps); err != nil {
			return nil, err
		}
	}
	if len(selects) > 1 {
		q.settleOperands(operands)
	}
	terms, ops := operands[:1:1], []ast.SetOprType(nil)
	for i, r := range operands[1:] {
		op := operatorBefore(selects[i+1])
		if op == ast.Intersect || op == ast.IntersectAll {
			var err error
			if r, err = q.combine(terms[len(terms)-1], r, op); err != nil {
				return nil, err
			}
			terms[len(terms)-1] = r
			continue
		}
		ops = append(ops, op)
		terms = append(terms, r)
	}
	out := terms[0]
	for i, op := range ops {
		var err error
		if out, err = q.combine(out, terms[i+1], op); err != nil {
			return nil, err
		}
	}
	return q.orderSetOperation(out, order, limit, outer, ctes)
}

// operatorBefore returns the set operator before an operand.
func operatorBefore(n ast.Node) ast.SetOprType {
	switch n := n.(type) {
	case *ast.SelectStmt:
		if n.AfterSetOperator != nil {
			return *n.AfterSetOperator
		}
	case *ast.SetOprSelectList:
		if n.AfterSetOperator != nil {
			return *n.AfterSetOperator
		}
	}
	return ast.Union
}

var setKinds = map[ast.SetOprType]struct {
	kind logical.SetKind
	all  bool
}{
	ast.Union: {logical.Union, false}, ast.UnionAll: {logical.Union, true}, ast.Except: {logical.Except, false},
	ast.ExceptAll: {logical.Except, true}, ast.Intersect: {logical.Intersect, false}, ast.IntersectAll: {logical.Intersect, true},
}

// combine applies one set operator. Both sides are cast to common column types. The names are those of the left
// side.
func (q *Binder) combine(l, r *Rel, op ast.SetOprType) (*Rel, error) {
	lc, rc := l.Node.Schema(), r.Node.Schema()
	if len(lc) != len(rc) {
		return nil, sqlerr.New(sqlerr.WrongNumberOfColumnsInSelect, "The used SELECT statements have a different number of columns").
			WithHint("The left side has %d column(s), the right side %d.", len(lc), len(rc))
	}
	k := setKinds[op]
	n := &logical.SetOp{Kind: k.kind, All: k.all, Columns: make([]logical.Column, len(lc))}
	for i := range lc {
		n.Columns[i] = logical.Column{
			ID: q.NewID(), Name: l.Names[i], T: commonColumn(l.Node, r.Node, i),
			NotNull: lc[i].NotNull && (rc[i].NotNull || k.kind == logical.Except),
			Hex:     lc[i].Hex && rc[i].Hex,
		}
	}
	n.L, n.R = scope.CastColumns(q.Statement, l.Node, n.Columns), scope.CastColumns(q.Statement, r.Node, n.Columns)
	if k.all && k.kind == logical.Union || !anyHasKey(n.Columns) {
		return &Rel{Node: n, Names: l.Names}, nil
	}
	if k.kind == logical.Union {
		n.All = true
		out, _, err := distinctBy(q.Statement, n, len(n.Columns))
		return &Rel{Node: out, Names: l.Names}, err
	}
	out, err := without(q.Statement, n)
	return &Rel{Node: out, Names: l.Names}, err
}

// settleOperands rounds columns with extra digits once, to their type in the result of all operators.
func (q *Binder) settleOperands(operands []*Rel) {
	want := slices.Clone(operands[0].Node.Schema())
	carries := false
	for _, r := range operands {
		cols := r.Node.Schema()
		if len(cols) != len(want) {
			return // combine reports the error
		}
		for i, c := range cols {
			want[i].T = expr.CommonType(want[i].T.Shown(), c.T.Shown())
			carries = carries || c.T.Carries()
		}
	}
	if !carries {
		return
	}
	for _, r := range operands {
		own := slices.Clone(r.Node.Schema())
		for i := range own {
			switch {
			case !own[i].T.Carries():
			case want[i].T.ID == types.Decimal:
				own[i].T = want[i].T
			default: // text columns have all digits
				own[i].T = own[i].T.Unrounded()
			}
		}
		r.Node = scope.CastColumns(q.Statement, r.Node, own)
	}
}

// orderSetOperation sorts and limits the result of a set operation. ORDER BY sees only its columns.
func (q *Binder) orderSetOperation(r *Rel, order *ast.OrderByClause, limit *ast.Limit, outer *block.Block, ctes *cte) (*Rel, error) {
	if order == nil && limit == nil {
		return r, nil
	}
	cols := r.Node.Schema()
	keys, items, err := q.newBlock(outer, ctes, nil).OrderOutput(cols, r.Names, order)
	if err != nil {
		return nil, err
	}
	node := r.Node
	if items != nil {
		node = &logical.Project{In: node, Items: items}
	}
	if len(keys) > 0 {
		node = &logical.Sort{In: node, Keys: keys}
	}
	if node, err = Limit(q.Statement, node, limit); err != nil {
		return nil, err
	}
	if items != nil {
		node = scope.PassThrough(node, cols)
	}
	return &Rel{Node: node, Names: r.Names}, nil
}
