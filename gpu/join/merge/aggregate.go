package merge

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// equalAggregate aggregates each side with the counts that merging it with the other yields.
func (p *plan) equalAggregate(t *engine.Task, aggs []join.Agg) ([]join.Value, error) {
	left, right, err := p.sortKeys(t)
	if err != nil {
		return nil, err
	}
	return bySides(aggs, func(ofLeft bool, mine []join.Agg) ([]join.Value, error) {
		a, b := left, right
		if ofLeft {
			a, b = right, left
		}
		m := t.Mark()
		values, err := mergeAggregate(t, a, b, mine)
		return values, errors.Join(err, t.Release(m))
	})
}

// mergeAggregate returns aggregates of b's side.
func mergeAggregate(t *engine.Task, a, b sorted, aggs []join.Agg) ([]join.Value, error) {
	if a.n == 0 || b.n == 0 {
		return join.FromCounts(t, 0, 0, aggs)
	}
	g, err := newMerger(t, a, b)
	if err != nil {
		return nil, err
	}
	counts, err := g.counts()
	if err != nil {
		return nil, err
	}
	return b.aggregate(t, counts, aggs)
}

// bySides calls each for the aggregates of the left and of the right side's columns and returns
// their values in the order of aggs. COUNT(*) is assigned to a side that has other aggregates.
func bySides(aggs []join.Agg, each func(left bool, mine []join.Agg) ([]join.Value, error)) ([]join.Value, error) {
	values := make([]join.Value, len(aggs))
	countLeft, _ := join.Sides(aggs)
	for _, side := range []bool{true, false} {
		at := placesWhere(aggs, func(a join.Agg) bool {
			return a.Func == join.CountRows && side == countLeft || a.Func != join.CountRows && a.Left == side
		})
		if len(at) == 0 {
			continue
		}
		got, err := each(side, pick(aggs, at))
		if err != nil {
			return nil, err
		}
		for k, i := range at {
			values[i] = got[k]
		}
	}
	return values, nil
}

func placesWhere(aggs []join.Agg, is func(join.Agg) bool) []int {
	var at []int
	for i, a := range aggs {
		if is(a) {
			at = append(at, i)
		}
	}
	return at
}

func pick(aggs []join.Agg, at []int) []join.Agg {
	var some []join.Agg
	for _, i := range at {
		some = append(some, aggs[i])
	}
	return some
}

// aggregate returns aggregates of the side's columns, using counts in the order of its keys. The
// columns are permuted into that order, one at a time.
func (s *sorted) aggregate(t *engine.Task, counts gpu.Ptr, aggs []join.Agg) ([]join.Value, error) {
	if s.rows == 0 {
		return join.FromCounts(t, counts, s.n, aggs)
	}
	values := make([]join.Value, len(aggs))
	seen := map[column.Column]bool{}
	for _, first := range aggs {
		if seen[first.Column] {
			continue
		}
		seen[first.Column] = true
		at := placesWhere(aggs, func(a join.Agg) bool { return a.Column == first.Column })
		m := t.Mark()
		got, err := s.permuted(t, counts, pick(aggs, at))
		if err = errors.Join(err, t.Release(m)); err != nil {
			return nil, err
		}
		for k, i := range at {
			values[i] = got[k]
		}
	}
	return values, nil
}

// permuted returns aggregates that all refer to the same column, which it permutes; it changes
// aggs.
func (s *sorted) permuted(t *engine.Task, counts gpu.Ptr, aggs []join.Agg) ([]join.Value, error) {
	if c := aggs[0].Column; c.Values != 0 {
		c, err := s.permute(t, c)
		if err != nil {
			return nil, err
		}
		for i := range aggs {
			aggs[i].Column = c
		}
	}
	return join.FromCounts(t, counts, s.n, aggs)
}

// permute returns c's rows in the order of the keys.
func (s *sorted) permute(t *engine.Task, c column.Column) (column.Column, error) {
	values, err := t.Alloc(s.n * c.Kind.Width())
	if err != nil {
		return c, err
	}
	if err := prim.Gather(t, c.Kind.Width(), c.Values, s.rows, values, s.n); err != nil {
		return c, err
	}
	if c.Valid != 0 {
		valid, err := t.Alloc(s.n)
		if err != nil {
			return c, err
		}
		if err := prim.Gather(t, 1, c.Valid, s.rows, valid, s.n); err != nil {
			return c, err
		}
		c.Valid = valid
	}
	c.Rows, c.Values = s.n, values
	return c, nil
}
