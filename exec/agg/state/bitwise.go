package state

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// bitwise is BIT_AND, BIT_OR or BIT_XOR; it is never NULL.
type bitwise struct {
	fn      expr.AggFn
	account *mem.Account
	bits    *mem.Buffer[int64]
	n       int
}

func (b *bitwise) Grow(n int) error {
	if err := mem.Room(b.account, &b.bits, n); err != nil {
		return err
	}
	if b.fn == expr.BitAnd {
		for i := b.n; i < n; i++ {
			b.bits.S[i] = -1
		}
	}
	b.n = n
	return nil
}

func (b *bitwise) Update(gids []int32, n int, args []*vec.Vector) error {
	v := args[0]
	if v.Type.ID == types.Null {
		return nil
	}
	for i, x := range v.I64[:n] {
		if v.Null == nil || !v.Null[i] {
			b.add(group(gids, i), x)
		}
	}
	return nil
}

func (b *bitwise) add(g int32, x int64) {
	switch b.fn {
	case expr.BitAnd:
		b.bits.S[g] &= x
	case expr.BitOr:
		b.bits.S[g] |= x
	default:
		b.bits.S[g] ^= x
	}
}

func (b *bitwise) Merge(src State, from, to []int32) error {
	o := src.(*bitwise)
	for i, g := range from {
		b.add(to[i], o.bits.S[g])
	}
	return nil
}

func (b *bitwise) Finish(*op.Ctx) error { return nil }

func (b *bitwise) Result(lo, hi int, dst *vec.Vector) error {
	copy(dst.I64, b.bits.S[lo:hi])
	return nil
}

func (b *bitwise) Free() { b.bits.Free() }
