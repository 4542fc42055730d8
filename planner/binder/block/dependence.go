package block

import (
	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// dependence computes which columns of a plan functionally depend on others: rows that agree in the fixed
// columns agree in all dependent ones. It considers keys of tables, equalities, computed columns and the groups
// of derived tables, as MySQL does for ONLY_FULL_GROUP_BY.
type dependence struct {
	fixed   map[expr.ColID]bool
	changed bool
}

// dependsOnKeys reports whether column c depends on the GROUP BY expressions. With ROLLUP a group
// may contain rows with several values of c.
func (g *grouping) dependsOnKeys(c *scope.Column) bool {
	if g.rollup != nil {
		return false
	}
	if g.fixed == nil {
		d := dependence{fixed: map[expr.ColID]bool{}}
		for _, e := range g.exprs {
			if ref, ok := e.(*expr.Col); ok {
				d.fixed[ref.ID] = true
			}
		}
		for _, s := range g.shown {
			if ref, ok := s.e.(*expr.Col); ok {
				d.fixed[ref.ID] = true
			}
		}
		for d.changed = true; d.changed; {
			d.changed = false
			d.follow(g.rows, false)
		}
		g.fixed = d.fixed
	}
	return g.fixed[c.ID]
}

// follow adds the columns that depend on the fixed ones, operator by operator. padded is set if n
// is the inner side of an outer join, whose rows may be all NULL.
func (d *dependence) follow(n logical.Node, padded bool) {
	switch x := n.(type) {
	case *logical.Scan:
		d.scan(x)
		return
	case *logical.Filter:
		for _, p := range x.Preds {
			d.equality(p, padded)
		}
	case *logical.Project:
		for i := range x.Items {
			d.item(&x.Items[i])
		}
	case *logical.Aggregate:
		d.aggregate(x)
	case *logical.Join:
		d.join(x, padded)
		return
	case *logical.Sort, *logical.Limit, *logical.Window:
	default:
		return
	}
	d.follow(n.Inputs()[0], padded)
}

func (d *dependence) add(id expr.ColID) {
	if !d.fixed[id] {
		d.fixed[id], d.changed = true, true
	}
}

// scan adds all columns of a table if a key without NULLs is fixed.
func (d *dependence) scan(s *logical.Scan) {
	schema := s.Table.Schema()
	grouped := map[int]bool{}
	for i, c := range s.Columns {
		grouped[s.Ordinals[i]] = d.fixed[c.ID]
	}
	for _, ix := range schema.Indexes {
		if ix.Unique && covered(schema, ix, grouped) {
			for _, c := range s.Columns {
				d.add(c.ID)
			}
		}
	}
}

func covered(schema *catalog.Schema, ix catalog.Index, grouped map[int]bool) bool {
	for _, o := range ix.Columns {
		if !grouped[o] || !schema.Columns[o].NotNull {
			return false
		}
	}
	return true
}

// equality adds a column that equals a fixed value.
func (d *dependence) equality(p expr.Expr, padded bool) {
	x, ok := p.(*expr.Call)
	if !ok || x.Fn != expr.FuncEQ && x.Fn != expr.FuncNullSafeEQ {
		return
	}
	for i, a := range x.Args {
		c, ok := a.(*expr.Col)
		_, plain := x.Args[1-i].(*expr.Col)
		if ok && sameValues(c.T, x.Args[1-i].Type()) && (plain || !padded) && d.follows(x.Args[1-i]) {
			d.add(c.ID)
		}
	}
}

// sameValues reports whether equality with a value of the other type determines a value of type
// t. Several texts may equal the same number.
func sameValues(t, other types.Type) bool {
	return !t.IsString() || other.IsString() && t.ID != types.JSON && other.ID != types.JSON
}

// follows reports whether e depends on the fixed columns alone.
func (d *dependence) follows(e expr.Expr) bool {
	if expr.Volatile(e) {
		return false
	}
	ok := true
	expr.Walk(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Col:
			ok = ok && d.fixed[x.ID]
		case *expr.Subquery:
			ok = false
		}
		return ok
	})
	return ok
}

func (d *dependence) item(it *logical.Item) {
	if c, ok := it.Expr.(*expr.Col); ok && d.fixed[it.Col.ID] {
		d.add(c.ID)
	}
	if d.follows(it.Expr) {
		d.add(it.Col.ID)
	}
}

func (d *dependence) aggregate(a *logical.Aggregate) {
	for _, k := range a.Keys {
		if !d.fixed[k.ID] {
			return
		}
	}
	for _, it := range a.Aggs {
		d.add(it.Col.ID)
	}
}

// join follows both sides of a join. The condition of an outer join fixes columns of its inner side if the fixed
// columns also determine whether a partner exists.
func (d *dependence) join(j *logical.Join, padded bool) {
	switch j.Kind {
	case logical.Inner:
		for _, p := range j.On {
			d.equality(p, padded)
		}
		d.follow(j.R, padded)
	case logical.Left:
		inner := map[expr.ColID]bool{}
		for _, c := range j.R.Schema() {
			inner[c.ID] = true
		}
		if d.determinesPartner(j.On, inner) {
			for _, p := range j.On {
				d.innerEquality(p, inner)
			}
		}
		d.follow(j.R, true)
	case logical.Full:
		d.follow(j.R, true)
		padded = true
	}
	d.follow(j.L, padded)
}

// determinesPartner reports whether all columns of the outer side that the condition uses are fixed.
func (d *dependence) determinesPartner(on []expr.Expr, inner map[expr.ColID]bool) bool {
	ok := true
	for _, p := range on {
		expr.Walk(p, func(e expr.Expr) bool {
			switch x := e.(type) {
			case *expr.Col:
				ok = ok && (inner[x.ID] || d.fixed[x.ID])
			case *expr.Subquery:
				ok = false
			}
			return ok
		})
	}
	return ok
}

func (d *dependence) innerEquality(p expr.Expr, inner map[expr.ColID]bool) {
	x, ok := p.(*expr.Call)
	if !ok || x.Fn != expr.FuncEQ && x.Fn != expr.FuncNullSafeEQ {
		return
	}
	for i, a := range x.Args {
		if c, ok := a.(*expr.Col); ok && inner[c.ID] && sameValues(c.T, x.Args[1-i].Type()) && d.follows(x.Args[1-i]) {
			d.add(c.ID)
		}
	}
}
