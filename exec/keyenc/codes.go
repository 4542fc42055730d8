package keyenc

import (
	"math"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/internal/simd"
	"gsql/sql/vec"
)

// Codes holds the codes of all rows of a side.
type Codes struct {
	Words *mem.Buffer[uint64]
	Skip  *mem.Buffer[bool] // rows that match nothing; nil if there are none
	Rows  []int32           // the row of each code; nil if code i is row i's
}

// Free releases the memory. It may be called on nil and more than once.
func (c *Codes) Free() {
	if c != nil {
		c.Words.Free()
		c.Skip.Free()
	}
}

// Encode computes the codes of rows in parallel.
func Encode(ctx *op.Ctx, acct *mem.Account, cs *Encoding, keys []*vec.Vector, rows int) (*Codes, error) {
	out := &Codes{}
	var err error
	if out.Words, err = mem.Scratch[uint64](acct, rows); err != nil {
		return nil, err
	}
	if out.Skip, err = mem.Alloc[bool](acct, rows); err != nil {
		out.Free()
		return nil, err
	}
	workers := op.WorkersFor(ctx, rows)
	some := make([]bool, workers)
	err = op.Parallel(ctx, workers, func(w int) error {
		c := Encoder{Encoding: cs}
		part := make([]*vec.Vector, len(keys))
		return out.EachBlock(ctx, w, workers, func(from int, dst []uint64, skip []bool) {
			for i, k := range keys {
				part[i] = k.Slice(from, from+len(dst))
			}
			some[w] = c.Encode(part, dst, skip) || some[w]
		})
	})
	if err != nil {
		out.Free()
		return nil, err
	}
	for _, s := range some {
		if s {
			return out, nil
		}
	}
	out.Skip.Free()
	out.Skip = nil
	return out, nil
}

// EachBlock calls f for a worker's share of the rows, one block at a time.
func (c *Codes) EachBlock(ctx *op.Ctx, w, workers int, f func(from int, codes []uint64, skip []bool)) error {
	from, end := op.Share(len(c.Words.S), w, workers)
	for ; from < end; from += op.Block {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+op.Block, end)
		var skip []bool
		if c.Skip != nil {
			skip = c.Skip.S[from:to]
		}
		f(from, c.Words.S[from:to], skip)
	}
	return nil
}

// Range returns the least and the greatest code that is not skipped. The codes are stored with
// the bits of flip inverted.
func (c *Codes) Range(ctx *op.Ctx, flip uint64) (lo, hi uint64, err error) {
	workers := op.WorkersFor(ctx, len(c.Words.S))
	los, his := make([]uint64, workers), make([]uint64, workers)
	err = op.Parallel(ctx, workers, func(w int) error {
		lo, hi := uint64(math.MaxUint64), uint64(0)
		defer func() { los[w], his[w] = lo, hi }()
		return c.EachBlock(ctx, w, workers, func(_ int, codes []uint64, skip []bool) {
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

// codeBounds returns the least and the greatest of some codes; see Range.
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

// Consecutive reports whether every row i has the code lo+i.
func (c *Codes) Consecutive(lo uint64) bool {
	if c.Skip != nil {
		return false
	}
	for i, x := range c.Words.S {
		if x != lo+uint64(i) {
			return false
		}
	}
	return true
}
