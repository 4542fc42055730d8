package join

import (
	"math"
	"math/bits"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/internal/simd"
)

// direct is a table without hashing for codes that are dense between their least and
// greatest: code-min is the address (a perfect hash).
type direct struct {
	min  uint64 // as the codes of the build side lie: see plain
	flip uint64
	size uint64  // addresses; one more is the address of all codes outside
	one  []int32 // without duplicates: row+1 by address, 0 for none; nil where the address is the row
	off  []int32 // with duplicates: list of address a is rows[off[a]:off[a+1]]
	rows []int32
}

// density is the most addresses a row that direct addressing may take; a hash table
// takes about eight times the bytes of an address.
const density = 4

// codeRange gives the least and greatest code that is not skipped; codes are as they lie.
func (c *coded) codeRange(ctx *op.Ctx, flip uint64) (lo, hi uint64, err error) {
	workers := workersFor(ctx, len(c.codes.S))
	los, his := make([]uint64, workers), make([]uint64, workers)
	err = op.Parallel(ctx, workers, func(w int) error {
		lo, hi := uint64(math.MaxUint64), uint64(0)
		defer func() { los[w], his[w] = lo, hi }()
		return c.eachBlock(ctx, w, workers, func(_ int, codes []uint64, skip []bool) {
			if skip == nil {
				least, greatest := codeBounds(codes, flip)
				lo, hi = min(lo, least), max(hi, greatest)
				return
			}
			for i, x := range codes {
				if !skip[i] {
					lo, hi = min(lo, x^flip), max(hi, x^flip)
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

// codeBounds gives the least and greatest of some codes, as they lie.
func codeBounds(codes []uint64, flip uint64) (lo, hi uint64) {
	lo, hi = codes[0]^flip, codes[0]^flip
	done := 0
	if flip == signBit {
		l, h, _, n := simd.Extent(signed(codes))
		if done = n; n > 0 {
			lo, hi = uint64(l)^flip, uint64(h)^flip
		}
	}
	for _, x := range codes[done:] {
		lo, hi = min(lo, x^flip), max(hi, x^flip)
	}
	return lo, hi
}

// isDense tells whether direct addressing pays for n rows.
func isDense(lo, hi uint64, n int) bool {
	return lo <= hi && hi-lo < uint64(n)*density+block && hi-lo < math.MaxInt32-2
}

// loneWorkers is the number of workers up to which one of them fills a table faster than all
// of them: stores that others may be in the way of take ten times as long.
const loneWorkers = 8

// fillUnique enters the rows and tells whether a code came twice; then a row is missing.
func (d *direct) fillUnique(ctx *op.Ctx, c *coded) (twice bool, err error) {
	workers := workersFor(ctx, len(c.codes.S))
	if workers <= loneWorkers {
		workers = 1
	}
	var entered, filled atomic.Int64
	err = op.Parallel(ctx, workers, func(w int) error {
		return c.eachBlock(ctx, w, workers, func(from int, codes []uint64, skip []bool) {
			switch {
			case workers > 1:
				entered.Add(d.enterShared(codes, skip, from))
			case skip != nil:
				entered.Add(d.enterSome(codes, skip, from))
			default:
				one, lo := d.one, d.min
				for i, x := range codes {
					one[x-lo] = int32(from + i + 1)
				}
				entered.Add(int64(len(codes)))
			}
		})
	})
	if err != nil {
		return false, err
	}
	err = eachShare(ctx, int(d.size), func(from, to int) {
		n := 0
		for _, r := range d.one[from:to] {
			n += one(r != 0)
		}
		filled.Add(int64(n))
	})
	return filled.Load() < entered.Load(), err
}

// enterSome enters the rows that are not skipped and gives their number.
func (d *direct) enterSome(codes []uint64, skip []bool, from int) (n int64) {
	for i, x := range codes {
		if !skip[i] {
			d.one[x-d.min] = int32(from + i + 1)
			n++
		}
	}
	return n
}

// enterShared is enterSome for several goroutines; skip may be nil.
func (d *direct) enterShared(codes []uint64, skip []bool, from int) (n int64) {
	for i, x := range codes {
		if skip == nil || !skip[i] {
			atomic.StoreInt32(&d.one[x-d.min], int32(from+i+1))
			n++
		}
	}
	return n
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

// lookup finds the codes that the table has, as they lie; hits name them by position.
func (d *direct) lookup(cs []uint64, flip uint64, h *hits) {
	h.resize(len(cs))
	row, start := h.row, h.start
	lo, size, n := d.min^d.flip^flip, d.size, 0
	switch {
	case d.one == nil && d.off == nil:
		d.offsets(cs, lo, h)
		return
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
	h.all = n == len(cs)
	h.cut(n)
}

// offsets is lookup where addresses are rows.
func (d *direct) offsets(cs []uint64, lo uint64, h *hits) {
	row, start, size := h.row, h.start, d.size
	n := simd.Offsets(start, cs, lo, size)
	for ; n < len(cs) && cs[n]-lo < size; n++ {
		start[n] = int32(cs[n] - lo)
	}
	if h.all = n == len(cs); h.all {
		return
	}
	ascend(row[:n])
	for i := n; i < len(cs); i++ {
		a := cs[i] - lo
		row[n], start[n] = int32(i), int32(a)
		n += one(a < size)
	}
	h.cut(n)
}
