package theta

import (
	"math"

	"gsql/exec/keyenc"
	"gsql/exec/keyenc/rank"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// Comparison is a conjunct "left op right" each of whose operands depends on one side.
type Comparison struct {
	Op   expr.FuncID // "=", "<>", "<", "<=", ">", ">="
	L, R expr.Expr
}

// HasWords reports whether the operands have order keys, so that ranks are not needed.
func (c *Comparison) HasWords() bool {
	return keyenc.HasOrderKeys(c.L.Type()) && keyenc.HasOrderKeys(c.R.Type())
}

// words writes the order keys of the operands' values a and b, which are flat. If the types have
// no order keys, it writes their ranks among the values of both sides.
func (c *Comparison) words(ctx *op.Ctx, acct *mem.Account, aw, bw []uint64, a, b *vec.Vector, aSkip, bSkip []bool) error {
	if c.HasWords() {
		if err := keyenc.SideOrderKeys(ctx, aw, a, aSkip); err != nil {
			return err
		}
		return keyenc.SideOrderKeys(ctx, bw, b, bSkip)
	}
	err := rank.Sides(ctx, acct, aw, bw, a, b)
	keyenc.SkipNulls(a, aSkip)
	keyenc.SkipNulls(b, bSkip)
	return err
}

// Flip returns the operator for exchanged operands, or "" if op is not a comparison.
func Flip(op expr.FuncID) expr.FuncID {
	switch op {
	case expr.FuncEQ, expr.FuncNE:
		return op
	case expr.FuncLT:
		return expr.FuncGT
	case expr.FuncLE:
		return expr.FuncGE
	case expr.FuncGT:
		return expr.FuncLT
	case expr.FuncGE:
		return expr.FuncLE
	}
	return ""
}

// window is a range of words: y is inside if y-lo <= hi-lo.
type window struct{ lo, hi uint64 }

// windowOf returns the y for which "x op y" holds; ok is false if there is none. For "<>" it
// returns the y for which the condition does not hold.
func windowOf(op expr.FuncID, x uint64) (w window, ok bool) {
	switch op {
	case expr.FuncEQ, expr.FuncNE:
		return window{x, x}, true
	case expr.FuncLT:
		return window{x + 1, math.MaxUint64}, x != math.MaxUint64
	case expr.FuncLE:
		return window{x, math.MaxUint64}, true
	case expr.FuncGT:
		return window{0, x - 1}, x != 0
	}
	return window{0, x}, true
}

// and returns the intersection; ok is false if it is empty.
func (w window) and(v window) (window, bool) {
	w.lo, w.hi = max(w.lo, v.lo), min(w.hi, v.hi)
	return w, w.lo <= w.hi
}

// NarrowWindows narrows the windows [lo, hi] of rows to the y for which "x op y" holds, where x
// is the row's order key. lo is greater than hi if no y remains. For "<>" it keeps the y for
// which the condition does not hold.
func NarrowWindows(op expr.FuncID, keys, lo, hi []uint64) {
	switch op {
	case expr.FuncLT:
		for i, x := range keys {
			if lo[i] = max(lo[i], x+1); x == math.MaxUint64 {
				lo[i], hi[i] = math.MaxUint64, 0
			}
		}
	case expr.FuncLE:
		for i, x := range keys {
			lo[i] = max(lo[i], x)
		}
	case expr.FuncGT:
		for i, x := range keys {
			if hi[i] = min(hi[i], x-1); x == 0 {
				lo[i], hi[i] = math.MaxUint64, 0
			}
		}
	case expr.FuncGE:
		for i, x := range keys {
			hi[i] = min(hi[i], x)
		}
	default: // = and <>
		for i, x := range keys {
			lo[i], hi[i] = max(lo[i], x), min(hi[i], x)
		}
	}
}
