package prim

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/kernels"
)

const (
	bins        = 256
	histogram   = "gsql_radix_histogram"
	offsets     = "gsql_radix_offsets"
	pass        = "gsql_radix_pass"
	countsBytes = 8 * bins // of a digit
)

// Sorting is an order of keys and the known properties of the keys.
type Sorting struct {
	Kind       column.Kind
	Unsigned   bool // integers are unsigned
	Descending bool

	// Bounded means that all keys are in [Min, Max] (integers; bit patterns if unsigned).
	Bounded  bool
	Min, Max int64
}

// Pairs are keys with values of 4 or 8 bytes, in two arrays of device memory.
type Pairs struct{ Keys, Values gpu.Ptr }

// flip returns the bits whose inversion makes the order that of unsigned numbers: see
// kernels/radix.cuh.
func (s Sorting) flip() uint64 {
	var flip uint64
	if s.Kind == column.F64 || !s.Unsigned {
		flip = 1 << (8*s.Kind.Width() - 1)
	}
	if s.Descending {
		flip = ^flip
	}
	return flip
}

func (s Sorting) floating() uint64 {
	if s.Kind == column.F64 {
		return 1
	}
	return 0
}

// high returns the number of low bits in which keys may differ.
func (s Sorting) high() int64 {
	all := 8 * s.Kind.Width()
	if !s.Bounded || s.Kind == column.F64 {
		return all
	}
	return min(all, int64(bits.Len64(uint64(s.Min)^uint64(s.Max))))
}

// SortBytes returns the scratch memory of Sort.
func (s Sorting) SortBytes(n, valueWidth int64) int64 {
	return padded(n*s.Kind.Width()) + padded(n*valueWidth) + padded(8*countsBytes) +
		padded(passStateBytes(n))
}

// passStateBytes is the look-back state of a radix pass over n pairs.
func passStateBytes(n int64) int64 { return 8 + 4*bins*kernels.Tiles(pass, n, false) }

// Sort writes the n pairs of in to out in the order of their keys; equal keys keep their order.
// Values have valueWidth bytes; if in.Values is 0 they are the row numbers, of 4 bytes. in is
// unchanged and must not overlap out. The algorithm is a radix sort from the lowest digit (Adinets,
// Merrill: Onesweep, arXiv:2206.01784) that skips digits that all keys share. It waits for a
// histogram of the keys.
func (s Sorting) Sort(t *engine.Task, in, out Pairs, valueWidth, n int64) error {
	m := t.Mark()
	err := s.sort(t, in, out, valueWidth, n)
	return errors.Join(err, t.Release(m))
}

func (s Sorting) sort(t *engine.Task, in, out Pairs, valueWidth, n int64) error {
	counts, err := t.Alloc(8 * countsBytes)
	if err != nil {
		return err
	}
	digits, err := s.digits(t, in.Keys, n, counts)
	if err != nil {
		return err
	}
	if len(digits) == 0 {
		return copyPairs(t, in, out, s.Kind.Width(), valueWidth, n)
	}
	var other Pairs
	if other.Keys, err = t.Alloc(n * s.Kind.Width()); err != nil {
		return err
	}
	if other.Values, err = t.Alloc(n * valueWidth); err != nil {
		return err
	}
	state, err := t.Alloc(passStateBytes(n))
	if err != nil {
		return err
	}
	from, to, next := in, out, other
	if len(digits)%2 == 0 {
		to, next = other, out
	}
	if from.Values == 0 {
		from.Values = next.Values
		if err := RowNumbers(t, from.Values, 0, n); err != nil {
			return err
		}
	}
	for _, d := range digits {
		if err := s.pass(t, d, from, to, valueWidth, n, counts+gpu.Ptr(d*countsBytes), state); err != nil {
			return err
		}
		from, to, next = to, next, to
	}
	return nil
}

// pass moves the pairs by digit d, whose bins begin at firsts.
func (s Sorting) pass(t *engine.Task, d int64, from, to Pairs, valueWidth, n int64, firsts, state gpu.Ptr) error {
	if err := t.Fill(state, 0, passStateBytes(n)); err != nil {
		return err
	}
	return s.move(t, Digit{8 * d, 8}, from, to, valueWidth, n, firsts, state)
}

// digits returns the digits in which keys differ, and leaves the positions of all digits' bins in
// counts.
func (s Sorting) digits(t *engine.Task, keys gpu.Ptr, n int64, counts gpu.Ptr) ([]int64, error) {
	all := (s.high() + 7) / 8
	if n <= 1 || all == 0 {
		return nil, nil
	}
	if err := t.Fill(counts, 0, all*countsBytes); err != nil {
		return nil, err
	}
	const perBlock = 8192
	blocks := min((n+perBlock-1)/perBlock, t.ResidentBlocks())
	err := t.LaunchBlocks(histogram, s.Kind.Bits(), blocks, int(all*4*1024), uint64(keys), uint64(n), uint64(counts), 0, uint64(8*all), s.flip(), s.floating())
	if err != nil {
		return nil, err
	}
	host := make([]byte, all*countsBytes)
	if err := t.Read(host, counts); err != nil {
		return nil, err
	}
	var differ []int64
	for d := range all {
		if !oneBin(host[d*countsBytes:(d+1)*countsBytes], n) {
			differ = append(differ, d)
		}
	}
	return differ, t.LaunchBlocks(offsets, "", all, 0, uint64(counts))
}

// oneBin reports whether one of a digit's bins has all n keys.
func oneBin(counts []byte, n int64) bool {
	for b := 0; b < len(counts); b += 8 {
		if c := binary.LittleEndian.Uint64(counts[b:]); c != 0 {
			return c == uint64(n)
		}
	}
	return true
}

// copyPairs is the sort for keys that are all equal.
func copyPairs(t *engine.Task, in, out Pairs, keyWidth, valueWidth, n int64) error {
	if n == 0 {
		return nil
	}
	if err := t.Device.CopyDevice(out.Keys, in.Keys, n*keyWidth, t.Compute); err != nil {
		return err
	}
	if in.Values == 0 {
		return RowNumbers(t, out.Values, 0, n)
	}
	return t.Device.CopyDevice(out.Values, in.Values, n*valueWidth, t.Compute)
}
