package rules

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// mergeFilters merges two adjacent filters.
func mergeFilters(c *context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	if in, ok := f.In.(*logical.Filter); ok {
		return &logical.Filter{In: in.In, Preds: slices.Concat(in.Preds, f.Preds)}
	}
	return n
}

// partition splits preds into those that may move and those that stay. may decides, except that
// volatile predicates never move. The lists may share memory with preds.
func partition(preds []expr.Expr, may func(expr.Expr) bool) (moved, kept []expr.Expr) {
	for i, p := range preds {
		list := &kept
		if may(p) && cond.Stable(p) {
			list = &moved
		}
		if len(*list) == i {
			*list = preds[: i+1 : i+1] // appending to it copies
		} else {
			*list = append(*list, p)
		}
	}
	return moved, kept
}

// maxSubstituted bounds the size of a predicate after substitution of its columns: each level of
// nested derived tables could double it.
const maxSubstituted = 200

// pushFilterIntoProject moves predicates below a projection, replacing its columns by their
// expressions. Predicates over volatile items stay: SELECT rand() AS r ... WHERE r > 0.5 must
// test the number that it returns.
func pushFilterIntoProject(c *context, n logical.Node) logical.Node {
	f, p, ok := filterOver[*logical.Project](n)
	if !ok {
		return n
	}
	by := itemsByID(p.Items)
	moved, kept := partition(f.Preds, func(e expr.Expr) bool {
		if cond.HasSubquery(e) {
			return false
		}
		q := cond.Substitute(e, by)
		return q == e || cond.Stable(q) && !cond.HasSubquery(q) && cond.Size(q, maxSubstituted+1) <= max(maxSubstituted, cond.Size(e, maxSubstituted+1))
	})
	if len(moved) == 0 {
		return n
	}
	below := make([]expr.Expr, len(moved))
	for i, e := range moved {
		below[i] = cond.Substitute(e, by)
	}
	return filter(&logical.Project{In: filter(p.In, below), Items: p.Items}, kept)
}

// filterOver matches a filter over a node of type T.
func filterOver[T logical.Node](n logical.Node) (*logical.Filter, T, bool) {
	var zero T
	f, ok := n.(*logical.Filter)
	if !ok {
		return nil, zero, false
	}
	in, ok := f.In.(T)
	return f, in, ok
}

// pushFilterIntoAggregate moves predicates over grouping keys below the grouping. Without keys
// nothing moves: an aggregate over no rows still returns one row.
func pushFilterIntoAggregate(c *context, n logical.Node) logical.Node {
	f, a, ok := filterOver[*logical.Aggregate](n)
	if !ok || len(a.Keys) == 0 {
		return n
	}
	var computed colset.Set
	for _, it := range a.Aggs {
		computed.Add(it.Col.ID)
	}
	moved, kept := partition(f.Preds, func(e expr.Expr) bool { return !c.refsOf(e).Meets(computed) && !cond.HasSubquery(e) })
	if len(moved) == 0 {
		return n
	}
	return filter(&logical.Aggregate{In: filter(a.In, moved), Keys: a.Keys, Aggs: a.Aggs}, kept)
}

// pushFilterIntoWindow moves predicates over partition keys below a window: these keep or drop
// whole partitions. Other predicates would change the input of the functions.
func pushFilterIntoWindow(c *context, n logical.Node) logical.Node {
	f, w, ok := filterOver[*logical.Window](n)
	if !ok {
		return n
	}
	keys := partitionColumns(w)
	moved, kept := partition(f.Preds, func(e expr.Expr) bool {
		return !cond.HasSubquery(e) && !c.refsOf(e).Minus(keys).Meets(c.out(w))
	})
	if len(moved) == 0 {
		return n
	}
	return filter(w.WithInputs([]logical.Node{filter(w.In, moved)}), kept)
}

// partitionColumns returns the partition keys that are plain columns.
func partitionColumns(w *logical.Window) colset.Set {
	var keys colset.Set
	for _, e := range w.Partition {
		if col, ok := e.(*expr.Col); ok {
			keys.Add(col.ID)
		}
	}
	return keys
}

// pushFilterIntoSetOp applies predicates to both inputs of a set operation. This is valid for all
// kinds, because a predicate has the same result for equal rows.
func pushFilterIntoSetOp(c *context, n logical.Node) logical.Node {
	f, s, ok := filterOver[*logical.SetOp](n)
	if !ok {
		return n
	}
	moved, kept := partition(f.Preds, func(e expr.Expr) bool { return !cond.HasSubquery(e) })
	if len(moved) == 0 {
		return n
	}
	m := *s
	m.L = filter(s.L, renamed(moved, s.Columns, c.schema(s.L)))
	m.R = filter(s.R, renamed(moved, s.Columns, c.schema(s.R)))
	return filter(&m, kept)
}

// renamed rewrites predicates over the columns from as predicates over to.
func renamed(preds []expr.Expr, from, to []logical.Column) []expr.Expr {
	by := make(map[expr.ColID]expr.Expr, len(from))
	for i, col := range from {
		by[col.ID] = to[i].Ref()
	}
	out := make([]expr.Expr, len(preds))
	for i, p := range preds {
		out[i] = cond.Substitute(p, by)
	}
	return out
}

// pushFilterIntoSort moves a filter below a sort.
func pushFilterIntoSort(c *context, n logical.Node) logical.Node {
	if f, s, ok := filterOver[*logical.Sort](n); ok {
		return &logical.Sort{In: filter(s.In, f.Preds), Keys: s.Keys}
	}
	return n
}

// pushFilterIntoScan moves predicates into the scan, where they may skip segments.
func pushFilterIntoScan(c *context, n logical.Node) logical.Node {
	f, s, ok := filterOver[*logical.Scan](n)
	if !ok {
		return n
	}
	moved, kept := partition(f.Preds, func(e expr.Expr) bool { return !cond.HasSubquery(e) })
	if len(moved) == 0 {
		return n
	}
	m := *s
	m.Preds = slices.Concat(s.Preds, moved)
	return filter(&m, kept)
}
