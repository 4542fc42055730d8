package hash

import (
	"math"
	"math/bits"
	"sync/atomic"

	"gsql/exec/join/match"
	"gsql/exec/join/partition"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/simd"
	"gsql/sql/vec"
)

// direct is a table without hashing for codes that are dense between the least and the greatest:
// code-min is the address (a perfect hash).
type direct struct {
	min  uint64 // as stored in the build side: see keyenc.Encoder.Plain
	flip uint64
	size uint64  // addresses; the next one stands for all codes outside
	one  []int32 // without duplicates: row+1 by address, 0 for none; nil if the address is the row
	off  []int32 // with duplicates: list of address a is rows[off[a]:off[a+1]]
	rows []int32
}

// density is the greatest number of addresses per row for which direct addressing is used; a hash
// table takes about eight times as many bytes per row as an address.
const density = 4

// isDense reports whether direct addressing pays for n rows.
func isDense(lo, hi uint64, n int) bool {
	return lo <= hi && hi-lo < uint64(n)*density+op.Block && hi-lo < math.MaxInt32-2
}

// loneWorkers is the greatest number of workers for which one of them alone fills a table faster
// than all together: contended stores take ten times as long.
const loneWorkers = 8

// fillUnique enters the rows and reports whether a code occurs twice; if so, a row is missing.
func (d *direct) fillUnique(ctx *op.Ctx, c *keyenc.Codes) (twice bool, err error) {
	workers := op.WorkersFor(ctx, len(c.Words.S))
	if workers <= loneWorkers {
		workers = 1
	}
	var entered, filled atomic.Int64
	err = op.Parallel(ctx, workers, func(w int) error {
		return c.EachBlock(ctx, w, workers, func(from int, codes []uint64, skip []bool) {
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
	err = op.EachShare(ctx, int(d.size), func(from, to int) {
		n := 0
		for _, r := range d.one[from:to] {
			n += vec.One(r != 0)
		}
		filled.Add(int64(n))
	})
	return filled.Load() < entered.Load(), err
}

// enterSome enters the rows that are not skipped and returns their number.
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

// digits returns partitions by the top bits of the addresses, so that a partition's addresses
// stay in the cache.
func (d *direct) digits() partition.Digits {
	shift := max(bits.Len(regionRows)-1, bits.Len64(d.size-1)-bits.Len(maxRegions)+1)
	return partition.Digits{Min: d.min, Shift: uint(shift), Count: int((d.size-1)>>shift) + 1}
}

// fillLists enters the rows of partitioned codes; off and rows must be zero.
func (d *direct) fillLists(ctx *op.Ctx, p *partition.Parts, shift uint) error {
	workers := op.WorkersFor(ctx, p.Valid())
	d.off[d.size], d.off[d.size+1] = int32(p.Valid()), int32(p.Valid())
	return op.Parallel(ctx, workers, func(w int) error {
		return p.Each(ctx, w, workers, func(x, from, to int) error {
			lo := x << shift
			off := d.off[lo:min(lo+1<<shift, int(d.size))]
			first := d.min + uint64(lo)
			for _, c := range p.Codes.S[from:to] {
				off[c-first]++
			}
			at := int32(from)
			for i, n := range off {
				off[i] = at
				at += n
			}
			for i, c := range p.Codes.S[from:to] {
				d.rows[off[c-first]] = p.Rows.S[from+i]
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

// lookup finds the codes that are in the table; they are stored with the bits of flip inverted.
// The hits identify them by position in cs.
func (d *direct) lookup(cs []uint64, flip uint64, h *match.Hits) {
	h.Resize(len(cs))
	row, start := h.Row, h.Start
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
			n += vec.One(r != 0)
		}
	default:
		off, count := d.off, h.Count
		for i, c := range cs {
			a := min(c-lo, size)
			from, to := off[a], off[a+1]
			row[n], start[n], count[n] = int32(i), from, to-from
			n += vec.One(to != from)
		}
	}
	h.All = n == len(cs)
	h.Cut(n)
}

// offsets is lookup for a table whose addresses are row numbers.
func (d *direct) offsets(cs []uint64, lo uint64, h *match.Hits) {
	row, start, size := h.Row, h.Start, d.size
	n := simd.Offsets(start, cs, lo, size)
	for ; n < len(cs) && cs[n]-lo < size; n++ {
		start[n] = int32(cs[n] - lo)
	}
	if h.All = n == len(cs); h.All {
		return
	}
	vec.Ascend(row[:n], 0)
	for i := n; i < len(cs); i++ {
		a := cs[i] - lo
		row[n], start[n] = int32(i), int32(a)
		n += vec.One(a < size)
	}
	h.Cut(n)
}
