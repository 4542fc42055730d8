package partition

import (
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/internal/simd"
	"gsql/sql/vec"
)

// Digits maps a code to its partition: by the top bits of its hash, or of its distance from Min
// if codes are dense or must keep their order.
type Digits struct {
	Hashed  bool
	Clamped bool // codes below Min are treated as Min, those above Max as Max
	Min     uint64
	Max     uint64
	Shift   uint // the right shift that yields the partition
	Count   int  // number of partitions
}

// Of writes the partitions of codes to dst; skipped rows get partition number Count.
func (d *Digits) Of(dst []uint16, codes []uint64, skip []bool) {
	switch {
	case d.Hashed:
		done := simd.HashDigits(dst[:len(codes)], codes, d.Shift)
		for i, c := range codes[done:] {
			dst[done+i] = uint16(rowhash.Mix(c) >> d.Shift)
		}
	case d.Clamped:
		for i, c := range codes {
			dst[i] = uint16((min(max(c, d.Min), d.Max) - d.Min) >> d.Shift)
		}
	default:
		for i, c := range codes {
			dst[i] = uint16((c - d.Min) >> d.Shift)
		}
	}
	for i, s := range skip {
		if s {
			dst[i] = uint16(d.Count)
		}
	}
}

// Parts holds the codes of a side with their rows, ordered by partition and then by row.
// Partition p is [Start[p], Start[p+1]). Skipped rows come last.
type Parts struct {
	Codes *mem.Buffer[uint64]
	Rows  *mem.Buffer[int32]
	Start []int
}

// Free releases the memory. It may be called on nil.
func (p *Parts) Free() {
	if p != nil {
		p.Codes.Free()
		p.Rows.Free()
	}
}

// Valid returns the number of rows that are not skipped.
func (p *Parts) Valid() int { return p.Start[len(p.Start)-1] }

// Split orders codes by partition. Each worker counts its share of the rows, a prefix sum
// reserves a range of every partition for each worker, and a second pass scatters the codes
// without coordination.
func Split(ctx *op.Ctx, acct *mem.Account, in *keyenc.Codes, d Digits) (*Parts, error) {
	n := len(in.Words.S)
	p := &Parts{Start: make([]int, d.Count+1)}
	var err error
	if p.Codes, err = mem.Scratch[uint64](acct, n); err != nil {
		return nil, err
	}
	if p.Rows, err = mem.Scratch[int32](acct, n); err != nil {
		p.Free()
		return nil, err
	}
	workers := op.WorkersFor(ctx, n)
	counts := make([][]int32, workers)
	err = op.Parallel(ctx, workers, func(w int) error {
		counts[w] = make([]int32, d.Count+1)
		return in.EachBlock(ctx, w, workers, func(_ int, codes []uint64, skip []bool) {
			var digit [op.Block]uint16
			d.Of(digit[:], codes, skip)
			for _, x := range digit[:len(codes)] {
				counts[w][x]++
			}
		})
	})
	if err == nil {
		p.places(counts)
		err = op.Parallel(ctx, workers, func(w int) error { return p.scatter(ctx, acct, in, &d, counts[w], w, workers) })
	}
	if err != nil {
		p.Free()
		return nil, err
	}
	return p, nil
}

// places replaces the workers' counts of rows by the positions of their first rows in each partition.
func (p *Parts) places(counts [][]int32) {
	at := int32(0)
	for x := range p.Start {
		p.Start[x] = int(at)
		for w := range counts {
			counts[w][x], at = at, at+counts[w][x]
		}
	}
}

// scatter moves a worker's share of the rows to their positions; next holds the first one in each
// partition.
func (p *Parts) scatter(ctx *op.Ctx, acct *mem.Account, in *keyenc.Codes, d *Digits, next []int32, w, workers int) error {
	var groups *mem.Buffer[uint64]
	var words []uint64
	if Combines(len(in.Words.S)/workers, len(next)) {
		var err error
		if groups, err = Buffers(acct, len(next)); err != nil {
			return err
		}
		defer groups.Free()
		words = groups.S
	}
	var s Scatterer
	s.Begin(p.Codes.S, p.Rows.S, next, words)
	var rows [op.Block]int32
	err := in.EachBlock(ctx, w, workers, func(from int, codes []uint64, skip []bool) {
		var digit [op.Block]uint16
		d.Of(digit[:], codes, skip)
		part := rows[:len(codes)]
		if in.Rows != nil {
			part = in.Rows[from:]
		} else {
			vec.Ascend(part, from)
		}
		s.Deal(codes, part, digit[:])
	})
	s.End()
	return err
}

// Each calls f for each partition of worker w.
func (p *Parts) Each(ctx *op.Ctx, w, workers int, f func(part, from, to int) error) error {
	for x := w; x < len(p.Start)-1; x += workers {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(x, p.Start[x], p.Start[x+1]); err != nil {
			return err
		}
	}
	return nil
}
