package prim

import (
	"encoding/binary"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/kernels"
)

// Digit is bits [Low, Low+Bits) of keys' places in an order, at most 8.
type Digit struct{ Low, Bits int64 }

// Values returns how many values the digit has.
func (d Digit) Values() int { return 1 << d.Bits }

// Highest returns the digit of up to 8 bits below the given one, as far as keys may differ there; all
// bits are below all. Below the lowest digit there is one without bits.
func (s Sorting) Highest(below int64) Digit {
	high := min(below, s.high())
	low := max(high-8, 0)
	return Digit{low, high - low}
}

// Counts counts the n keys by a digit; it waits for them.
func (s Sorting) Counts(t *engine.Task, keys gpu.Ptr, d Digit, n int64) (counts []int64, err error) {
	err = s.withCounts(t, keys, d, n, func(at gpu.Ptr) error {
		raw := make([]byte, countsBytes)
		if err := t.Read(raw, at); err != nil {
			return err
		}
		for v := range d.Values() {
			counts = append(counts, int64(binary.LittleEndian.Uint64(raw[8*v:])))
		}
		return nil
	})
	return counts, err
}

// MoveBy writes the n pairs of from to to by the values of one digit; equal ones keep their order.
func (s Sorting) MoveBy(t *engine.Task, d Digit, from, to Pairs, valueWidth, n int64) error {
	return s.withCounts(t, from.Keys, d, n, func(counts gpu.Ptr) error {
		if err := t.LaunchBlocks(offsets, "", 1, 0, uint64(counts)); err != nil {
			return err
		}
		return withZeros(t, passStateBytes(n), func(state gpu.Ptr) error {
			return s.move(t, d, from, to, valueWidth, n, counts, state)
		})
	})
}

// withCounts passes a digit's counts, in device memory, to f.
func (s Sorting) withCounts(t *engine.Task, keys gpu.Ptr, d Digit, n int64, f func(counts gpu.Ptr) error) error {
	return withZeros(t, countsBytes, func(counts gpu.Ptr) error {
		const perBlock = 8192
		blocks := min((n+perBlock-1)/perBlock, t.ResidentBlocks())
		err := t.LaunchBlocks(histogram, s.Kind.Bits(), blocks, 4*1024, uint64(keys), uint64(n), uint64(counts),
			uint64(d.Low), uint64(d.Low+d.Bits), s.flip(), s.floating())
		if err != nil {
			return err
		}
		return f(counts)
	})
}

// move is a pass over pairs by a digit whose values begin at firsts; state is of zeros.
func (s Sorting) move(t *engine.Task, d Digit, from, to Pairs, valueWidth, n int64, firsts, state gpu.Ptr) error {
	typ := s.Kind.Bits() + [...]string{4: "b4", 8: "b8"}[valueWidth]
	return t.LaunchBlocks(pass, typ, kernels.Tiles(pass, n, false), kernels.RadixPassShared[typ], uint64(from.Keys), uint64(from.Values),
		uint64(to.Keys), uint64(to.Values), uint64(n), uint64(firsts), uint64(state), uint64(d.Low), uint64(d.Values()-1), s.flip(), s.floating())
}
