package lower

import (
	"errors"
	"slices"

	"gsql/gpu/column"
	"gsql/gpu/pipeline"
	"gsql/internal/dec128"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// uniting makes unions of flows.
type uniting struct{ *lowering }

// union returns a flow over the rows of both inputs, which end in Writes to the same columns.
func (l uniting) union(n *physical.Node, op *physical.SetOp) (*flow, error) {
	f, err := l.concatenated(n, op.Set != logical.Union)
	switch {
	case err != nil:
		return nil, err
	case op.All && op.Set == logical.Union:
		return f, nil
	case op.All:
		return newWindowing(l.lowering).ofAll(f, n, op)
	}
	keys := make([]expr.Expr, len(n.Cols))
	for i, c := range n.Cols {
		keys[i] = c.Ref()
	}
	if op.Set == logical.Union {
		return l.groupRows(f, n, &physical.HashAgg{Keys: keys})
	}
	return l.ofSides(f, n, op, keys)
}

// The number of a row's side of a set operation, and the least and the greatest one of each group.
const (
	sideColumn expr.ColID = -1 - iota
	leastSide
	greatestSide
)

// ofSides groups the rows of both inputs, and keeps those that are in the first and in the second, or in
// the first alone.
func (l uniting) ofSides(f *flow, n *physical.Node, op *physical.SetOp, keys []expr.Expr) (*flow, error) {
	number := types.T(types.Int64)
	side := []expr.Expr{&expr.Col{ID: sideColumn, T: number}}
	groups := *n
	groups.Cols = append(slices.Clip(n.Cols), logical.Column{ID: leastSide, T: number}, logical.Column{ID: greatestSide, T: number})
	out, err := l.groupRows(f, &groups, &physical.HashAgg{Keys: keys, Aggs: []*expr.Agg{{Fn: expr.Min, Args: side, T: number}, {Fn: expr.Max, Args: side, T: number}}})
	if err != nil {
		return nil, err
	}
	least, most := out.env[leastSide].v.e, out.env[greatestSide].v.e
	kept := l.Compare(pipeline.OpEQ, most, l.Int(0))
	if op.Set == logical.Intersect {
		kept = l.Compare(pipeline.OpLT, least, most)
	}
	out.Stages = append(out.Stages, pipeline.Stage{Pred: kept, Selectivity: min(1, n.Est.Rows/max(f.est, 1))})
	return out, nil
}

// ofAll sorts the rows of both inputs by their columns and their side. As many of the first side's equal rows as
// there are in the second, those at the first places, are in an intersection, and the others in a difference.
func (w *windowing) ofAll(f *flow, n *physical.Node, op *physical.SetOp) (*flow, error) {
	keys := make([]expr.SortKey, len(n.Cols))
	for i, c := range n.Cols {
		keys[i] = expr.SortKey{Expr: c.Ref()}
	}
	digits, err := ordered{w.lowering}.digits(f.env, keys)
	if err != nil {
		return nil, err
	}
	p, err := ordered{w.lowering}.packed(digits)
	if err != nil {
		return nil, err
	}
	w.ends[len(keys)] = len(p.words)
	rows := *n
	rows.Cols = append(slices.Clip(n.Cols), logical.Column{ID: sideColumn, T: types.T(types.Int64)})
	rows.Est.Rows = f.est
	if err := w.sort(f, &rows, append(p.words, f.env[sideColumn].v.e)); err != nil {
		return nil, err
	}
	side, equal := w.at.env[sideColumn].v.e, w.level(len(keys))
	sums, err := w.sumsOf(side)
	if err != nil {
		return nil, err
	}
	others := w.minus(w.sumBefore(sums, equal.end), w.sumBefore(sums, equal.first))
	compare := pipeline.OpLT
	if op.Set == logical.Except {
		compare = pipeline.OpGE
	}
	kept := w.And(w.Compare(pipeline.OpEQ, side, w.Int(0)), w.Compare(compare, w.minus(w.place, equal.first), others))
	w.at.Stages = append(w.at.Stages, pipeline.Stage{Pred: kept, Selectivity: min(1, n.Est.Rows/max(f.est, 1))})
	return w.at, nil
}

// concatenated returns the rows of both inputs, with the numbers of their sides if these are asked for.
func (l uniting) concatenated(n *physical.Node, numbered bool) (*flow, error) {
	var sides [2]*flow
	rows, most := 0.0, 0.0
	for i, in := range n.In {
		f, err := l.input(in)
		if err != nil {
			return nil, err
		}
		sides[i] = f
		rows += f.est
		most += f.most
	}
	size := int64(max(1, min(max(1024, 1.5*rows*l.factor), most, 1<<31)))
	count := l.array(4, 1, 0, 0, 1<<32-1)
	out := &flow{
		Pipeline: pipeline.Pipeline{Name: sides[0].Name + " and " + sides[1].Name, Rows: size, Counted: count},
		env:      map[expr.ColID]*binding{}, est: rows, most: most,
	}
	for _, f := range sides {
		f.Sink = pipeline.Sink{Op: pipeline.Write, Count: count}
	}
	for i, c := range n.Cols {
		x, err := sides[0].env[n.In[0].Cols[i].ID].value()
		if err != nil {
			return nil, err
		}
		y, err := sides[1].env[n.In[1].Cols[i].ID].value()
		if err != nil {
			return nil, err
		}
		if x, y, err = l.alike(x, y); err != nil {
			return nil, err
		}
		v := x
		v.e = l.united(&sides[0].Sink, &sides[1].Sink, x.e, y.e, size)
		out.env[c.ID] = &binding{done: true, v: v}
	}
	if numbered {
		e := l.united(&sides[0].Sink, &sides[1].Sink, l.Int(0), l.Int(1), size)
		out.env[sideColumn] = &binding{done: true, v: value{e: e}}
	}
	for _, f := range sides {
		l.Program.Pipelines = append(l.Program.Pipelines, f.Pipeline)
	}
	return out, nil
}

// alike returns two values as numbers of one kind and scale, or as codes of one dictionary.
func (l uniting) alike(x, y value) (_, _ value, err error) {
	x, errX := l.settled(x)
	y, errY := l.settled(y)
	if err := errors.Join(errX, errY); err != nil {
		return x, y, err
	}
	if x.text || y.text {
		return l.alikeTexts(x, y)
	}
	a, errA := l.number(x)
	b, errB := l.number(y)
	if err := errors.Join(errA, errB); err != nil {
		return x, y, err
	}
	scale := max(x.scale, y.scale)
	if a, err = l.aligned(a, x.scale, scale); err != nil {
		return x, y, err
	}
	if b, err = l.aligned(b, y.scale, scale); err != nil {
		return x, y, err
	}
	switch {
	case a.Op == pipeline.OpNull:
		a = l.Null(b.Kind)
	case b.Op == pipeline.OpNull:
		b = l.Null(a.Kind)
	case (a.Kind == pipeline.Float) != (b.Kind == pipeline.Float):
		return x, y, errors.New("a union of two kinds of numbers has no device form")
	}
	a, b = l.together(a, b)
	return value{e: a, scale: scale}, value{e: b, scale: scale}, nil
}

// alikeTexts returns two texts as codes of the dictionary of the texts of both.
func (l uniting) alikeTexts(x, y value) (_, _ value, err error) {
	for _, v := range []*value{&x, &y} {
		switch {
		case v.literal != nil:
			*v = value{e: l.Int(0), text: true, texts: &column.Dictionary{Texts: []string{*v.literal}}}
		case v.e.Op == pipeline.OpNull:
			v.text, v.texts = true, &column.Dictionary{}
		case !v.text:
			return x, y, errors.New("a union of a text and a number has no device form")
		}
	}
	if x.texts == nil || y.texts == nil { // while only statistics are known
		x.texts, y.texts = nil, nil
		return x, y, nil
	}
	if x.texts == y.texts {
		return x, y, nil
	}
	all := &column.Dictionary{Texts: slices.Compact(slices.Sorted(slices.Values(slices.Concat(x.texts.Texts, y.texts.Texts))))}
	for _, v := range []*value{&x, &y} {
		if v.e.Op != pipeline.OpNull {
			v.e = l.translated(*v, value{texts: all})
		}
		v.texts = all
	}
	return x, y, nil
}

// united adds stores of two expressions to the same columns of a size, and returns what was stored. NULLs
// take a column of their own.
func (l uniting) united(a, b *pipeline.Sink, x, y *pipeline.Expr, size int64) *pipeline.Expr {
	if x.Kind == pipeline.Int128 {
		low, high := l.united(a, b, l.Low(x), l.Low(y), size), l.united(a, b, l.High(x), l.High(y), size)
		least, most := x.Least, x.Most
		if dec128.Cmp(y.Least, least) < 0 {
			least = y.Least
		}
		if dec128.Cmp(y.Most, most) > 0 {
			most = y.Most
		}
		return l.Words(low, high, least, most)
	}
	least, most := min(x.Min, y.Min, 0), max(x.Max, y.Max, 0)
	c := pipeline.Column{Kind: x.Kind, Width: 8, Min: least, Max: most, Relation: pipeline.None, Size: size}
	if x.Kind == pipeline.Int && least >= 0 && most < 1<<32 {
		c.Width = 4
	}
	number := l.AddColumn(c)
	a.Stores = append(a.Stores, pipeline.Store{Column: number, Expr: x})
	b.Stores = append(b.Stores, pipeline.Store{Column: number, Expr: y})
	v := l.Load(number, pipeline.None, false)
	if !x.Nullable && !y.Nullable {
		return v
	}
	valid := l.array(4, size, 0, 0, 1)
	a.Stores = append(a.Stores, pipeline.Store{Column: valid, Expr: l.ToInt(l.Not(l.IsNull(x)))})
	b.Stores = append(b.Stores, pipeline.Store{Column: valid, Expr: l.ToInt(l.Not(l.IsNull(y)))})
	return l.If(l.Compare(pipeline.OpEQ, l.Load(valid, pipeline.None, false), l.Int(1)), v, l.Null(x.Kind))
}
