package join

import (
	"math/bits"
	"slices"

	"gsql/exec/op"
	"gsql/internal/mem"
)

// sortBits gives the bits of the first pass: enough for partitions that the cache holds.
func sortBits(n int) int { return min(11, max(1, bits.Len(uint(n/1024)))) }

// sortDigits gives partitions of ascending codes that are likely to be of much the same
// length: of equal ranges of codes, where few codes that are far from all others do not count.
func (c *coded) sortDigits(ctx *op.Ctx) (digits, error) {
	lo, hi, err := c.codeRange(ctx, 0)
	if err != nil {
		return digits{}, err
	}
	d := digits{min: lo, max: max(lo, hi)} // all rows are skipped: the range is empty
	if from, to, ok := c.bulk(d.min, d.max); ok {
		d.min, d.max, d.clamped = from, to, true
	}
	d.shift = uint(max(0, bits.Len64(d.max-d.min)-sortBits(len(c.codes.S))))
	d.count = int((d.max-d.min)>>d.shift) + 1
	return d, nil
}

// Variables for tests.
var (
	leastSampled = 1 << 16 // the least number of codes that are worth a sample
	leastLong    = 1 << 16 // that of a partition which is partitioned again
)

const (
	codeSample = 1 << 10
	// trimmed is the share of a sample, one in so many, that may be far away at either end.
	trimmed = 1 << 6
)

// bulk gives a range of codes that has most of them and is less than half of all from lo to hi; ok
// is false where there is none. Next to the most frequent code there is room on either side, unless
// it is lo or hi.
func (c *coded) bulk(lo, hi uint64) (from, to uint64, ok bool) {
	n := len(c.codes.S)
	if n < leastSampled {
		return 0, 0, false
	}
	sample := make([]uint64, 0, codeSample)
	for k := range min(n, codeSample) {
		if row := sampleRow(k, n, codeSample); c.skip == nil || !c.skip.S[row] {
			sample = append(sample, c.codes.S[row])
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

// sampleRow gives one of each stretch of as many of rows for a sample of up to n; which one
// differs, as rows may come in turns.
func sampleRow(k, rows, n int) int {
	from, to := share(rows, k, min(rows, n))
	return from + int(uint32(k)*2654435769>>16)%(to-from)
}

// longRows is how many rows of n a partition may have that one of several workers sorts: little more
// than its share, as to partition it again would save no more than that takes.
func longRows(n, workers int) int { return max(leastLong, n/workers+n/(8*workers)) }

// divide gives starts of partitions in place of those given: those with more rows than most
// are partitioned again by all workers, until they have no more or their codes are equal. Of
// equal codes most make a partition.
func (s *sorted) divide(ctx *op.Ctx, acct *mem.Account, start []int, most int) (all []int, err error) {
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

// partitionAgain divides the rows [from, to), and gives the starts of the partitions.
func (s *sorted) partitionAgain(ctx *op.Ctx, acct *mem.Account, from, to, most int) (start []int, err error) {
	part := &coded{codes: &mem.Buffer[uint64]{S: s.codes[from:to]}, rows: s.rows[from:to]}
	d, err := part.sortDigits(ctx)
	if err != nil {
		return nil, err
	}
	if d.count == 1 {
		for ; from < to; from += most {
			start = append(start, from)
		}
		return start, nil
	}
	p, err := partition(ctx, acct, part, d)
	if err != nil {
		return nil, err
	}
	defer p.free()
	err = eachShare(ctx, to-from, func(a, b int) {
		copy(part.codes.S[a:b], p.codes.S[a:b])
		copy(part.rows[a:b], p.rows.S[a:b])
	})
	if err != nil {
		return nil, err
	}
	for i := range p.start {
		p.start[i] += from
	}
	if start, err = s.divide(ctx, acct, p.start, most); err != nil {
		return nil, err
	}
	return start[:len(start)-1], nil
}
