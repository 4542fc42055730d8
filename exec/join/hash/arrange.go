package hash

import (
	"slices"
	"unsafe"

	"gsql/exec/join/match"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// ArrangeRatio is the least number of probe rows per build row for which sorting the build side
// by its keys pays.
const ArrangeRatio = 4

// arrange sorts the rows of a build side by their addresses if their codes fill the table without
// gaps: the address is then the row, and probes read one word less. It returns false if it left
// the side unchanged. No other code may have seen the side's rows yet.
func (d *direct) arrange(ctx *op.Ctx, acct *mem.Account, build *match.Side, in *keyenc.Codes) (bool, error) {
	var cols []*vec.Vector
	for _, v := range slices.Concat(build.Cols, build.Keys) {
		switch v.Type.Kind() {
		case types.KindI64, types.KindU64, types.KindF64, types.KindNull:
			if !slices.Contains(cols, v) {
				cols = append(cols, v)
			}
		default:
			return false, nil // reads would be as scattered as before
		}
	}
	keys := build.Keys[0]
	if at := slices.Index(cols, keys); at >= 0 { // in may share the keys' memory, so they move last
		cols = append(slices.Delete(cols, at, at+1), keys)
	}
	words, err := mem.Alloc[uint64](acct, build.Rows)
	if err != nil {
		return false, nil // the side stays unsorted
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

// permute moves the values of a flat vector to the addresses of their codes, which are distinct;
// words and flags are scratch space of the same length.
func (d *direct) permute(ctx *op.Ctx, in *keyenc.Codes, v *vec.Vector, words []uint64, flags []bool) error {
	values := wordsOf(v)
	workers := op.WorkersFor(ctx, v.N)
	err := op.Parallel(ctx, workers, func(w int) error {
		return in.EachBlock(ctx, w, workers, func(from int, codes []uint64, _ []bool) {
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
	return op.EachShare(ctx, int(d.size), func(from, to int) {
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

// wordsOf returns the memory of 64-bit values, or nil if the vector has none.
func wordsOf(v *vec.Vector) []uint64 {
	if v.F64 != nil {
		return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(v.F64))), v.N)
	}
	return keyenc.Bits(v.I64)
}
