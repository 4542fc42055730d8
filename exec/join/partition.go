package join

import (
	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/internal/simd"
)

// block is the number of rows handled at once where intermediate values should stay
// in the first-level cache.
const block = 2048

// digits tells how a code gives its partition: the top bits of its hash, or of its
// distance from min where codes are dense or have to keep their order.
type digits struct {
	hashed  bool
	clamped bool // codes below min count as min, those above max as max
	min     uint64
	max     uint64
	shift   uint // right shift; what remains is the partition
	count   int  // partitions
}

// of writes the partitions of codes to dst; skipped rows get the number count.
func (d *digits) of(dst []uint16, codes []uint64, skip []bool) {
	switch {
	case d.hashed:
		done := simd.HashDigits(dst[:len(codes)], codes, d.shift)
		for i, c := range codes[done:] {
			dst[done+i] = uint16(rowhash.Mix(c) >> d.shift)
		}
	case d.clamped:
		for i, c := range codes {
			dst[i] = uint16((min(max(c, d.min), d.max) - d.min) >> d.shift)
		}
	default:
		for i, c := range codes {
			dst[i] = uint16((c - d.min) >> d.shift)
		}
	}
	for i, s := range skip {
		if s {
			dst[i] = uint16(d.count)
		}
	}
}

// parts are the codes of a side with their rows, ordered by partition and within one
// by row: partition p is [start[p], start[p+1]). Skipped rows come last.
type parts struct {
	codes *mem.Buffer[uint64]
	rows  *mem.Buffer[int32]
	start []int
}

func (p *parts) free() {
	if p != nil {
		p.codes.Free()
		p.rows.Free()
	}
}

// valid gives the number of rows that are not skipped.
func (p *parts) valid() int { return p.start[len(p.start)-1] }

// partition orders the codes by partition: every worker counts its share of the rows,
// a prefix sum gives each worker its own range in every partition, and the second pass
// scatters without coordination.
func partition(ctx *op.Ctx, acct *mem.Account, in *coded, d digits) (*parts, error) {
	n := len(in.codes.S)
	p := &parts{start: make([]int, d.count+1)}
	var err error
	if p.codes, err = mem.Scratch[uint64](acct, n); err != nil {
		return nil, err
	}
	if p.rows, err = mem.Scratch[int32](acct, n); err != nil {
		p.free()
		return nil, err
	}
	workers := workersFor(ctx, n)
	counts := make([][]int32, workers)
	err = op.Parallel(ctx, workers, func(w int) error {
		counts[w] = make([]int32, d.count+1)
		return in.eachBlock(ctx, w, workers, func(_ int, codes []uint64, skip []bool) {
			var digit [block]uint16
			d.of(digit[:], codes, skip)
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
		p.free()
		return nil, err
	}
	return p, nil
}

// places makes the workers' counts of rows the places of their first rows in each partition.
func (p *parts) places(counts [][]int32) {
	at := int32(0)
	for x := range p.start {
		p.start[x] = int(at)
		for w := range counts {
			counts[w][x], at = at, at+counts[w][x]
		}
	}
}

// scatter puts worker w's share of the rows to their places, which begin at next.
func (p *parts) scatter(ctx *op.Ctx, acct *mem.Account, in *coded, d *digits, next []int32, w, workers int) error {
	var groups *mem.Buffer[uint64]
	var words []uint64
	if combines(len(in.codes.S)/workers, len(next)) {
		var err error
		if groups, err = buffers(acct, len(next)); err != nil {
			return err
		}
		defer groups.Free()
		words = groups.S
	}
	var s scatterer
	s.to(p.codes.S, p.rows.S, next, words)
	var rows [block]int32
	err := in.eachBlock(ctx, w, workers, func(from int, codes []uint64, skip []bool) {
		var digit [block]uint16
		d.of(digit[:], codes, skip)
		part := rows[:len(codes)]
		if in.rows != nil {
			part = in.rows[from:]
		} else {
			number(part, from)
		}
		s.deal(codes, part, digit[:])
	})
	s.end()
	return err
}

// workersFor gives the number of goroutines that rows are worth.
func workersFor(ctx *op.Ctx, rows int) int {
	return max(1, min(ctx.Workers, rows/(4*block)))
}

// share gives the part of n things that worker w of workers handles.
func share(n, w, workers int) (from, to int) { return n * w / workers, n * (w + 1) / workers }

// eachShare calls f for shares of n rows, at the same time.
func eachShare(ctx *op.Ctx, n int, f func(from, to int)) error {
	workers := workersFor(ctx, n)
	return op.Parallel(ctx, workers, func(w int) error {
		f(share(n, w, workers))
		return ctx.Err()
	})
}
