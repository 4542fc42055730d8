package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// setOperation binds a chain of UNION, EXCEPT and INTERSECT. INTERSECT binds tighter
// than the others, which go from left to right.
func (s *statement) setOperation(selects []ast.Node, order *ast.OrderByClause, limit *ast.Limit, outer *block, ctes *cte) (*rel, error) {
	var terms []*rel
	var ops []ast.SetOprType
	for _, n := range selects {
		r, err := s.query(n, outer, ctes)
		if err != nil {
			return nil, err
		}
		op := operatorBefore(n)
		if len(terms) > 0 && (op == ast.Intersect || op == ast.IntersectAll) {
			if r, err = s.combine(terms[len(terms)-1], r, op); err != nil {
				return nil, err
			}
			terms[len(terms)-1] = r
			continue
		}
		if len(terms) > 0 {
			ops = append(ops, op)
		}
		terms = append(terms, r)
	}
	out := terms[0]
	for i, op := range ops {
		var err error
		if out, err = s.combine(out, terms[i+1], op); err != nil {
			return nil, err
		}
	}
	return s.orderSetOperation(out, order, limit, outer, ctes)
}

// operatorBefore gives the set operator that stands before an operand.
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

// combine applies one set operator. Both sides are cast to common column types; the
// names are the left side's.
func (s *statement) combine(l, r *rel, op ast.SetOprType) (*rel, error) {
	lc, rc := l.node.Schema(), r.node.Schema()
	if len(lc) != len(rc) {
		return nil, sqlerr.New(sqlerr.WrongNumberOfColumnsInSelect, "The used SELECT statements have a different number of columns").
			WithHint("The left side has %d column(s), the right side %d.", len(lc), len(rc))
	}
	k := setKinds[op]
	n := &logical.SetOp{Kind: k.kind, All: k.all, Columns: make([]logical.Column, len(lc))}
	for i := range lc {
		n.Columns[i] = logical.Column{
			ID: s.newID(), Name: l.names[i], T: commonColumn(l.node, r.node, i),
			NotNull: lc[i].NotNull && (rc[i].NotNull || k.kind == logical.Except),
		}
	}
	n.L, n.R = s.castColumns(l.node, n.Columns), s.castColumns(r.node, n.Columns)
	if k.all && k.kind == logical.Union || !anyHasKey(n.Columns) {
		return &rel{node: n, names: l.names}, nil
	}
	if k.kind == logical.Union {
		n.All = true
		out, _, err := s.distinctBy(n, len(n.Columns))
		return &rel{node: out, names: l.names}, err
	}
	out, err := s.without(n)
	return &rel{node: out, names: l.names}, err
}

// castColumns gives node's columns the types of want.
func (s *statement) castColumns(node logical.Node, want []logical.Column) logical.Node {
	cols := node.Schema()
	items := make([]logical.Item, len(cols))
	changed := false
	for i, c := range cols {
		items[i] = logical.Item{Col: c, Expr: c.Ref()}
		if c.T != want[i].T {
			changed = true
			items[i].Expr = expr.Cast(c.Ref(), want[i].T)
			items[i].Col.ID, items[i].Col.T = s.newID(), want[i].T
		}
	}
	if !changed {
		return node
	}
	return &logical.Project{In: node, Items: items}
}

// orderSetOperation sorts and limits the result of a set operation; ORDER BY sees its
// columns alone.
func (s *statement) orderSetOperation(r *rel, order *ast.OrderByClause, limit *ast.Limit, outer *block, ctes *cte) (*rel, error) {
	if order == nil && limit == nil {
		return r, nil
	}
	cols := r.node.Schema()
	b := s.newBlock(outer, ctes, newScope(&source{}, cols))
	for i, c := range cols {
		name := r.names[i]
		b.scope.cols[i].key = strings.ToLower(name)
		b.items = append(b.items, item{col: c, e: c.Ref(), name: name, key: strings.ToLower(name)})
	}
	keys, err := b.sortKeys(order)
	if err != nil {
		return nil, err
	}
	node := r.node
	if len(b.items) > len(cols) {
		items := make([]logical.Item, len(b.items))
		for i, it := range b.items {
			items[i] = logical.Item{Col: it.col, Expr: it.e}
		}
		node = &logical.Project{In: node, Items: items}
	}
	if len(keys) > 0 {
		node = &logical.Sort{In: node, Keys: keys}
	}
	if node, err = b.limit(node, limit); err != nil {
		return nil, err
	}
	if len(b.items) > len(cols) {
		node = passThrough(node, cols)
	}
	return &rel{node: node, names: r.names}, nil
}
