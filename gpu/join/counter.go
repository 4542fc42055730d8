package join

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/engine"
)

// AggregatePairs returns aggregates over the pairs that produce emits, in pieces of up to pairs
// pairs. It is for joins whose partner counts require listing their pairs.
func AggregatePairs(t *engine.Task, in Input, aggs []Agg, pairs int64, produce func(out Output) error) ([]Value, error) {
	m := t.Mark()
	c := &counter{t: t, pairs: pairs}
	err := c.alloc(in, aggs)
	if err == nil {
		err = produce(c)
	}
	var values []Value
	if err == nil {
		values, err = c.counts.Aggregate(t, in, aggs)
	}
	return values, errors.Join(err, t.Release(m))
}

// AggregatePairsBytes returns the memory that AggregatePairs takes besides that of produce.
func AggregatePairsBytes(in Input, aggs []Agg, pairs int64) int64 {
	bytes := 2*padded(4*pairs) + FromCountsBytes(max(in.Left, in.Right), aggs)
	left, right := Sides(aggs)
	if left {
		bytes += padded(8 * in.Left)
	}
	if right {
		bytes += padded(8 * in.Right)
	}
	return bytes
}

// counter is an output that counts the partners of each row.
type counter struct {
	t           *engine.Task
	pairs       int64
	left, right gpu.Ptr
	counts      Counts
}

func (c *counter) alloc(in Input, aggs []Agg) (err error) {
	if c.left, err = c.t.Alloc(4 * c.pairs); err != nil {
		return err
	}
	if c.right, err = c.t.Alloc(4 * c.pairs); err != nil {
		return err
	}
	left, right := Sides(aggs)
	if left {
		if c.counts.Left, err = c.zeros(in.Left); err != nil {
			return err
		}
	}
	if right {
		c.counts.Right, err = c.zeros(in.Right)
	}
	return err
}

func (c *counter) zeros(rows int64) (gpu.Ptr, error) {
	p, err := c.t.Alloc(8 * rows)
	if err != nil {
		return 0, err
	}
	return p, c.t.Fill(p, 0, 8*rows)
}

func (c *counter) Piece() (left, right gpu.Ptr, capacity int64, err error) {
	return c.left, c.right, c.pairs, nil
}

func (c *counter) Emit(n int64) error {
	for _, side := range []struct{ rows, counts gpu.Ptr }{{c.left, c.counts.Left}, {c.right, c.counts.Right}} {
		if side.counts == 0 {
			continue
		}
		if err := c.t.Launch("gsql_pair_count", "i32", n, false, uint64(side.rows), uint64(n), uint64(side.counts)); err != nil {
			return err
		}
	}
	return nil
}
