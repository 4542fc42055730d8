package hash

import (
	"math"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
)

// source says whose values a launch aggregates: Source in kernels/hash_aggregate.cu.
type source uint64

const (
	noValues source = iota
	probeValues
	buildValues
	entryValues
)

// pass aggregates one column over the joined rows, or only counts them.
type pass struct {
	column column.Column
	source source
	total  *total
}

// passes gives one pass for each column that aggs name, and one at least.
func (p *plan) passes(t *engine.Task, aggs []join.Agg) (list []*pass, of []*pass, err error) {
	for _, a := range aggs {
		s := noValues
		switch {
		case a.Func == join.CountRows:
		case a.Left == p.opt.BuildLeft:
			s = buildValues
		default:
			s = probeValues
		}
		of = append(of, p.passOf(&list, a.Column, s))
	}
	for _, one := range list {
		if one.total, err = newTotal(t, one.column.Kind); err != nil {
			return nil, nil, err
		}
	}
	return list, of, nil
}

// passOf finds or adds the pass for a column. Rows are counted by any.
func (p *plan) passOf(list *[]*pass, c column.Column, s source) *pass {
	for _, one := range *list {
		same := one.column.Values == c.Values && one.column.Valid == c.Valid && one.source == s
		if same || s == noValues {
			return one
		}
		if one.source == noValues {
			one.column, one.source = c, s
			return one
		}
	}
	*list = append(*list, &pass{column: c, source: s})
	return (*list)[len(*list)-1]
}

// entries are the values of the build side's only pass, where that is all that is asked of the
// table and one 32-bit value is left over to say that there is none.
func (p *plan) entries(list []*pass) entries {
	c := &list[0].column
	if len(list) != 1 || len(p.key.Rest) > 0 || list[0].source != buildValues || c.Kind != column.I32 || c.Valid != 0 {
		return entries{}
	}
	if !c.Bounded || (c.Min == math.MinInt32 && c.Max == math.MaxInt32) {
		return entries{}
	}
	return entries{c.Values, uint32(c.Max + 2)}
}

// aggregate gives the aggregates in the order of aggs.
func (p *plan) aggregate(t *engine.Task, in join.Input, aggs []join.Agg) ([]join.Value, error) {
	list, of, err := p.passes(t, aggs)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if !p.empty() {
		e := p.entries(list)
		tab, err := p.table(t, e)
		if err != nil {
			return nil, err
		}
		keys, err := p.probeKey(t)
		if err != nil {
			return nil, err
		}
		if p.needsPairs(tab, list) {
			return p.aggregatePairs(t, tab, keys, in, aggs)
		}
		for _, one := range list {
			if err := tab.aggregate(t, keys, one, e); err != nil {
				return nil, err
			}
		}
	}
	return results(t, aggs, of)
}

// results reads each aggregate from its pass.
func results(t *engine.Task, aggs []join.Agg, of []*pass) ([]join.Value, error) {
	values := make([]join.Value, len(aggs))
	for i, a := range aggs {
		sums, err := of[i].total.read(t)
		if err != nil {
			return nil, err
		}
		values[i] = sums.value(a)
	}
	return values, nil
}

// needsPairs tells whether the pairs must be made before they can be aggregated: because
// conditions remain, or each build row's values are wanted where keys have many rows.
func (p *plan) needsPairs(tab *table, list []*pass) bool {
	if len(p.key.Rest) > 0 {
		return true
	}
	for _, one := range list {
		if one.source == buildValues && tab.runs != nil {
			return true
		}
	}
	return false
}

// aggregatePairs makes the pairs piece by piece and aggregates what they leave of each row.
func (p *plan) aggregatePairs(t *engine.Task, tab *table, keys column.Column, in join.Input, aggs []join.Agg) ([]join.Value, error) {
	return join.AggregatePairs(t, in, aggs, pieceRows(t), func(out join.Output) error {
		return p.pairsInto(t, tab, keys, 0, out)
	})
}

// mostPieceRows is the most pairs that are made at a time for further conditions or for aggregates.
const mostPieceRows = 1 << 22

// pieceRows is the same where memory is short, too.
func pieceRows(t *engine.Task) int64 {
	const least = 1 << 10
	return max(least, min(mostPieceRows, t.Free()/64))
}

// aggregate adds the joined rows of probe rows to a pass.
func (tab *table) aggregate(t *engine.Task, keys column.Column, one *pass, e entries) error {
	from, typ := one.source, tab.bits+one.column.Kind.Suffix()
	if from == buildValues && e.values != 0 {
		from = entryValues
	}
	family := "gsql_hash_aggregate"
	args := []uint64{uint64(keys.Values), uint64(keys.Valid), 0, uint64(keys.Rows), uint64(tab.words), tab.buckets, tab.lengths()}
	if tab.direct {
		family = "gsql_direct_aggregate"
		args = []uint64{uint64(keys.Values), uint64(keys.Valid), uint64(keys.Rows), uint64(tab.words), tab.base, tab.span}
	}
	args = append(args, uint64(one.column.Values), uint64(one.column.Valid), uint64(from), uint64(e.bias), uint64(one.total.parts))
	return t.Launch(family, typ, keys.Rows, false, args...)
}

// lengths is the address of the runs' lengths, 0 where each key has one row.
func (tab *table) lengths() uint64 {
	if tab.runs == nil {
		return 0
	}
	return uint64(tab.runs.lengths)
}
