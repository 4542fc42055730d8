//go:build cuda

package main

import (
	"fmt"
	"sync/atomic"

	"gsql/bench/murmur"
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
)

// relation is a side of a benchmarked join: keys in device memory and on the host.
type relation struct {
	column column.Column
	key    func(i int64) int64
	rows   int64
}

// newRelation uploads n keys of the given kind.
func newRelation(b *bench, kind column.Kind, n int64, key func(i int64) int64) (r relation, err error) {
	r = relation{key: key, rows: n, column: column.Column{Kind: kind, Rows: n}}
	if kind == column.I32 {
		r.key = func(i int64) int64 { return int64(int32(key(i))) }
		r.column.Values, _, err = upload(b, n, func(i int64) int32 { return int32(key(i)) })
	} else {
		r.column.Values, _, err = upload(b, n, key)
	}
	return r, err
}

// bounded sets the bounds that the keys' statistics would provide.
func (r relation) bounded(lo, hi int64) relation {
	r.column.Bounded, r.column.Min, r.column.Max = true, lo, hi
	return r
}

// equal returns the input of l.key = r.key.
func equal(l, r relation) join.Input {
	return join.Input{Left: l.rows, Right: r.rows, Conditions: []join.Condition{{Op: join.EQ, Left: l.column, Right: r.column}}}
}

// pairsCase measures a join that writes want row pairs. Each left row has at most one partner.
func pairsCase(b *bench, work string, l, r relation, want int64, bytes float64, more line, run func(t *engine.Task, in join.Input, out join.Output) error) error {
	out, err := b.NewDevicePairs(want + 1)
	if err != nil {
		return err
	}
	ms, err := b.median(func() error {
		out.Rows = 0
		return run(b.Task, equal(l, r), out)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", work, err)
	}
	if out.Rows != want {
		return fmt.Errorf("%s: %d pairs, want %d", work, out.Rows, want)
	}
	b.add(work, ms, float64(l.rows+r.rows), "tuples", bytes, more)
	return rightPairs(b, work, l, r, out)
}

// rightPairs checks that all pairs have equal keys and no left row occurs twice.
func rightPairs(b *bench, work string, l, r relation, out *engine.DevicePairs) error {
	left, err := download[int32](b, out.Left, out.Rows)
	if err != nil {
		return err
	}
	right, err := download[int32](b, out.Right, out.Rows)
	if err != nil {
		return err
	}
	seen := make([]uint32, l.rows)
	return every(work, out.Rows, func(i int64) bool {
		x, y := int64(left[i]), int64(right[i])
		return l.key(x) == r.key(y) && atomic.AddUint32(&seen[x], 1) == 1
	})
}

// sparse returns unique keys spread over the range of 32 bits.
func sparse(i int64) int64 { return int64(murmur.Mix32(uint32(i) ^ 0x5bd1e995)) }

// sumOf measures SUM of the left side's values over a join and checks it.
func sumOf(b *bench, work string, items float64, unit string, in join.Input, values gpu.Ptr, kind column.Kind, want int64, more line,
	run func(t *engine.Task, in join.Input, aggs []join.Agg) ([]join.Value, error)) error {
	aggs := []join.Agg{{Func: join.Sum, Left: true, Column: column.Column{Kind: kind, Rows: in.Left, Values: values}}}
	var got []join.Value
	ms, err := b.median(func() (err error) {
		got, err = run(b.Task, in, aggs)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", work, err)
	}
	if got[0].Null || int64(got[0].Lo) != want {
		return fmt.Errorf("%s: sum %d, want %d", work, int64(got[0].Lo), want)
	}
	b.add(work, ms, items, unit, 0, more)
	return nil
}
