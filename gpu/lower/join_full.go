package lower

import (
	"gsql/gpu/pipeline"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// full ends a FULL JOIN. f holds the rows of the left join. full writes them, followed by the rows
// of the build side that the probe has not marked, and returns the flow over the written rows.
// source is the build side's pipeline.
func (j *joining) full(n *physical.Node, f *flow, source pipeline.Pipeline) (*flow, error) {
	marked := j.array(1, source.Rows, 0, 0, 1)
	f.Stages[j.stage].Marks = []int{marked}
	most := f.most + j.build.most
	size := int64(min(max(1024, 1.5*n.Est.Rows*j.factor), most, 1<<31))
	sink := pipeline.Sink{Op: pipeline.Write, Count: j.array(4, 1, 0, 0, 1<<32-1)}
	rest := sink
	out := &flow{
		Pipeline: pipeline.Pipeline{Name: "rows of " + f.Name, Rows: size, Counted: sink.Count},
		env:      map[expr.ColID]*binding{}, est: n.Est.Rows, most: most,
	}
	for _, c := range n.Cols {
		v, err := f.env[c.ID].value()
		if err == nil {
			v, err = j.settled(v)
		}
		switch {
		case err != nil:
			return nil, err
		case v.e == nil:
			return nil, errText
		case v.e.Kind == pipeline.Int128:
			return nil, errLong
		}
		missing := j.Null(v.e.Kind)
		if b := j.build.env[c.ID]; b != nil {
			other, err := b.value()
			if err == nil {
				other, err = j.settled(other)
			}
			if err != nil {
				return nil, err
			}
			missing = other.e
		}
		v.e = j.common(&sink, &rest, v.e, missing, size)
		out.env[c.ID] = &binding{done: true, v: v}
	}
	f.Sink, source.Sink = sink, rest
	source.Name = "others of " + source.Name
	unmarked := j.Compare(pipeline.OpEQ, j.Load(marked, pipeline.None, false), j.Int(0))
	source.Stages = append(append([]pipeline.Stage{}, source.Stages...), pipeline.Stage{Pred: unmarked, Selectivity: 0.5})
	j.Program.Pipelines = append(j.Program.Pipelines, f.Pipeline, source)
	return out, nil
}

// common stores one expression of each of two sinks in the same columns, and returns the stored
// value.
func (j *joining) common(first, second *pipeline.Sink, x, y *pipeline.Expr, size int64) *pipeline.Expr {
	truth := x.Kind == pipeline.Bool
	if truth {
		x = j.ToInt(x)
	}
	if y.Kind == pipeline.Bool {
		y = j.ToInt(y)
	}
	c := pipeline.Column{Kind: x.Kind, Width: 8, Min: min(x.Min, y.Min, 0), Max: max(x.Max, y.Max, 0), Relation: pipeline.None, Size: max(size, 1)}
	if c.Kind == pipeline.Int && c.Min >= 0 && c.Max < 1<<32 {
		c.Width = 4
	}
	column, valid := j.AddColumn(c), j.array(4, size, 0, 0, 1)
	store := func(s *pipeline.Sink, e *pipeline.Expr) {
		s.Stores = append(s.Stores, pipeline.Store{Column: column, Expr: e}, pipeline.Store{Column: valid, Expr: j.ToInt(j.Not(j.IsNull(e)))})
	}
	store(first, x)
	store(second, y)
	v := j.If(j.Compare(pipeline.OpEQ, j.Load(valid, pipeline.None, false), j.Int(1)), j.Load(column, pipeline.None, false), j.Null(c.Kind))
	if truth {
		v = j.Compare(pipeline.OpNE, v, j.Int(0))
	}
	return v
}
