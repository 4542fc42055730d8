package query

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/sqlerr"
)

// cte is a common table expression in scope. It is bound anew for each reference.
type cte struct {
	name    string // lower case
	columns []string
	query   *ast.SubqueryExpr
	outer   *block.Block // the block of the WITH clause
	next    *cte         // the expressions defined before it

	mayRecurse bool       // defined in a WITH RECURSIVE
	self       *recursion // set while its own definition is bound, for the references in it
}

// find returns the expression in scope with the given name, or nil.
func (c *cte) find(name string) *cte {
	for ; c != nil; c = c.next {
		if c.name == name {
			return c
		}
	}
	return nil
}

// with adds the expressions of a WITH clause to those in scope.
func (q *Binder) with(n *ast.WithClause, outer *block.Block, ctes *cte) (*cte, error) {
	if n == nil {
		return ctes, nil
	}
	seen := map[string]bool{}
	for _, def := range n.CTEs {
		if seen[def.Name.L] {
			return nil, sqlerr.New(sqlerr.NonUniqTable, "Not unique table/alias: '%s'", def.Name.O).At(q.Find(def.Name.O, 0))
		}
		seen[def.Name.L] = true
		var names []string
		for _, c := range def.ColNameList {
			names = append(names, c.O)
		}
		ctes = &cte{name: def.Name.L, columns: names, query: def.Query, outer: outer, next: ctes, mayRecurse: n.IsRecursive}
	}
	return ctes, nil
}

// expandCTE binds a reference to a common table expression.
func (f *from) expandCTE(c *cte, alias string, pos int) (logical.Node, *scope.Scope, error) {
	if c.self != nil {
		return f.workTable(c.self, alias, pos)
	}
	r, err := f.cteQuery(c)
	if err != nil {
		return nil, nil, err
	}
	return named(r, alias, c.columns, pos)
}

// cteQuery binds a common table expression's query.
func (q *Binder) cteQuery(c *cte) (*Rel, error) {
	if c.mayRecurse {
		if set, ok := c.query.Query.(*ast.SetOprStmt); ok && refersTo(c.name, set.SelectList) {
			return q.recursive(c, set)
		}
		if refersTo(c.name, c.query.Query) {
			return nil, sqlerr.New(sqlerr.CTERequiresUnion, "Recursive Common Table Expression '%s' should contain a UNION", c.name).
				At(q.Find(c.name, 0)).WithHint("Write a SELECT of its first rows, UNION ALL, and the SELECT that derives further rows.")
		}
	}
	return q.nested(c.query.Query, c.outer, c.next, statement.Mergeable)
}
