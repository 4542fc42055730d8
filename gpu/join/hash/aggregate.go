package hash

import (
	"errors"
	"math"
	"math/bits"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
)

// source specifies whose values a launch aggregates: Source in kernels/hash_aggregate.cu.
type source uint64

const (
	noValues source = iota
	probeValues
	buildValues
	entryValues
)

// pass aggregates one column over the joined rows, or only counts them.
type pass struct {
	agg    int // the first aggregate of the column, or -1
	source source
	total  *total
}

// column is the pass's in a chunk.
func (one *pass) column(aggs []join.Agg) column.Column {
	if one.agg < 0 {
		return column.Column{}
	}
	return aggs[one.agg].Column
}

// aggregation holds the state of a join's aggregates.
type aggregation struct {
	passes []*pass      // one for each column that the aggregates name, and one at least
	of     []*pass      // each aggregate's
	values []join.Value // where they are made from pairs
}

// newAggregation determines the passes for the aggregates of a join.
func newAggregation(t *engine.Task, p *plan, aggs []join.Agg) (*aggregation, error) {
	a := &aggregation{}
	for i, agg := range aggs {
		a.of = append(a.of, a.passOf(aggs, i, sourceOf(agg, p.opt)))
	}
	for _, one := range a.passes {
		var err error
		if one.total, err = newTotal(t, one.column(aggs).Kind); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func sourceOf(a join.Agg, opt Options) source {
	switch {
	case a.Func == join.CountRows:
		return noValues
	case a.Left == opt.BuildLeft:
		return buildValues
	}
	return probeValues
}

// passOf finds or adds the pass for aggregate i. Any pass counts rows.
func (a *aggregation) passOf(aggs []join.Agg, i int, s source) *pass {
	for _, one := range a.passes {
		switch {
		case s == noValues, one.source == s && one.column(aggs) == aggs[i].Column:
			return one
		case one.source == noValues:
			one.agg, one.source = i, s
			return one
		}
	}
	one := &pass{agg: i, source: s}
	if s == noValues {
		one.agg = -1
	}
	a.passes = append(a.passes, one)
	return one
}

// entries are the values of the build side's only pass, if the table serves no other purpose and
// one 32-bit value remains unused to mark an empty entry.
func (a *aggregation) entries(p *plan, aggs []join.Agg) entries {
	if len(a.passes) != 1 || a.passes[0].source != buildValues || len(p.key.Rest) > 0 {
		return entries{}
	}
	c := a.passes[0].column(aggs)
	if c.Kind != column.I32 || c.Valid != 0 || !c.Bounded || (c.Min == math.MinInt32 && c.Max == math.MaxInt32) {
		return entries{}
	}
	return entries{c.Values, uint32(c.Max + 2)}
}

// AggregateOver returns the aggregates over a join whose probe side arrives in chunks.
func AggregateOver(t *engine.Task, chunks Chunks, opt Options) ([]join.Value, error) {
	m := t.Mark()
	var a *aggregation
	var first []join.Agg
	begin := func(p *plan, aggs []join.Agg) (e entries, err error) {
		first = aggs
		if a, err = newAggregation(t, p, aggs); err != nil {
			return e, err
		}
		return a.entries(p, aggs), nil
	}
	var values []join.Value
	err := overChunks(t, chunks, opt, begin, func(c *chunk) error { return a.add(t, c) })
	if err == nil {
		values, err = a.results(t, first)
	}
	return values, errors.Join(err, t.Release(m))
}

// add adds a chunk's joined rows.
func (a *aggregation) add(t *engine.Task, c *chunk) error {
	if a.needsPairs(c) {
		return a.addPairs(t, c)
	}
	for _, one := range a.passes {
		if err := c.aggregate(t, one); err != nil {
			return err
		}
	}
	return nil
}

// results reads each aggregate.
func (a *aggregation) results(t *engine.Task, aggs []join.Agg) ([]join.Value, error) {
	if a.values != nil || len(aggs) == 0 {
		return a.values, nil
	}
	values := make([]join.Value, len(aggs))
	for i, agg := range aggs {
		sums, err := a.of[i].total.read(t)
		if err != nil {
			return nil, err
		}
		values[i] = sums.value(agg)
	}
	return values, nil
}

// needsPairs reports whether the pairs must be listed before they can be aggregated: because
// conditions remain, or because each build row's values are required and several rows share a key.
func (a *aggregation) needsPairs(c *chunk) bool {
	if len(c.key.Rest) > 0 {
		return true
	}
	for _, one := range a.passes {
		if one.source == buildValues && c.tab.runs != nil {
			return true
		}
	}
	return false
}

// addPairs lists the chunk's pairs piece by piece and aggregates their rows.
func (a *aggregation) addPairs(t *engine.Task, c *chunk) error {
	ofChunk := *c
	ofChunk.firstRow = 0
	values, err := join.AggregatePairs(t, c.in, c.aggs, pieceRows(t), func(out join.Output) error {
		return ofChunk.pairs(t, out)
	})
	if err != nil {
		return err
	}
	if a.values == nil {
		a.values = values
		return nil
	}
	for i, agg := range c.aggs {
		a.values[i] = merged(agg, a.values[i], values[i])
	}
	return nil
}

// aggregate adds the chunk's joined rows to a pass.
func (c *chunk) aggregate(t *engine.Task, one *pass) error {
	tab, values, from := c.tab, one.column(c.aggs), one.source
	if from == buildValues && c.entries.values != 0 {
		from = entryValues
	}
	for _, w := range tab.windows(c.keys.Rows) {
		args := append([]uint64{uint64(c.keys.Values), uint64(c.keys.Valid), uint64(c.keys.Rows)}, tab.arguments(w)...)
		if !tab.direct {
			args = append(args, tab.lengths())
		}
		args = append(args, uint64(values.Values), uint64(values.Valid), uint64(from), uint64(c.entries.bias), uint64(one.total.parts))
		if err := t.Launch(tab.family("aggregate"), tab.bits+values.Kind.Suffix(), c.keys.Rows, false, args...); err != nil {
			return err
		}
	}
	return nil
}

// lengths returns the address of the runs' lengths, or 0 if each key has one row.
func (tab *table) lengths() uint64 {
	if tab.runs == nil {
		return 0
	}
	return uint64(tab.runs.lengths)
}

// merged combines the aggregates over the rows of a and of b.
func merged(agg join.Agg, a, b join.Value) join.Value {
	switch {
	case b.Null:
		return a
	case a.Null:
		return b
	case agg.Func == join.Min || agg.Func == join.Max:
		less := int64(b.Lo) < int64(a.Lo) || b.F < a.F
		if less == (agg.Func == join.Min) {
			return b
		}
		return a
	}
	var carry uint64
	a.F += b.F
	a.Lo, carry = bits.Add64(a.Lo, b.Lo, 0)
	a.Hi, _ = bits.Add64(a.Hi, b.Hi, carry)
	return a
}
