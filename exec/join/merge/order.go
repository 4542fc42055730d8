package merge

import (
	"gsql/exec/op"
	"gsql/internal/mem"
)

// Order holds rows in the order of their codes, without skipped rows. Free releases it.
type Order struct {
	Codes []uint64 // ascending
	Rows  []int32  // rows of equal codes ascend
	held  mem.Buffers
}

// Free releases the memory. It may be called on nil and more than once.
func (o *Order) Free() {
	if o != nil {
		o.held.Free()
	}
}

// Arrange returns codes, which are indexed by row, in the order of rows.
func Arrange(ctx *op.Ctx, acct *mem.Account, codes []uint64, rows []int32) (*mem.Buffer[uint64], error) {
	out, err := mem.Scratch[uint64](acct, len(rows))
	if err != nil {
		return nil, err
	}
	err = op.EachShare(ctx, len(rows), func(from, to int) {
		dst := out.S[from:to]
		for k, r := range rows[from:to] {
			dst[k] = codes[r]
		}
	})
	if err != nil {
		out.Free()
		return nil, err
	}
	return out, nil
}
