package eval

import (
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// longText is the smallest text length in bytes for which a call is computed in pieces of few
// rows, each with about kernel.PieceBytes of text, so that a statement ends soon after it is
// cancelled.
const longText = 2 << 10

// compute runs the call's kernel to fill out, in several pieces if the arguments contain long
// texts.
func (b *bound) compute(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	n := rt.N
	step := n
	if n >= kernel.CheckRows {
		if err := rt.Cancelled(); err != nil {
			return err
		}
	}
	if rt.Env != nil && b.pieces {
		step = rowsAtOnce(args, n)
	}
	if step == n {
		if err := b.kernel(rt, args, out); err != nil {
			return err
		}
		return rt.Settle()
	}
	defer func() { rt.N = n }()
	part := make([]*vec.Vector, len(args))
	for from := 0; from < n; from += step {
		if err := rt.Cancelled(); err != nil {
			return err
		}
		to := min(from+step, n)
		for i, a := range args {
			if part[i] = a; a.Form != vec.Const {
				part[i] = a.Slice(from, to)
			}
		}
		dst := out.Slice(from, to)
		shared := dst.Null != nil
		rt.N = to - from
		if err := b.kernel(rt, part, dst); err != nil {
			return err
		}
		if err := rt.Settle(); err != nil {
			return err
		}
		for i, null := range dst.Null {
			if null && !shared {
				out.SetNull(from + i)
			}
		}
	}
	return nil
}

// rowsAtOnce returns how many rows a call over args should compute at a time: all n, or fewer if
// a sample of the arguments contains long texts.
func rowsAtOnce(args []*vec.Vector, n int) int {
	const looks = 8
	longest := 0
	for _, a := range args {
		if a.Type.Kind() != types.KindStr {
			continue
		}
		if a.Form == vec.Const {
			longest = max(longest, len(a.Str[0]))
			continue
		}
		for i := 0; i < n; i += n/looks + 1 {
			if a.Null == nil || !a.Null[i] {
				longest = max(longest, len(a.Str[i]))
			}
		}
	}
	if longest < longText {
		return n
	}
	return min(max(kernel.PieceBytes/longest, 1), n)
}
