//go:build cuda

package main

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"gsql/bench/murmur"
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/join/radix"
)

// sparse64 returns unique keys spread over the range of 64 bits.
func sparse64(i int64) int64 { return int64(murmur.Mix64(uint64(i) ^ 0x5bd1e9955bd1e995)) }

// radixCase is a workload whose sides have n rows. match returns the build row that a probe row
// joins, or n or more for none.
type radixCase struct {
	name  string
	kind  column.Kind
	n     int64
	match func(i int64) int64
	bar   float64
}

// radixJoins measures the workloads with large sides: a, c, w, z (a with a Zipf distribution of
// exponent 1 among probe keys), e3 (a with 3 % matches), and a as an aggregate.
func radixJoins(b *bench) error {
	const a, c = 1 << 27, 1 << 26
	uniform := func(n int64) func(int64) int64 {
		return func(i int64) int64 { return int64(murmur.Mix64(uint64(i)+12345) % uint64(n)) }
	}
	zipf := func(i int64) int64 {
		u := float64(murmur.Mix64(uint64(i)+12345)>>11) / (1 << 53)
		return min(int64(math.Exp(u*math.Log(a))), a) - 1
	}
	few := func(i int64) int64 {
		if h := murmur.Mix64(uint64(i) + 12345); (h>>40)%100 >= 3 {
			return a + int64(h%a)
		}
		return uniform(a)(i)
	}
	var errs []error
	for _, r := range []radixCase{
		{"radix join a, 2^27 x 2^27, 4-byte keys, row pairs", column.I32, a, uniform(a), 27},
		{"radix join e3: a with 3 % matches, row pairs", column.I32, a, few, 44},
		{"radix join z: a with Zipf 1.0 on the probe side, row pairs", column.I32, a, zipf, 27},
		{"radix join c, 2^26 x 2^26, 8-byte keys, row pairs", column.I64, c, uniform(c), 17},
	} {
		errs = append(errs, b.within(func() error { return radixPairs(b, r) }))
	}
	errs = append(errs, b.within(func() error {
		return radixColumns(b, radixCase{"radix join w: a with two 4-byte payload columns a side, written with the key", column.I32, a, uniform(a), 16})
	}))
	errs = append(errs, b.within(func() error { return radixSum(b, radixCase{"radix join a, SUM", column.I32, a, uniform(a), 39}) }))
	return errors.Join(errs...)
}

// relations uploads the sides and counts the matches.
func (r radixCase) relations(b *bench) (probe, build relation, matches int64, err error) {
	key := sparse
	if r.kind == column.I64 {
		key = sparse64
	}
	if probe, err = newRelation(b, r.kind, r.n, func(i int64) int64 { return key(r.match(i)) }); err != nil {
		return probe, build, 0, err
	}
	for i := range r.n {
		if r.match(i) < r.n {
			matches++
		}
	}
	build, err = newRelation(b, r.kind, r.n, key)
	return probe, build, matches, err
}

// radixPairs measures a join that writes row pairs. Its floor is the two passes of the
// partitioning, a count for each, and the join.
func radixPairs(b *bench, r radixCase) error {
	probe, build, matches, err := r.relations(b)
	if err != nil {
		return err
	}
	row := float64(r.kind.Width()) + 4
	bytes := 2*float64(r.n)*(5*row-4+2*float64(r.kind.Width())) + 8*float64(matches)
	return pairsCase(b, r.name, probe, build, matches, bytes, line{Bar: r.bar}, radixRowPairs)
}

func radixRowPairs(t *engine.Task, in join.Input, out join.Output) error {
	return radix.Pairs(t, in, out, radix.Options{})
}

func radixSum(b *bench, r radixCase) error {
	probe, build, _, err := r.relations(b)
	if err != nil {
		return err
	}
	values, host, err := upload(b, r.n, func(i int64) int32 { return int32(murmur.Mix32(uint32(i))) })
	if err != nil {
		return err
	}
	var want int64
	for _, v := range host {
		want += int64(v)
	}
	return sumOf(b, r.name, float64(2*r.n), "tuples", equal(probe, build), values, column.I32, want, line{Bar: r.bar},
		func(t *engine.Task, in join.Input, aggs []join.Agg) ([]join.Value, error) {
			return radix.Aggregate(t, in, aggs, radix.Options{})
		})
}

// joinedRows holds all rows of a join with two 4-byte columns per side and the key.
type joinedRows struct {
	to         radix.Joined
	used, room int64
}

func newJoinedRows(b *bench, n int64) (*joinedRows, error) {
	r := &joinedRows{room: n}
	for _, to := range []*[]gpu.Ptr{&r.to.Left, &r.to.Right} {
		for range 2 {
			p, err := b.Alloc(4 * n)
			if err != nil {
				return nil, err
			}
			*to = append(*to, p)
		}
	}
	var err error
	r.to.Key, err = b.Alloc(4 * n)
	return r, err
}

func (r *joinedRows) Piece() (radix.Joined, int64, error) {
	at := func(p gpu.Ptr) gpu.Ptr { return p + gpu.Ptr(4*r.used) }
	return radix.Joined{
		Key:   at(r.to.Key),
		Left:  []gpu.Ptr{at(r.to.Left[0]), at(r.to.Left[1])},
		Right: []gpu.Ptr{at(r.to.Right[0]), at(r.to.Right[1])},
	}, r.room - r.used, nil
}

func (r *joinedRows) Emit(n int64) error {
	r.used += n
	return nil
}

// radixColumns joins with payload columns: row numbers, and another function of them.
func radixColumns(b *bench, r radixCase) error {
	probe, build, _, err := r.relations(b)
	if err != nil {
		return err
	}
	other := func(i int64) int32 { return int32(murmur.Mix32(uint32(i) + 99)) }
	rows, _, err := upload(b, r.n, func(i int64) int32 { return int32(i) })
	if err != nil {
		return err
	}
	others, _, err := upload(b, r.n, other)
	if err != nil {
		return err
	}
	side := []column.Column{{Kind: column.I32, Rows: r.n, Values: rows}, {Kind: column.I32, Rows: r.n, Values: others}}
	out, err := newJoinedRows(b, r.n+1)
	if err != nil {
		return err
	}
	ms, err := b.median(func() error {
		out.used = 0
		return radix.Columns(b.Task, equal(probe, build), radix.Payload{Left: side, Right: side, Key: true}, out, radix.Options{})
	})
	if err != nil {
		return err
	}
	if out.used != r.n {
		return fmt.Errorf("%s: %d rows, want %d", r.name, out.used, r.n)
	}
	b.add(r.name, ms, float64(2*r.n), "tuples", float64(r.n)*(2*(5*12+2*4)+20), line{Bar: r.bar})
	var columns [5][]int32
	for i, p := range []gpu.Ptr{out.to.Key, out.to.Left[0], out.to.Left[1], out.to.Right[0], out.to.Right[1]} {
		if columns[i], err = download[int32](b, p, r.n); err != nil {
			return err
		}
	}
	seen := make([]uint32, r.n)
	return every(r.name, r.n, func(i int64) bool {
		l, m := int64(columns[1][i]), int64(columns[3][i])
		return int64(columns[0][i]) == probe.key(l) && columns[2][i] == other(l) && r.match(l) == m && columns[4][i] == other(m) &&
			atomic.AddUint32(&seen[l], 1) == 1
	})
}
