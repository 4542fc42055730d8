package join

import (
	"slices"
	"unsafe"

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
func (d *direct) arrange(ctx *op.Ctx, acct *mem.Account, build *Side, in *coded) (bool, error) {
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
	keys := build.Keys[0]
	if at := slices.Index(cols, keys); at >= 0 { // in may lie in it
		cols = append(slices.Delete(cols, at, at+1), keys)
	}
	words, err := mem.Alloc[uint64](acct, build.Rows)
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
		if err := d.permute(ctx, in, v, words.S, flags.S); err != nil {
			return false, err
		}
	}
	return true, nil
}

// permute moves the values of a flat vector to their addresses, which no two of the codes have
// in common; words and flags are room for as many.
func (d *direct) permute(ctx *op.Ctx, in *coded, v *vec.Vector, words []uint64, flags []bool) error {
	values := wordsOf(v)
	workers := workersFor(ctx, v.N)
	err := op.Parallel(ctx, workers, func(w int) error {
		return in.eachBlock(ctx, w, workers, func(from int, codes []uint64, _ []bool) {
			if values != nil {
				scatter(words, values[from:], codes, d.min)
			}
			if v.Null != nil {
				scatter(flags, v.Null[from:], codes, d.min)
			}
		})
	})
	if err != nil {
		return err
	}
	return eachShare(ctx, int(d.size), func(from, to int) {
		if values != nil {
			copy(values[from:to], words[from:to])
		}
		if v.Null != nil {
			copy(v.Null[from:to], flags[from:to])
		}
	})
}

func scatter[T any](dst, src []T, codes []uint64, lo uint64) {
	src = src[:len(codes)]
	for i, c := range codes {
		dst[c-lo] = src[i]
	}
}

// wordsOf gives the memory of 64-bit values, nil where a vector has none.
func wordsOf(v *vec.Vector) []uint64 {
	if v.F64 != nil {
		return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(v.F64))), v.N)
	}
	return wordBits(v.I64)
}
