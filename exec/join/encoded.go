package join

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// KeyCodes are 64-bit codes of the tuples of equality keys of both sides, for Pairers
// that compare one number: rows with equal keys have equal codes.
type KeyCodes struct {
	// Left and Right are BIGINT columns. A row that can match nothing is NULL, as those
	// are with a NULL or a NaN among their keys.
	Left, Right *vec.Vector
	// Exact tells that rows with equal codes have equal keys. Else pairs found by codes
	// go through KeepEqual.
	Exact bool

	left, right *coded
}

// EncodeKeys computes the codes of the first n keys, which are not null-safe.
func EncodeKeys(ctx *op.Ctx, acct *mem.Account, left, right *Side, n int) (*KeyCodes, error) {
	cs := newCodes(right.Keys[:n], make([]bool, n))
	out := &KeyCodes{Exact: cs.exact}
	var err error
	if out.left, err = encodeSide(ctx, acct, cs, left.Keys[:n], left.Rows); err == nil {
		out.right, err = encodeSide(ctx, acct, cs, right.Keys[:n], right.Rows)
	}
	if err != nil {
		out.Free()
		return nil, err
	}
	out.Left, out.Right = out.left.vector(), out.right.vector()
	return out, nil
}

// Free gives the codes' memory back.
func (k *KeyCodes) Free() {
	k.left.free()
	k.right.free()
}

// KeepEqual keeps the pairs whose first n keys are equal. NULLs count as equal here: rows
// with one are in no pair.
func KeepEqual(left, right *Side, n int, p Pairs) Pairs {
	kept := keepEqual(left.Keys[:n], right.Keys[:n], p.Probe, p.Build)
	return Pairs{p.Probe[:kept], p.Build[:kept]}
}
