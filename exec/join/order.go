package join

import (
	"gsql/exec/op"
	"gsql/internal/mem"
)

// Order is the order of rows by 64-bit words, which Free gives back.
type Order struct {
	Words []uint64 // ascending
	Rows  []int32  // rows of equal words ascend
	held  holdings
}

// SortWords sorts rows by their words; those marked in skip, which may be nil, are left
// out. It frees words and skip, also when it fails.
func SortWords(ctx *op.Ctx, acct *mem.Account, words *mem.Buffer[uint64], skip *mem.Buffer[bool]) (*Order, error) {
	s, err := sortCodes(ctx, acct, &coded{codes: words, skip: skip})
	if err != nil {
		return nil, err
	}
	return &Order{s.codes, s.rows, s.held}, nil
}

// Free gives back the memory. It may be called on nil and more than once.
func (o *Order) Free() {
	if o != nil {
		o.held.free()
	}
}

// Arrange gives words, which are by row, in the order of rows.
func Arrange(ctx *op.Ctx, acct *mem.Account, words []uint64, rows []int32) (*mem.Buffer[uint64], error) {
	out, err := mem.Scratch[uint64](acct, len(rows))
	if err != nil {
		return nil, err
	}
	err = eachShare(ctx, len(rows), func(from, to int) {
		dst := out.S[from:to]
		for k, r := range rows[from:to] {
			dst[k] = words[r]
		}
	})
	if err != nil {
		out.Free()
		return nil, err
	}
	return out, nil
}
