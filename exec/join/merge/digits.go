package merge

import (
	"math/bits"
	"slices"

	"gsql/exec/join/partition"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
)

// sortBits returns the bits of the first pass: enough for partitions that fit in the cache.
func sortBits(n int) int { return min(11, max(1, bits.Len(uint(n/1024)))) }

// sortDigits returns partitions of ascending codes that are likely to have similar sizes: equal
// ranges of codes, not counting a few codes far from all others.
func sortDigits(ctx *op.Ctx, c *keyenc.Codes) (partition.Digits, error) {
	lo, hi, err := c.Range(ctx, 0)
	if err != nil {
		return partition.Digits{}, err
	}
	d := partition.Digits{Min: lo, Max: max(lo, hi)} // if all rows are skipped, the range is empty
	if from, to, ok := bulkOf(c, d.Min, d.Max); ok {
		d.Min, d.Max, d.Clamped = from, to, true
	}
	d.Shift = uint(max(0, bits.Len64(d.Max-d.Min)-sortBits(len(c.Words.S))))
	d.Count = int((d.Max-d.Min)>>d.Shift) + 1
	return d, nil
}

// Variables for tests.
var (
	leastSampled = 1 << 16 // the least number of codes for which a sample pays
	leastLong    = 1 << 16 // the least number of codes in a partition that is partitioned again
)

const (
	codeSample = 1 << 10
	// trimmed is the share of a sample, as its reciprocal, that may be far away at either end.
	trimmed = 1 << 6
)

// bulkOf returns a range of codes that contains most of them and is less than half as wide as lo
// to hi; ok is false if there is none. The range extends beyond the most frequent code on either
// side, unless that code is lo or hi.
func bulkOf(c *keyenc.Codes, lo, hi uint64) (from, to uint64, ok bool) {
	n := len(c.Words.S)
	if n < leastSampled {
		return 0, 0, false
	}
	sample := make([]uint64, 0, codeSample)
	for k := range min(n, codeSample) {
		if row := SampleRow(k, n, codeSample); c.Skip == nil || !c.Skip.S[row] {
			sample = append(sample, c.Words.S[row])
		}
	}
	if len(sample) < trimmed {
		return 0, 0, false
	}
	slices.Sort(sample)
	far := len(sample) / trimmed
	from, to = sample[far], sample[len(sample)-1-far]
	width := max(2, bits.Len64(to-from)+1)
	if width+2 > bits.Len64(hi-lo) {
		return 0, 0, false
	}
	span := uint64(1) << width
	from -= min((span-(to-from))/2, from-lo)
	return from, from + min(span-1, hi-from), true
}

// SampleRow returns row k of a sample of n rows: one from each of n stretches of equal length, at
// varying positions, because rows may alternate.
func SampleRow(k, rows, n int) int {
	from, to := op.Share(rows, k, min(rows, n))
	return from + int(uint32(k)*2654435769>>16)%(to-from)
}

// longRows returns how many of n rows a partition sorted by one of several workers may have:
// little more than the worker's share, because partitioning it again costs as much as it saves.
func longRows(n, workers int) int { return max(leastLong, n/workers+n/(8*workers)) }

// divide splits the partitions with more than most rows again, using all workers, until none has
// more or its codes are equal. Equal codes are divided into partitions of most rows. It returns
// the starts of all partitions.
func (s *Order) divide(ctx *op.Ctx, acct *mem.Account, start []int, most int) (all []int, err error) {
	for i, from := range start[:len(start)-1] {
		to := start[i+1]
		if to-from <= most {
			all = append(all, from)
			continue
		}
		within, err := s.partitionAgain(ctx, acct, from, to, most)
		if err != nil {
			return nil, err
		}
		all = append(all, within...)
	}
	return append(all, start[len(start)-1]), nil
}

// partitionAgain divides the rows [from, to) and returns the starts of the partitions.
func (s *Order) partitionAgain(ctx *op.Ctx, acct *mem.Account, from, to, most int) (start []int, err error) {
	part := &keyenc.Codes{Words: &mem.Buffer[uint64]{S: s.Codes[from:to]}, Rows: s.Rows[from:to]}
	d, err := sortDigits(ctx, part)
	if err != nil {
		return nil, err
	}
	if d.Count == 1 {
		for ; from < to; from += most {
			start = append(start, from)
		}
		return start, nil
	}
	p, err := partition.Split(ctx, acct, part, d)
	if err != nil {
		return nil, err
	}
	defer p.Free()
	err = op.EachShare(ctx, to-from, func(a, b int) {
		copy(part.Words.S[a:b], p.Codes.S[a:b])
		copy(part.Rows[a:b], p.Rows.S[a:b])
	})
	if err != nil {
		return nil, err
	}
	for i := range p.Start {
		p.Start[i] += from
	}
	if start, err = s.divide(ctx, acct, p.Start, most); err != nil {
		return nil, err
	}
	return start[:len(start)-1], nil
}
