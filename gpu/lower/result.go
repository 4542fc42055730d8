package lower

import (
	"fmt"

	"gsql/gpu/pipeline"
	"gsql/planner/physical"
	"gsql/sql/types"
)

// results collects the columns of the program's last sink.
type results struct {
	*lowering
	sink   pipeline.Sink
	size   int64
	places map[*pipeline.Expr]int
}

// result ends a flow in a Write of the root's columns.
func (l *lowering) result(f *flow, root *physical.Node) error {
	est := root.Est.Rows
	if f.order != nil {
		est = f.order.kept
	}
	size := int64(max(1024, 2*est*l.factor))
	if !f.many {
		size = min(size, max(f.Rows, 1))
	}
	if f.order != nil && len(f.order.words) == 0 { // any rows will do
		size = min(size, max(f.order.limit+f.order.offset, 1))
	}
	r := &results{lowering: l, size: min(size, 1<<32-2), places: map[*pipeline.Expr]int{}}
	r.sink = pipeline.Sink{Op: pipeline.Write, Count: l.array(4, 1, 0, 0, 1<<32-1)}
	l.Program.Result.Count = r.sink.Count
	for _, c := range root.Cols {
		b := f.env[c.ID]
		if b == nil {
			return fmt.Errorf("no column %s", c.Name)
		}
		v, err := b.value()
		if err != nil {
			return err
		}
		out, err := r.output(v, c.T)
		if err != nil {
			return err
		}
		l.q.Outputs = append(l.q.Outputs, out)
	}
	if f.order != nil {
		r.arrange(f.order)
	}
	f.Sink = r.sink
	l.Program.Pipelines = append(l.Program.Pipelines, f.Pipeline)
	return nil
}

// arrange places what the host needs for an order.
func (r *results) arrange(o *ordering) {
	order := &pipeline.Order{Limit: o.limit, Offset: o.offset}
	for _, w := range o.words {
		order.Words = append(order.Words, r.place(w))
	}
	r.Program.Result.Order = order
	r.sink.Partial = len(o.words) == 0
}

// place returns the position of an expression among the results, adding it if necessary.
func (r *results) place(e *pipeline.Expr) int {
	if p, ok := r.places[e]; ok {
		return p
	}
	p := len(r.Program.Result.Columns)
	c := pipeline.Column{Kind: e.Kind, Width: 8, Min: min(e.Min, 0), Max: max(e.Max, 0), Relation: pipeline.None, Size: r.size}
	if e.Kind == pipeline.Int && e.Min >= 0 && e.Max < 1<<32 {
		c.Width = 4
	}
	n := r.AddColumn(c)
	r.sink.Stores = append(r.sink.Stores, pipeline.Store{Column: n, Expr: e})
	r.Program.Result.Columns = append(r.Program.Result.Columns, n)
	r.places[e] = p
	return p
}

// output places what a column of the result is made of.
func (r *results) output(v value, t types.Type) (Output, error) {
	out := Output{Type: t, Form: Integer, Valid: pipeline.None, High: pipeline.None, Count: pipeline.None, Scale: v.scale}
	if v.sum != nil && len(v.sum.words) <= 2 {
		return r.sum(out, v.sum), nil
	}
	v, err := r.settled(v)
	switch {
	case err != nil:
		return out, err
	case v.e == nil:
		return out, errText
	}
	out.Scale = v.scale
	if v.late != nil {
		return r.row(out, v, t)
	}
	e := v.e
	switch {
	case v.text:
		out.Form, out.Texts = Text, v.texts
	case e.Kind == pipeline.Float:
		out.Form = Real
	case e.Kind == pipeline.Bool:
		e = r.ToInt(e)
	}
	if want := t.Kind(); !v.text && e.Op != pipeline.OpNull && (want == types.KindStr || (want == types.KindF64) != (e.Kind == pipeline.Float)) {
		return out, fmt.Errorf("a result of type %s has no device form", t.Name())
	}
	if e.Nullable {
		out.Valid = r.place(r.ToInt(r.Not(r.IsNull(e))))
	}
	if e.Kind == pipeline.Int128 {
		out.Form, out.Value, out.High = Long, r.place(r.Low(e)), r.place(r.High(e))
		return out, nil
	}
	out.Value = r.place(e)
	return out, nil
}

// row adds the number of a row, for which the host reads a column, to the results.
func (r *results) row(out Output, v value, t types.Type) (Output, error) {
	out.Form, out.Relation, out.Ordinal = Row, v.late.relation, v.late.ordinal
	if is := r.q.Relations[out.Relation].Table.Schema().Columns[out.Ordinal].Type; is.Kind() != t.Kind() || is.Scale != t.Scale {
		return out, fmt.Errorf("%s as %s has no device form", is.Name(), t.Name())
	}
	if v.e.Nullable {
		out.Valid = r.place(r.ToInt(r.Not(r.IsNull(v.e))))
	}
	out.Value = r.place(v.e)
	return out, nil
}

func (r *results) sum(out Output, s *sum) Output {
	out.Value, out.Count, out.Scale = r.place(s.words[0]), r.place(s.count), s.scale
	out.Form = Mean
	if !s.mean { // the number of values is 0 where the sum is NULL
		out.Valid, out.Count = out.Count, pipeline.None
	}
	switch {
	case s.real:
		out.Form = RealMean
	case len(s.words) > 1 && s.mean:
		out.Form, out.High = WideMean, r.place(s.words[1])
	case len(s.words) > 1:
		out.Form, out.High = Wide, r.place(s.words[1])
	}
	return out
}
