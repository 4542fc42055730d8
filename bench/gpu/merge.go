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
	"gsql/gpu/join/merge"
)

// mergeJoins measures workload a, 2^27 x 2^27 rows, with and without the sorts, and a join whose
// keys repeat on both sides.
func mergeJoins(b *bench) error {
	return errors.Join(
		b.within(func() error { return mergeRandom(b) }),
		b.within(func() error { return mergeInOrder(b) }),
		b.within(func() error { return mergeRuns(b) }),
	)
}

func mergePairs(t *engine.Task, in join.Input, out join.Output) error {
	return merge.Pairs(t, in, out, merge.Options{})
}

const mergeRows = 1 << 27

func mergeRandom(b *bench) error {
	l, err := newRelation(b, column.I32, mergeRows, func(i int64) int64 { return sparse(int64(murmur.Mix64(uint64(i)+7) % mergeRows)) })
	if err != nil {
		return err
	}
	r, err := newRelation(b, column.I32, mergeRows, sparse)
	if err != nil {
		return err
	}
	// Per side a histogram, four passes over pairs, the merge of keys and rows, and the output.
	floor := 2.0*mergeRows*(4+4*16+8) + 8*mergeRows
	return pairsCase(b, "sort-merge join a, 2^27 x 2^27, row pairs", l, r, mergeRows, floor, line{Bar: 19}, mergePairs)
}

// ascending returns the i-th key in an order of keys that are drawn from groups of four.
func ascending(i int64) int64 {
	draw := murmur.Mix64(uint64(i / 4))
	four := []int64{int64(draw & 3), int64(draw >> 8 & 3), int64(draw >> 16 & 3), int64(draw >> 24 & 3)}
	slices.Sort(four)
	return i&^3 + four[i&3]
}

func mergeInOrder(b *bench) error {
	key := func(i int64) int64 { return math.MinInt32 + 31*i }
	l, err := newRelation(b, column.I32, mergeRows, func(i int64) int64 { return key(ascending(i)) })
	if err != nil {
		return err
	}
	r, err := newRelation(b, column.I32, mergeRows, key)
	if err != nil {
		return err
	}
	// The columns are read to detect that they are in order, and again to be merged.
	return pairsCase(b, "sort-merge join a, both sides in order", l, r, mergeRows, 2*8*mergeRows+8*mergeRows, line{Bar: -5}, mergePairs)
}

// mergeRuns joins runs of eight with runs of eight.
func mergeRuns(b *bench) error {
	const rows, pairs = 1 << 24, 8 << 24
	l, err := newRelation(b, column.I32, rows, func(i int64) int64 { return i / 8 })
	if err != nil {
		return err
	}
	out, err := b.NewDevicePairs(pairs)
	if err != nil {
		return err
	}
	ms, err := b.median(func() error {
		out.Rows = 0
		return mergePairs(b.Task, equal(l, l), out)
	})
	if err != nil {
		return err
	}
	if out.Rows != pairs {
		return fmt.Errorf("%d pairs of runs, want %d", out.Rows, pairs)
	}
	b.add("merge join 2^24 x 2^24 in order, 8 partners each", ms, pairs, "pairs", 8*pairs+4*4*rows, line{})
	left, err := download[int32](b, out.Left, pairs)
	if err != nil {
		return err
	}
	right, err := download[int32](b, out.Right, pairs)
	if err != nil {
		return err
	}
	// The kernels write in the order of the right rows and of their partners.
	return every("pairs of runs", pairs, func(i int64) bool {
		row := i / 8
		return int64(right[i]) == row && int64(left[i]) == row&^7+i%8
	})
}
