//go:build cuda

package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gsql/bench/murmur"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/join/theta"
)

// thetaJoins measures left.key < right.key: as a sum at three selectivities, and writing its row
// pairs.
func thetaJoins(b *bench) error {
	var errs []error
	for _, selectivity := range []float64{0.1, 0.5, 0.9} {
		errs = append(errs, b.within(func() error { return thetaSum(b, selectivity) }))
	}
	return errors.Join(append(errs, b.within(func() error { return thetaPairs(b) }))...)
}

// overlapping returns two sides of uniform keys such that left < right has the given selectivity.
func overlapping(b *bench, left, right int64, selectivity float64) (l, r relation, err error) {
	shift := 0.0
	switch {
	case selectivity < 0.5:
		shift = 1 - math.Sqrt(2*selectivity)
	case selectivity > 0.5:
		shift = math.Sqrt(2*(1-selectivity)) - 1
	}
	const width = 2_000_000_000
	half := int64(shift * width / 2)
	uniform := func(seed uint64, shift int64) func(i int64) int64 {
		return func(i int64) int64 { return int64(murmur.Mix64(uint64(i)+seed)%width)/2 - width/4 + shift/2 }
	}
	if l, err = newRelation(b, column.I32, left, uniform(1<<40, half)); err != nil {
		return l, r, err
	}
	r, err = newRelation(b, column.I32, right, uniform(2<<40, -half))
	return l, r, err
}

// partners counts the right rows above each left row with a sort and binary searches.
func partners(l, r relation) (each []int64, all int64) {
	keys := make([]int64, r.rows)
	for i := range keys {
		keys[i] = r.key(int64(i))
	}
	slices.Sort(keys)
	each = make([]int64, l.rows)
	for i := range each {
		above, _ := slices.BinarySearch(keys, l.key(int64(i))+1)
		each[i] = r.rows - int64(above)
		all += each[i]
	}
	return each, all
}

func less(l, r relation) join.Input {
	in := equal(l, r)
	in.Conditions[0].Op = join.LT
	return in
}

func thetaSum(b *bench, selectivity float64) error {
	const left, right = 500_000, 450_000
	l, r, err := overlapping(b, left, right, selectivity)
	if err != nil {
		return err
	}
	values, host, err := upload(b, left, func(i int64) int32 { return int32(murmur.Mix64(uint64(i) + 99)) })
	if err != nil {
		return err
	}
	each, all := partners(l, r)
	want := int64(0)
	for i, n := range each {
		want += int64(host[i]) * n
	}
	work := fmt.Sprintf("theta SUM, 500K x 450K, selectivity %.2f", float64(all)/left/right)
	return sumOf(b, work, left*right, "pairs", less(l, r), values, column.I32, want, line{Bar: 5500},
		func(t *engine.Task, in join.Input, aggs []join.Agg) ([]join.Value, error) {
			return theta.Aggregate(t, in, aggs, theta.Options{})
		})
}

// thetaPairs writes half of 50K x 25K as row pairs of 8 bytes.
func thetaPairs(b *bench) error {
	l, r, err := overlapping(b, 50_000, 25_000, 0.5)
	if err != nil {
		return err
	}
	_, want := partners(l, r)
	out, err := b.NewDevicePairs(want)
	if err != nil {
		return err
	}
	ms, err := b.median(func() error {
		out.Rows = 0
		return theta.Pairs(b.Task, less(l, r), out, theta.Options{})
	})
	if err != nil {
		return err
	}
	if out.Rows != want {
		return fmt.Errorf("theta pairs: %d, want %d", out.Rows, want)
	}
	b.add("theta output-bound, 50K x 25K, row pairs of 8 bytes", ms, float64(want), "pairs", 8*float64(want), line{Bar: -4, Note: "the bar is for rows of 12 bytes"})
	rows, err := download[int32](b, out.Left, want)
	if err != nil {
		return err
	}
	partner, err := download[int32](b, out.Right, want)
	if err != nil {
		return err
	}
	return every("theta pairs", want, func(i int64) bool { return l.key(int64(rows[i])) < r.key(int64(partner[i])) })
}
