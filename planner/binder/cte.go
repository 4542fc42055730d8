package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// cte is a common table expression in scope. It is bound anew for every reference.
type cte struct {
	name    string // lower case
	columns []string
	query   *ast.SubqueryExpr
	outer   *block // the block around the WITH
	next    *cte   // the ones defined before it

	mayRecurse bool       // defined in a WITH RECURSIVE
	self       *recursion // what its own definition sees in its place
}

// find looks a name up among the expressions in scope, or gives nil.
func (c *cte) find(name string) *cte {
	for ; c != nil; c = c.next {
		if c.name == name {
			return c
		}
	}
	return nil
}

// with adds the expressions of a WITH clause to those in scope.
func (s *statement) with(n *ast.WithClause, outer *block, scope *cte) (*cte, error) {
	if n == nil {
		return scope, nil
	}
	seen := map[string]bool{}
	for _, def := range n.CTEs {
		if seen[def.Name.L] {
			return nil, sqlerr.New(sqlerr.NonUniqTable, "Not unique table/alias: '%s'", def.Name.O).At(s.find(def.Name.O, 0))
		}
		seen[def.Name.L] = true
		var names []string
		for _, c := range def.ColNameList {
			names = append(names, c.O)
		}
		scope = &cte{name: def.Name.L, columns: names, query: def.Query, outer: outer, next: scope, mayRecurse: n.IsRecursive}
	}
	return scope, nil
}

// expandCTE binds a reference to a common table expression.
func (b *block) expandCTE(c *cte, alias string, pos int) (logical.Node, *scope, error) {
	if c.self != nil {
		return b.workTable(c.self, alias, pos)
	}
	r, err := b.cteQuery(c)
	if err != nil {
		return nil, nil, err
	}
	return b.named(r, alias, c.columns, pos)
}

// cteQuery binds a common table expression's query.
func (b *block) cteQuery(c *cte) (*rel, error) {
	if c.mayRecurse {
		if set, ok := c.query.Query.(*ast.SetOprStmt); ok && refersTo(c.name, set.SelectList) {
			return b.recursive(c, set)
		}
		if refersTo(c.name, c.query.Query) {
			return nil, sqlerr.New(sqlerr.CTERequiresUnion, "Recursive Common Table Expression '%s' should contain a UNION", c.name).
				At(b.find(c.name, 0)).WithHint("Write its first rows, UNION ALL, and the SELECT that makes more of them.")
		}
	}
	return b.query(c.query.Query, c.outer, c.next)
}

// expandView binds a reference to a view: its SELECT in a scope of its own. Errors
// within it are error 1356 at the reference, for their positions are in the view's
// text.
func (b *block) expandView(v *catalog.View, alias string, pos int) (logical.Node, *scope, error) {
	id := v.DB + "." + v.Name
	for _, open := range b.views {
		if catalog.EqualFold(open, id) {
			return nil, nil, sqlerr.New(sqlerr.ViewRecursive, "`%s`.`%s` contains view recursion", v.DB, v.Name).At(pos)
		}
	}
	r, err := b.viewQuery(v, id)
	if err != nil {
		if sqlerr.From(err).Code == sqlerr.ViewRecursive || b.ctx.Err() != nil {
			return nil, nil, &sqlerr.Error{Code: sqlerr.From(err).Code, Msg: sqlerr.From(err).Msg, Pos: pos, Err: err}
		}
		e := &sqlerr.Error{Code: sqlerr.ViewInvalid, Pos: pos, Err: err, Hint: "Its SELECT fails: " + sqlerr.From(err).Msg + "."}
		e.Msg = "View '" + id + "' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them"
		return nil, nil, e
	}
	node, sc, err := b.named(r, alias, v.Columns, pos)
	if err == nil {
		sc.sources[0].db = strings.ToLower(v.DB)
	}
	return node, sc, err
}

// viewQuery binds a view's SELECT.
func (b *block) viewQuery(v *catalog.View, id string) (*rel, error) {
	stmts, err := parse.Parse(v.SQL, v.Mode)
	if err != nil {
		return nil, err
	}
	if len(stmts) != 1 {
		return nil, sqlerr.Internal("a view of %d statements", len(stmts))
	}
	b.shared.room += exprsPerByte * len(stmts[0].Text)
	inner := &statement{
		Binder: New(b.res.In(v.Within), b.session), ctx: b.ctx, db: v.Within, text: stmts[0].Text, hints: newHints(stmts[0].Hints), shared: b.shared, full: b.full, mode: v.Mode, joins: stmts[0].Joins, zone: b.zone,
		views: append(b.views[:len(b.views):len(b.views)], id),
	}
	return inner.query(stmts[0].Node, nil, nil)
}
