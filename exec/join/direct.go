package join

import (
	"math"
	"math/bits"
	"sync/atomic"

	"gsql/exec/op"
)

// direct is a table without hashing for codes that are dense between their least and
// greatest: code-min is the address (a perfect hash).
type direct struct {
	min  uint64
	size uint64  // addresses; one more is the address of all codes outside
	one  []int32 // without duplicates: row+1 by address, 0 for none; nil where the address is the row
	off  []int32 // with duplicates: list of address a is rows[off[a]:off[a+1]]
	rows []int32
}

// density is the most addresses a row that direct addressing may take; a hash table
// takes about eight times the bytes of an address.
const density = 4

// codeRange gives the least and greatest code that is not skipped.
func (c *coded) codeRange(ctx *op.Ctx) (lo, hi uint64, err error) {
	workers := workersFor(ctx, len(c.codes.S))
	los, his := make([]uint64, workers), make([]uint64, workers)
	err = op.Parallel(ctx, workers, func(w int) error {
		lo, hi := uint64(math.MaxUint64), uint64(0)
		defer func() { los[w], his[w] = lo, hi }()
		return c.eachBlock(ctx, w, workers, func(_ int, codes []uint64, skip []bool) {
			if skip == nil {
				for _, x := range codes {
					lo, hi = min(lo, x), max(hi, x)
				}
				return
			}
			for i, x := range codes {
				if !skip[i] {
					lo, hi = min(lo, x), max(hi, x)
				}
			}
		})
	})
	lo, hi = math.MaxUint64, 0
	for w := range los {
		lo, hi = min(lo, los[w]), max(hi, his[w])
	}
	return lo, hi, err
}

// isDense tells whether direct addressing pays for n rows.
func isDense(lo, hi uint64, n int) bool {
	return lo <= hi && hi-lo < uint64(n)*density+block && hi-lo < math.MaxInt32-2
}

// fillUnique enters the rows as long as no code comes twice, which it tells.
func (d *direct) fillUnique(ctx *op.Ctx, c *coded) (twice bool, err error) {
	workers := workersFor(ctx, len(c.codes.S))
	var dup atomic.Bool
	err = op.Parallel(ctx, workers, func(w int) error {
		return c.eachBlock(ctx, w, workers, func(from int, codes []uint64, skip []bool) {
			if dup.Load() {
				return
			}
			for i, x := range codes {
				if skip != nil && skip[i] {
					continue
				}
				if atomic.SwapInt32(&d.one[x-d.min], int32(from+i+1)) != 0 {
					dup.Store(true)
				}
			}
		})
	})
	return dup.Load(), err
}

// digits partitions the addresses by their top bits, so that a partition's addresses
// stay in the cache.
func (d *direct) digits() digits {
	shift := max(bits.Len(regionRows)-1, bits.Len64(d.size-1)-bits.Len(maxRegions)+1)
	return digits{min: d.min, shift: uint(shift), count: int((d.size-1)>>shift) + 1}
}

// fillLists enters the rows of partitioned codes; off and rows are zero.
func (d *direct) fillLists(ctx *op.Ctx, p *parts, shift uint) error {
	workers := workersFor(ctx, p.valid())
	d.off[d.size], d.off[d.size+1] = int32(p.valid()), int32(p.valid())
	return op.Parallel(ctx, workers, func(w int) error {
		return p.each(ctx, w, workers, func(x, from, to int) error {
			lo := x << shift
			off := d.off[lo:min(lo+1<<shift, int(d.size))]
			first := d.min + uint64(lo)
			for _, c := range p.codes.S[from:to] {
				off[c-first]++
			}
			at := int32(from)
			for i, n := range off {
				off[i] = at
				at += n
			}
			for i, c := range p.codes.S[from:to] {
				d.rows[off[c-first]] = p.rows.S[from+i]
				off[c-first]++
			}
			copy(off[1:], off)
			if len(off) > 0 {
				off[0] = int32(from)
			}
			return nil
		})
	})
}

// lookup finds the codes that the table has; hits name them by position.
func (d *direct) lookup(cs []uint64, h *hits) {
	h.resize(len(cs))
	row, start := h.row, h.start
	lo, size, n := d.min, d.size, 0
	switch {
	case d.one == nil && d.off == nil:
		for i, c := range cs {
			a := min(c-lo, size)
			row[n], start[n] = int32(i), int32(a)
			n += one(a != size)
		}
	case d.off == nil:
		single := d.one
		for i, c := range cs {
			r := single[min(c-lo, size)]
			row[n], start[n] = int32(i), r-1
			n += one(r != 0)
		}
	default:
		off, count := d.off, h.count
		for i, c := range cs {
			a := min(c-lo, size)
			from, to := off[a], off[a+1]
			row[n], start[n], count[n] = int32(i), from, to-from
			n += one(to != from)
		}
	}
	h.cut(n)
}
