package join

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// coded holds the codes of a whole side.
type coded struct {
	codes *mem.Buffer[uint64]
	skip  *mem.Buffer[bool] // nil when every row takes part
	rows  []int32           // the rows that codes are of; nil where they are all in order
}

func (c *coded) free() {
	if c != nil {
		c.codes.Free()
		c.skip.Free()
	}
}

// encodeSide computes the codes of all rows, in parallel.
func encodeSide(ctx *op.Ctx, acct *mem.Account, cs *codes, keys []*vec.Vector, rows int) (*coded, error) {
	out := &coded{}
	var err error
	if out.codes, err = mem.Scratch[uint64](acct, rows); err != nil {
		return nil, err
	}
	if out.skip, err = mem.Alloc[bool](acct, rows); err != nil {
		out.free()
		return nil, err
	}
	workers := workersFor(ctx, rows)
	some := make([]bool, workers)
	err = op.Parallel(ctx, workers, func(w int) error {
		c := coder{codes: cs}
		part := make([]*vec.Vector, len(keys))
		return out.eachBlock(ctx, w, workers, func(from int, dst []uint64, skip []bool) {
			for i, k := range keys {
				part[i] = k.Slice(from, from+len(dst))
			}
			some[w] = c.encode(part, dst, skip) || some[w]
		})
	})
	if err != nil {
		out.free()
		return nil, err
	}
	for _, s := range some {
		if s {
			return out, nil
		}
	}
	out.skip.Free()
	out.skip = nil
	return out, nil
}

// eachBlock calls f for worker w's share of the rows, a block at a time.
func (c *coded) eachBlock(ctx *op.Ctx, w, workers int, f func(from int, codes []uint64, skip []bool)) error {
	from, end := share(len(c.codes.S), w, workers)
	for ; from < end; from += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+block, end)
		var skip []bool
		if c.skip != nil {
			skip = c.skip.S[from:to]
		}
		f(from, c.codes.S[from:to], skip)
	}
	return nil
}
