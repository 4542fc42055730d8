// Package merge joins by sorting: both sides by the key of an equality, whose merge is divided into
// equal parts (Green, McColl, Bader: GPU Merge Path, ICS 2012), or one side by the operand of range
// comparisons, in which each row of the other side has a run of partners. Columns that are already
// in order are detected and not sorted.
//
// NULL and NaN match nothing.
package merge

import (
	"errors"

	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/sql/sqlerr"
)

// Options are known to the planner. Only Bytes uses them: the join itself checks on the device
// whether a column is in order.
type Options struct {
	LeftSorted, RightSorted bool // the side's rows are in the order of its operand
}

// Pairs writes all row pairs of an input to out. The input has an equality or a range
// comparison (<, <=, >, >=, or several of them with one column, as in BETWEEN).
func Pairs(t *engine.Task, in join.Input, out join.Output, _ Options) error {
	p, err := newPlan(in)
	if err != nil || p.empty() {
		return err
	}
	m := t.Mark()
	return errors.Join(p.pairs(t, out), t.Release(m))
}

// Aggregate returns the aggregates over all row pairs of such an input. If the sorted operands are
// the only conditions, no pairs are listed: the runs' lengths are partner counts.
func Aggregate(t *engine.Task, in join.Input, aggs []join.Agg, _ Options) ([]join.Value, error) {
	p, err := newPlan(in)
	if err != nil {
		return nil, err
	}
	m := t.Mark()
	values, err := p.aggregate(t, aggs)
	return values, errors.Join(err, t.Release(m))
}

// plan is a join whose conditions have been assigned their roles.
type plan struct {
	in    join.Input
	key   join.Key         // of an equality join
	equal bool             // it is one
	span  span             // of a range join
	rest  []join.Condition // to be checked for each pair
}

func newPlan(in join.Input) (*plan, error) {
	p := &plan{in: in}
	if p.key, p.equal = join.NewKey(in.Conditions); p.equal {
		p.rest = p.key.Rest
		return p, nil
	}
	var ok bool
	if p.span, p.rest, ok = newSpan(in); !ok {
		return nil, sqlerr.Internal("a merge join without an equality or a range")
	}
	return p, nil
}

func (p *plan) empty() bool { return p.in.Left == 0 || p.in.Right == 0 }

func (p *plan) pairs(t *engine.Task, out join.Output) error {
	return join.Filter(t, p.rest, out, pieceRows(t), func(out join.Output) error {
		if p.equal {
			return p.equalPairs(t, out)
		}
		return p.span.pairs(t, out)
	})
}

func (p *plan) aggregate(t *engine.Task, aggs []join.Agg) ([]join.Value, error) {
	switch {
	case p.empty():
		return join.FromCounts(t, 0, 0, aggs)
	case len(p.rest) > 0:
		return join.AggregatePairs(t, p.in, aggs, pieceRows(t), func(out join.Output) error { return p.pairs(t, out) })
	case p.equal:
		return p.equalAggregate(t, aggs)
	}
	return p.span.aggregate(t, aggs)
}

const mostPieceRows = 8 << 20

// pieceRows is how many pairs are checked or counted at once.
func pieceRows(t *engine.Task) int64 {
	const least = 1 << 10
	return max(least, min(mostPieceRows, t.Free()/64))
}
