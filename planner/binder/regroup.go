package binder

import (
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// regroup turns an expression over FROM's rows into one over the groups: what equals
// a GROUP BY expression becomes its key, other columns of FROM some row's value.
// Without grouping e stays as it is.
func (b *block) regroup(e expr.Expr) (expr.Expr, error) {
	g := b.group
	if g == nil {
		return e, nil
	}
	for i, k := range g.exprs {
		if expr.Equal(k, e) {
			return g.keys[i].Ref(), nil
		}
	}
	for i := range g.shown {
		if expr.Equal(g.shown[i].e, e) {
			return g.shown[i].value, nil
		}
	}
	switch x := e.(type) {
	case *expr.Col:
		if c := b.scope.byID(x.ID); c != nil && !g.makes(x.ID) {
			return b.someRow(c)
		}
	case *expr.Call:
		args, err := b.regroupList(x.Args)
		if err != nil {
			return nil, err
		}
		c := *x
		c.Args = args
		return &c, nil
	case *expr.Subquery:
		left, err := b.regroupList(x.Left)
		if err != nil {
			return nil, err
		}
		q := *x
		q.Left = left
		return &q, nil
	}
	return e, nil
}

func (b *block) regroupList(es []expr.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		var err error
		if out[i], err = b.regroup(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// regroupAll regroups a clause's expressions in place.
func (b *block) regroupAll(es []expr.Expr, at clause) error {
	defer b.enter(at, true)()
	for i := range es {
		e, err := b.regroup(es[i])
		if err != nil {
			return err
		}
		es[i] = e
	}
	return nil
}

// someRow gives the value of column c in some row of the group, or error 1055 or
// 1140 where sql_mode asks for ONLY_FULL_GROUP_BY and the groups do not fix it.
func (b *block) someRow(c *column) (expr.Expr, error) {
	if ref := b.group.first[c.ID]; ref != nil {
		return ref, nil
	}
	if b.full && !b.dependsOnKeys(c) {
		return nil, b.notGrouped(c)
	}
	a, err := expr.NewAgg(expr.First, []expr.Expr{c.Ref()}, false)
	if err != nil {
		return nil, err
	}
	ref := b.addAgg(a, c.NotNull && b.group.explicit)
	b.group.first[c.ID] = ref
	return ref, nil
}

func (b *block) notGrouped(c *column) error {
	name := b.prefix(c) + c.Name
	if !b.group.explicit {
		return sqlerr.New(sqlerr.MixOfGroupFuncAndFields, "In aggregated query without GROUP BY, expression #%d of %s contains nonaggregated column '%s'; this is incompatible with sql_mode=only_full_group_by", len(b.items)+1, b.listName(), name).
			At(b.find(c.Name, 0))
	}
	return sqlerr.New(sqlerr.WrongFieldWithGroup, "Expression #%d of %s is not in GROUP BY clause and contains nonaggregated column '%s' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by", len(b.items)+1, b.listName(), name).
		At(b.find(c.Name, 0)).WithHint("Add the column to GROUP BY, or write ANY_VALUE(%s).", c.Name)
}

// listName is how MySQL calls the clause at hand in errors 1055 and 1140.
func (b *block) listName() string {
	switch b.at {
	case having:
		return "HAVING clause"
	case orderBy:
		return "ORDER BY clause"
	}
	return "SELECT list"
}

// prefix gives the prefix "db.table." of a column for messages.
func (b *block) prefix(c *column) string {
	if c.src == nil {
		return ""
	}
	if c.src.db == "" {
		return c.src.alias + "."
	}
	return c.src.db + "." + c.src.alias + "."
}
