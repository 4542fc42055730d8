package lower

import (
	"gsql/gpu/pipeline"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// materialised ends a flow in a Write of an operator's columns and returns a flow over the written
// rows. It is necessary because a build inserts each row of its source at most once.
func (l *lowering) materialised(f *flow, n *physical.Node) (*flow, error) {
	return l.writtenTo(f, n, int64(min(max(1024, 1.5*n.Est.Rows*l.factor), f.most, 1<<31)))
}

// rewritten is materialised for about rows of a flow with an order, which stays.
func (l *lowering) rewritten(f *flow, n *physical.Node, rows float64) (*flow, error) {
	return l.writtenTo(f, n, int64(min(sampled+4*rows*l.factor, f.most, 1<<31)))
}

func (l *lowering) writtenTo(f *flow, n *physical.Node, size int64) (*flow, error) {
	sink := pipeline.Sink{Op: pipeline.Write, Count: l.array(4, 1, 0, 0, 1<<32-1)}
	out := &flow{
		Pipeline: pipeline.Pipeline{Name: "rows of " + f.Name, Rows: size, Counted: sink.Count},
		env:      map[expr.ColID]*binding{}, est: n.Est.Rows, most: f.most, order: f.order,
	}
	known := map[*pipeline.Expr]*pipeline.Expr{}
	write := func(e *pipeline.Expr) *pipeline.Expr {
		if e != nil && known[e] == nil {
			known[e] = l.written(&sink, e, size)
		}
		return known[e]
	}
	for _, c := range n.Cols {
		v, err := f.env[c.ID].value()
		if err != nil {
			return nil, err
		}
		v.e = write(v.e)
		if s := v.sum; s != nil {
			own := *s
			own.count, own.words = write(s.count), nil
			for _, w := range s.words {
				own.words = append(own.words, write(w))
			}
			v.sum = &own
		}
		out.env[c.ID] = &binding{done: true, v: v}
	}
	if f.order != nil {
		for i, w := range f.order.words {
			f.order.words[i] = write(w)
		}
	}
	f.Sink = sink
	l.Program.Pipelines = append(l.Program.Pipelines, f.Pipeline)
	return out, nil
}

// written adds a store of an expression to a sink and returns what was stored.
func (l *lowering) written(sink *pipeline.Sink, e *pipeline.Expr, size int64) *pipeline.Expr {
	if e.IsConst() || e.Op == pipeline.OpNull {
		return e
	}
	store, load := l.cell(e, size)
	sink.Stores = append(sink.Stores, store...)
	return load(pipeline.None, false)
}

// cell returns the stores that keep an expression in columns of a given size, and a function that
// loads it at the row of a stage. NULLs take a separate column.
func (l *lowering) cell(e *pipeline.Expr, size int64) (stores []pipeline.Store, load func(at int, padded bool) *pipeline.Expr) {
	n := e
	switch e.Kind {
	case pipeline.Bool:
		n = l.ToInt(e)
	case pipeline.Int128:
		return l.longCell(e, size)
	}
	c := pipeline.Column{Kind: n.Kind, Width: 8, Min: min(n.Min, 0), Max: max(n.Max, 0), Relation: pipeline.None, Size: max(size, 1)}
	if n.Kind == pipeline.Int && n.Min >= 0 && n.Max < 1<<32 {
		c.Width = 4
	}
	column, valid := l.AddColumn(c), pipeline.None
	stores = append(stores, pipeline.Store{Column: column, Expr: n})
	if n.Nullable {
		valid = l.array(4, size, 0, 0, 1)
		stores = append(stores, pipeline.Store{Column: valid, Expr: l.ToInt(l.Not(l.IsNull(n)))})
	}
	return stores, func(at int, padded bool) *pipeline.Expr {
		v := l.Load(column, at, padded)
		if valid != pipeline.None {
			v = l.If(l.Compare(pipeline.OpEQ, l.Load(valid, at, padded), l.Int(1)), v, l.Null(n.Kind))
		}
		if e.Kind == pipeline.Bool {
			v = l.Compare(pipeline.OpNE, v, l.Int(0))
		}
		return v
	}
}

// longCell is cell for an Int128, each of whose words takes a column.
func (l *lowering) longCell(e *pipeline.Expr, size int64) (stores []pipeline.Store, load func(at int, padded bool) *pipeline.Expr) {
	low, loadLow := l.cell(l.Low(e), size)
	high, loadHigh := l.cell(l.High(e), size)
	return append(low, high...), func(at int, padded bool) *pipeline.Expr {
		return l.Words(loadLow(at, padded), loadHigh(at, padded), e.Least, e.Most)
	}
}
