package lower

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gsql/gpu/pipeline"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// grouping is the state of lowering one aggregate.
type grouping struct {
	*lowering
	f       *flow // of the input
	index   int
	key     *pipeline.Expr // of a row
	slots   int64
	accs    []pipeline.Acc
	unkeyed bool // there is one group, even if there are no rows
	// inner has a group for each key and distinct value if there are DISTINCT aggregates; only is
	// that value.
	inner   *grouping
	only    *value
	merging bool           // the aggregate is over all rows: those of inner are merged
	again   []pipeline.Acc // of a second pipeline over the rows, which knows the results of the first
	// Of DISTINCT aggregates: the first argument, the flow and the keys before it, and the groupings of others.
	of    expr.Expr
	input *flow
	by    []value
	more  []*grouping
	frame *frame // of a window, over which the aggregate is instead
}

// group ends the input's pipeline in a Group and returns a flow over its slots.
func (l *lowering) group(n *physical.Node, op *physical.HashAgg) (*flow, error) {
	f, err := l.input(n.In[0])
	if err != nil {
		return nil, err
	}
	return l.groupRows(f, n, op)
}

// groupRows is group for the flow of the input.
func (l *lowering) groupRows(f *flow, n *physical.Node, op *physical.HashAgg) (*flow, error) {
	g := &grouping{lowering: l, f: f, unkeyed: len(op.Keys) == 0}
	dependent := dependentKeys(n, op)
	var by, others []expr.Expr
	for i, k := range op.Keys {
		if dependent[i] {
			others = append(others, k)
		} else {
			by = append(by, k)
		}
	}
	keys, err := g.keys(by)
	if err == nil {
		keys, err = g.distinct(op, keys)
	}
	if err != nil {
		return nil, err
	}
	parts, err := g.pack(keys, n.Est.Rows)
	if err != nil {
		return nil, err
	}
	aggs := make([]value, len(op.Aggs))
	for i, a := range op.Aggs {
		g.merging = g.inner != nil && !ofDistinct(a)
		by := g
		if ofDistinct(a) && !expr.Equal(a.Args[0], g.of) {
			by, err = g.another(a, parts)
		}
		if err == nil {
			aggs[i], err = by.aggregate(a)
		}
		if err != nil {
			return nil, err
		}
	}
	g.merging = false
	ones, err := g.keys(others)
	for i := range ones {
		if err == nil {
			ones[i], err = g.one(ones[i])
		}
	}
	if err != nil {
		return nil, err
	}
	out, keys, err := g.outputs(keys, parts, n.Est.Rows)
	if err != nil {
		return nil, err
	}
	for _, by := range append(g.more, g) {
		if by.inner != nil {
			by.inner.finish()
		}
		by.finish()
	}
	for i := range op.Keys {
		from := &keys
		if dependent[i] {
			from = &ones
		}
		out.env[n.Cols[i].ID] = &binding{done: true, v: (*from)[0]}
		*from = (*from)[1:]
	}
	for i, v := range aggs {
		out.env[n.Cols[len(op.Keys)+i].ID] = &binding{done: true, v: v}
	}
	return out, nil
}

// one returns a value of each group, in which all are equal.
func (g *grouping) one(v value) (value, error) { return g.extreme(pipeline.Max, math.MinInt64, v) }

// outputs returns the flow over the slots that have rows, and the keys there. About rows slots are
// expected.
func (g *grouping) outputs(keys []value, parts []part, rows float64) (*flow, []value, error) {
	out := g.open(g.index, rows)
	at, err := g.keysAt(keys, g.index, parts)
	return out, at, err
}

// finish ends the input's pipeline.
func (g *grouping) finish() {
	g.f.Sink = pipeline.Sink{Op: pipeline.Group, Index: g.index, Key: g.key, Accs: g.accs}
	g.Program.Pipelines = append(g.Program.Pipelines, g.f.Pipeline)
	if len(g.again) > 0 {
		second := g.f.Pipeline
		second.Stages = slices.Clone(second.Stages)
		second.Sink.Accs = g.again
		g.Program.Pipelines = append(g.Program.Pipelines, second)
	}
}

// keys returns the values that rows are grouped by.
func (g *grouping) keys(es []expr.Expr) ([]value, error) {
	out := make([]value, len(es))
	for i, e := range es {
		v, err := g.scalar(g.f.env, e)
		if err == nil {
			v, err = g.settled(v)
		}
		if err != nil {
			return nil, err
		}
		if v.e == nil {
			return nil, errText
		}
		if v.e.Kind == pipeline.Bool {
			v.e = g.ToInt(v.e)
		}
		out[i] = v
	}
	return out, nil
}

// appended adds a part. If it does not fit, the parts so far are replaced by their number in a separate index.
func (g *grouping) appended(parts []part, p part, est float64) ([]part, error) {
	if fits(parts, p) {
		return append(parts, p), nil
	}
	number, err := g.numbered(parts, est)
	if err != nil {
		return nil, err
	}
	if parts = []part{number}; !fits(parts, p) {
		if p, err = g.numbered([]part{p}, est); err != nil {
			return nil, err
		}
	}
	return append(parts, p), nil
}

// pack makes the index of the groups and the key of a row, whose parts it returns.
func (g *grouping) pack(keys []value, est float64) (parts []part, err error) {
	for i, k := range keys {
		pieces, _, err := g.pieces(k.e)
		if err != nil {
			return nil, err
		}
		for _, e := range pieces {
			p, err := newPart(e, true)
			p.key = i
			if err == nil {
				parts, err = g.appended(parts, p, est)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	var values int64
	if g.key, values, err = g.word(parts); err != nil {
		return nil, err
	}
	if float64(values) <= max(1<<16, 2*g.f.most) && values <= directMost/4 {
		g.index = g.addDirect(values)
	} else {
		g.index = g.addHash(est, g.f.most, values)
	}
	g.slots = g.Program.Indexes[g.index].Size
	return parts, nil
}

// numbered returns a part that is the number of a word in a hash index.
func (g *grouping) numbered(parts []part, est float64) (part, error) {
	word, values, err := g.word(parts)
	if err != nil {
		return part{}, err
	}
	index := g.addHash(est, g.f.most, values)
	p, err := newPart(g.Slot(index, word), false)
	p.inner, p.index = parts, index
	return p, err
}

// open returns the flow over the slots that have rows; about rows of them are expected.
func (g *grouping) open(index int, rows float64) *flow {
	x := &g.Program.Indexes[index]
	out := &flow{
		Pipeline: pipeline.Pipeline{Name: "groups of " + g.f.Name, Rows: x.Size, Counted: pipeline.None},
		env:      map[expr.ColID]*binding{}, most: min(float64(x.Size), max(g.f.most, 1)),
	}
	var used *pipeline.Expr
	switch {
	case g.unkeyed:
		return out
	case x.Hash:
		used = g.Compare(pipeline.OpGE, g.Load(x.Keys, pipeline.None, false), g.Int(0))
	default:
		used = g.Compare(pipeline.OpGT, g.rowCount(), g.Int(0))
	}
	out.Stages = append(out.Stages, pipeline.Stage{Pred: used, Selectivity: min(1, rows/float64(x.Size))})
	return out
}

// keysAt returns the keys of each slot.
func (g *grouping) keysAt(keys []value, index int, parts []part) ([]value, error) {
	x := &g.Program.Indexes[index]
	word := g.Row(pipeline.None, x.Size, false)
	if x.Hash {
		word = g.keyAt(index, nil)
	}
	at, found := slices.Clone(keys), make([][]*pipeline.Expr, len(keys))
	if err := g.unpack(word, parts, func(key int, e *pipeline.Expr) { found[key] = append(found[key], e) }); err != nil {
		return nil, err
	}
	for i := range keys {
		_, join, err := g.pieces(keys[i].e)
		if err == nil {
			at[i].e, err = join(found[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return at, nil
}

// keyAt returns the key in a slot of a hash index, or in the slot of the source's row.
func (g *grouping) keyAt(index int, slot *pipeline.Expr) *pipeline.Expr {
	column := g.Program.Indexes[index].Keys
	key := g.Load(column, pipeline.None, false)
	if slot != nil {
		key = g.Lookup(column, slot)
	}
	return g.Extreme(pipeline.OpGreater, key, g.Int(0)) // slots without a key have -1
}

// unpack calls bind for each key that a word contains.
func (g *grouping) unpack(word *pipeline.Expr, parts []part, bind func(key int, e *pipeline.Expr)) error {
	for i, p := range parts {
		e, err := g.unpacked(word, p, i == len(parts)-1)
		if err != nil {
			return err
		}
		if p.inner == nil {
			bind(p.key, e)
		} else if err := g.unpack(g.keyAt(p.index, e), p.inner, bind); err != nil {
			return err
		}
	}
	return nil
}

// accumulate returns an accumulator with an initial value and bounds, as a column of the groups.
func (g *grouping) accumulate(op pipeline.AccOp, arg *pipeline.Expr, kind pipeline.Kind, init, least, most int64) *pipeline.Expr {
	if g.frame != nil {
		return g.frame.accumulated(op, arg, least, most)
	}
	if g.merging {
		arg = g.partial(op, arg, kind, init, least, most)
		op = merged(op)
	}
	for _, a := range g.accs {
		if a.Op == op && a.Arg == arg {
			return g.Load(a.Column, pipeline.None, false)
		}
	}
	c := g.AddColumn(pipeline.Column{Kind: kind, Width: 8, Min: least, Max: most, Relation: pipeline.None, Size: g.slots, Init: init})
	g.accs = append(g.accs, pipeline.Acc{Op: op, Column: c, Arg: arg})
	return g.Load(c, pipeline.None, false)
}

// most bounds the number of rows that are aggregated.
func (g *grouping) most() float64 {
	if g.merging {
		return g.inner.f.most
	}
	return g.f.most
}

// rowsMost bounds the number of rows of a group.
func (g *grouping) rowsMost() int64 { return int64(min(g.most(), 1<<53)) }

func (g *grouping) rowCount() *pipeline.Expr {
	return g.accumulate(pipeline.CountRows, nil, pipeline.Int, 0, 0, g.rowsMost())
}

// count returns the number of values that are not NULL.
func (g *grouping) count(e *pipeline.Expr) *pipeline.Expr {
	if !e.Nullable {
		return g.rowCount()
	}
	if e.Kind == pipeline.Bool {
		e = g.ToInt(e)
	}
	return g.accumulate(pipeline.Count, e, pipeline.Int, 0, 0, g.rowsMost())
}

// orNull makes an aggregate NULL where it has no values.
func (g *grouping) orNull(arg, e *pipeline.Expr) *pipeline.Expr {
	if !arg.Nullable && !g.unkeyed {
		return e
	}
	return g.If(g.Compare(pipeline.OpGT, g.count(arg), g.Int(0)), e, g.Null(e.Kind))
}

// argument returns the value of an aggregate's argument.
func (g *grouping) argument(e expr.Expr) (value, error) {
	switch {
	case g.merging:
		return g.scalar(g.inner.f.env, e)
	case g.only != nil:
		return *g.only, nil
	}
	return g.scalar(g.f.env, e)
}

// aggregate returns an aggregate function's value for each slot.
func (g *grouping) aggregate(a *expr.Agg) (value, error) {
	if a.Fn == expr.CountStar {
		return value{e: g.rowCount()}, nil
	}
	if len(a.Args) != 1 {
		return value{}, fmt.Errorf("%s has no device form", a)
	}
	v, err := g.argument(a.Args[0])
	if err == nil {
		v, err = g.settled(v)
	}
	if err != nil {
		return value{}, err
	}
	if v.e == nil {
		return value{}, errText
	}
	switch a.Fn {
	case expr.Count:
		return value{e: g.count(v.e)}, nil
	case expr.Min:
		return g.extreme(pipeline.Min, math.MaxInt64, v)
	case expr.Max, expr.First:
		return g.extreme(pipeline.Max, math.MinInt64, v)
	case expr.BitAnd, expr.BitOr, expr.BitXor:
		return g.bitwise(a, v)
	case expr.VarPop, expr.VarSamp, expr.StddevPop, expr.StddevSamp:
		return g.variance(a, v)
	case expr.Sum, expr.Avg:
		if a.Args[0].Type().Carries() || v.text {
			return value{}, fmt.Errorf("%s has no device form", a)
		}
		n, err := g.number(v)
		if err != nil {
			return value{}, err
		}
		return g.sum(a, n, v.scale)
	}
	return value{}, fmt.Errorf("%s has no device form", a)
}

func (g *grouping) extreme(op pipeline.AccOp, neutral int64, v value) (value, error) {
	if v.e.Kind == pipeline.Bool {
		v.e = g.ToInt(v.e)
	}
	arg := v.e
	switch arg.Kind {
	case pipeline.Float:
		arg = g.Ordered(arg)
	case pipeline.Int128:
		return v, errors.New("an extreme of numbers of more than 64 bits has no device form")
	}
	e := g.accumulate(op, arg, pipeline.Int, neutral, arg.Min, arg.Max)
	if v.e.Kind == pipeline.Float {
		e = g.FromOrdered(e)
	}
	v.e = g.orNull(arg, e)
	return v, nil
}
