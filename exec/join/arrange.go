package join

import (
	"math"
	"slices"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// arrangeRatio is the number of probe rows a build row from which it pays to put the build
// side into the order of its keys.
const arrangeRatio = 4

// inOrder tells whether row i has the code lo+i, for all rows.
func (c *coded) inOrder(lo uint64) bool {
	if c.skip != nil {
		return false
	}
	for i, x := range c.codes.S {
		if x != lo+uint64(i) {
			return false
		}
	}
	return true
}

// arrange puts the rows of a build side whose codes fill the table without gaps into the
// order of their addresses, so that an address is a row: probes read one word less. It is
// false where it left the side as it was. Nobody has seen the side's rows so far.
func (d *direct) arrange(ctx *op.Ctx, acct *mem.Account, build *Side) (bool, error) {
	var cols []*vec.Vector
	for _, v := range slices.Concat(build.Cols, build.Keys) {
		switch v.Type.Kind() {
		case types.KindI64, types.KindU64, types.KindF64, types.KindNull:
			if !slices.Contains(cols, v) {
				cols = append(cols, v)
			}
		default:
			return false, nil // what is read then is as far apart as before
		}
	}
	words, err := mem.Alloc[int64](acct, build.Rows)
	if err != nil {
		return false, nil // it goes without
	}
	defer words.Free()
	flags, err := mem.Alloc[bool](acct, build.Rows)
	if err != nil {
		return false, nil
	}
	defer flags.Free()
	for _, v := range cols {
		if err := d.permute(ctx, v, words.S, flags.S); err != nil {
			return false, err
		}
	}
	return true, nil
}

// permute moves the values of a flat vector to their addresses; words and flags are room for
// as many.
func (d *direct) permute(ctx *op.Ctx, v *vec.Vector, words []int64, flags []bool) error {
	err := d.eachShare(ctx, func(from, to int) {
		rows, words := d.one[from:to], words[from:to]
		for a, row := range rows[:min(len(rows), len(v.I64))] {
			words[a] = v.I64[row-1]
		}
		for a, row := range rows[:min(len(rows), len(v.F64))] {
			words[a] = int64(math.Float64bits(v.F64[row-1]))
		}
		for a, row := range rows[:min(len(rows), len(v.Null))] {
			flags[from+a] = v.Null[row-1]
		}
	})
	if err != nil {
		return err
	}
	return d.eachShare(ctx, func(from, to int) {
		if v.I64 != nil {
			copy(v.I64[from:to], words[from:to])
		}
		for i := from; i < min(to, len(v.F64)); i++ {
			v.F64[i] = math.Float64frombits(uint64(words[i]))
		}
		if v.Null != nil {
			copy(v.Null[from:to], flags[from:to])
		}
	})
}

// eachShare calls f for shares of the addresses, at the same time.
func (d *direct) eachShare(ctx *op.Ctx, f func(from, to int)) error {
	n := int(d.size)
	workers := workersFor(ctx, n)
	return op.Parallel(ctx, workers, func(w int) error {
		f(share(n, w, workers))
		return ctx.Err()
	})
}
