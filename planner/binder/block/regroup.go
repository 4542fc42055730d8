package block

import (
	"gsql/planner/binder/scope"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// regroup rewrites an expression over FROM's rows to one over the groups. A subexpression equal
// to a GROUP BY expression becomes its key, and other columns of FROM become the value of an
// arbitrary row. Without grouping, e is unchanged.
func (g *grouping) regroup(e expr.Expr) (expr.Expr, error) {
	if g == nil {
		return e, nil
	}
	shown := expr.Shown(e)
	for i, k := range g.exprs {
		if expr.Equal(k, shown) {
			return expr.Cast(g.keys[i].Ref(), e.Type()), nil
		}
	}
	for i := range g.shown {
		if expr.Equal(g.shown[i].e, e) {
			return g.shown[i].value, nil
		}
	}
	switch x := e.(type) {
	case *expr.Col:
		if c := g.b.Scope.ByID(x.ID); c != nil && !g.makes(x.ID) {
			return g.someRow(c)
		}
	case *expr.Call:
		args, err := g.regroupList(x.Args)
		if err != nil {
			return nil, err
		}
		c := *x
		c.Args = args
		return &c, nil
	case *expr.Subquery:
		left, err := g.regroupList(x.Left)
		if err != nil {
			return nil, err
		}
		q := *x
		q.Left = left
		return &q, nil
	}
	return e, nil
}

func (g *grouping) regroupList(es []expr.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		var err error
		if out[i], err = g.regroup(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// regroupAll regroups the expressions of a clause in place.
func (g *grouping) regroupAll(es []expr.Expr, at scope.Clause) error {
	defer g.b.Enter(at, true)()
	for i := range es {
		e, err := g.regroup(es[i])
		if err != nil {
			return err
		}
		es[i] = e
	}
	return nil
}

// someRow returns the value of column c in an arbitrary row of the group. It returns error 1055 or 1140 if
// sql_mode includes ONLY_FULL_GROUP_BY and c does not depend on the keys.
func (g *grouping) someRow(c *scope.Column) (expr.Expr, error) {
	if ref := g.first[c.ID]; ref != nil {
		return ref, nil
	}
	if g.b.Full && !g.dependsOnKeys(c) {
		return nil, g.notGrouped(c)
	}
	a, err := expr.NewAgg(expr.First, []expr.Expr{c.Ref()}, false)
	if err != nil {
		return nil, err
	}
	ref := g.addAgg(a, c.NotNull && g.explicit)
	g.first[c.ID] = ref
	return ref, nil
}

func (g *grouping) notGrouped(c *scope.Column) error {
	name := prefix(c) + c.Name
	if !g.explicit {
		return sqlerr.New(sqlerr.MixOfGroupFuncAndFields, "In aggregated query without GROUP BY, expression #%d of %s contains nonaggregated column '%s'; this is incompatible with sql_mode=only_full_group_by", len(g.b.list.items)+1, listName(g.b.At), name).
			At(g.b.Find(c.Name, 0))
	}
	return sqlerr.New(sqlerr.WrongFieldWithGroup, "Expression #%d of %s is not in GROUP BY clause and contains nonaggregated column '%s' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by", len(g.b.list.items)+1, listName(g.b.At), name).
		At(g.b.Find(c.Name, 0)).WithHint("Add the column to GROUP BY, or write ANY_VALUE(%s).", c.Name)
}

// listName returns MySQL's name for a clause in errors 1055 and 1140.
func listName(at scope.Clause) string {
	switch at {
	case scope.Having:
		return "HAVING clause"
	case scope.OrderBy:
		return "ORDER BY clause"
	}
	return "SELECT list"
}

// prefix returns the prefix "db.table." of a column in messages.
func prefix(c *scope.Column) string {
	if c.Source == nil {
		return ""
	}
	if c.Source.DB == "" {
		return c.Source.Alias + "."
	}
	return c.Source.DB + "." + c.Source.Alias + "."
}
