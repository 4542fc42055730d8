package query

import (
	"strings"

	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// expandView binds a reference to a view: its SELECT in a scope of its own. Errors in the SELECT
// become error 1356 at the reference, because their positions refer to the view's text.
func (f *from) expandView(v *catalog.View, alias string, pos int) (logical.Node, *scope.Scope, error) {
	id := v.DB + "." + v.Name
	for _, open := range f.Views {
		if catalog.EqualFold(open, id) {
			return nil, nil, sqlerr.New(sqlerr.ViewRecursive, "`%s`.`%s` contains view recursion", v.DB, v.Name).At(pos)
		}
	}
	r, err := f.viewQuery(v, id)
	if err != nil {
		if sqlerr.From(err).Code == sqlerr.ViewRecursive || f.Ctx.Err() != nil {
			return nil, nil, &sqlerr.Error{Code: sqlerr.From(err).Code, Msg: sqlerr.From(err).Msg, Pos: pos, Err: err}
		}
		e := &sqlerr.Error{Code: sqlerr.ViewInvalid, Pos: pos, Err: err, Hint: "Its SELECT fails: " + sqlerr.From(err).Msg + "."}
		e.Msg = "View '" + id + "' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them"
		return nil, nil, e
	}
	node, sc, err := named(r, alias, v.Columns, pos)
	if err == nil {
		sc.Sources[0].DB = strings.ToLower(v.DB)
	}
	return node, sc, err
}

// viewQuery binds a view's SELECT.
func (q *Binder) viewQuery(v *catalog.View, id string) (*Rel, error) {
	stmts, err := parse.Parse(v.SQL, v.Mode)
	if err != nil {
		return nil, err
	}
	if len(stmts) != 1 {
		return nil, sqlerr.Internal("a view of %d statements", len(stmts))
	}
	return New(q.View(v, id, &stmts[0])).nested(stmts[0].Node, nil, nil, statement.Mergeable)
}
