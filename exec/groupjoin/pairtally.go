package groupjoin

import (
	"math"
	"math/bits"

	"gsql/exec/accum"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/internal/simd"
	"gsql/sql/expr"
	"gsql/sql/pairs"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// pairTally aggregates an argument over the rows of the indexed side that are set in masks.
type pairTally interface {
	emitter
	// add adds those of the n rows of a tile that are set in mask to the result of a row of the
	// probe side; from is the tile's first row. emit reports overflow.
	add(mask []uint64, n int64, from int, out *results, row int)
	free()
}

// newPairTally makes the pairTally of an aggregate over values by row, which are flat, or nil for
// COUNT(*).
func newPairTally(ctx *op.Ctx, a *expr.Agg, v *vec.Vector, acct *mem.Account) (t pairTally, err error) {
	p, err := newPresent(v, acct)
	if err != nil {
		return nil, err
	}
	switch {
	case a.Fn == expr.CountStar || a.Fn == expr.Count:
		return &countTally{present: p}, nil
	case a.Fn == expr.Sum && v.Type.Kind() == types.KindF64:
		return &floatTally{present: p, values: v}, nil
	case a.Fn == expr.Sum:
		t, err = newExactTally(a, p, v, acct)
	case a.Fn == expr.Min || a.Fn == expr.Max:
		t, err = newExtremeTally(ctx, a.Fn == expr.Max, p, v, acct)
	default:
		err = sqlerr.Internal("aggregate %s of pairs", a)
	}
	if err != nil {
		p.free()
	}
	return t, err
}

// present has a bit for each value that is not NULL; nil if none is NULL.
type present struct{ bits *mem.Buffer[uint64] }

func newPresent(v *vec.Vector, acct *mem.Account) (present, error) {
	if v == nil || v.Null == nil && v.Type.ID != types.Null {
		return present{}, nil
	}
	b, err := mem.Alloc[uint64](acct, wordsOf(v.N))
	if err != nil {
		return present{}, err
	}
	for i := range v.N {
		if !v.IsNull(i) {
			b.S[i/64] |= 1 << (i % 64)
		}
	}
	return present{b}, nil
}

// wordsOf returns the number of words in a mask of n rows.
func wordsOf(n int) int { return (n + 63) / 64 }

// of returns the word of a mask without the rows that are NULL.
func (p *present) of(mask []uint64, i, from int) uint64 {
	if p.bits == nil {
		return mask[i]
	}
	return mask[i] & p.bits.S[from/64+i]
}

// count counts the rows of a mask, n in all, that are not NULL.
func (p *present) count(mask []uint64, n int64, from int) int64 {
	if p.bits == nil {
		return n
	}
	n = 0
	for i := range mask {
		n += int64(bits.OnesCount64(p.of(mask, i, from)))
	}
	return n
}

// each calls f with the rows of a mask that are not NULL.
func (p *present) each(mask []uint64, from int, f func(row int32)) {
	for i := range mask {
		for w := p.of(mask, i, from); w != 0; w &= w - 1 {
			f(int32(from + 64*i + bits.TrailingZeros64(w)))
		}
	}
}

func (p *present) free() { p.bits.Free() }

// countTally is COUNT.
type countTally struct {
	countOut
	present
}

func (t *countTally) add(mask []uint64, n int64, from int, out *results, row int) {
	out.count[row] += t.count(mask, n, from)
}

// floatTally is SUM of floats.
type floatTally struct {
	floatOut
	present
	values *vec.Vector
}

func (t *floatTally) add(mask []uint64, n int64, from int, out *results, row int) {
	out.count[row] += t.count(mask, n, from)
	sum := accum.Float{Total: out.float[row], Err: out.rest[row]}
	t.each(mask, from, func(r int32) { sum.Add(t.values.F64[r]) })
	out.float[row], out.rest[row] = sum.Total, sum.Err
}

func (t *floatTally) emit(out *results, sel []int32, dst *vec.Vector) error {
	for i, total := range out.float {
		out.float[i] = accum.Float{Total: total, Err: out.rest[i]}.Value()
	}
	return t.floatOut.emit(out, sel, dst)
}

// exactTally is SUM of integers and decimals.
type exactTally struct {
	exactOut
	present
	argument *vec.Vector
	values   *mem.Buffer[int64] // if their sum over a tile fits in 64 bits; NULLs are zero
}

func newExactTally(a *expr.Agg, p present, v *vec.Vector, acct *mem.Account) (*exactTally, error) {
	t := &exactTally{exactOut: exactOut{name: a.String(), scale: int(v.Type.Scale)}, present: p, argument: v}
	values, err := mem.Alloc[int64](acct, 64*wordsOf(v.N))
	if err != nil {
		return nil, err
	}
	const most = math.MaxInt64 / pairs.Tile
	for i := range v.N {
		if v.IsNull(i) {
			continue
		}
		lo, hi := exactValue(v, int32(i))
		x := int64(lo)
		if hi != x>>63 || x > most || x < -most {
			values.Free()
			return t, nil
		}
		values.S[i] = x
	}
	t.values = values
	return t, nil
}

func (t *exactTally) add(mask []uint64, n int64, from int, out *results, row int) {
	out.count[row] += t.count(mask, n, from)
	sum := &out.exact[row]
	if t.values == nil {
		t.each(mask, from, func(r int32) {
			lo, hi := exactValue(t.argument, r)
			out.failed = !sum.AddChecked(lo, hi) || out.failed
		})
		return
	}
	xs := t.values.S[from : from+64*len(mask)]
	part, done := simd.SumMasked(xs, mask)
	for i := done / 64; i < len(mask); i++ {
		for w := mask[i]; w != 0; w &= w - 1 {
			part += xs[64*i+bits.TrailingZeros64(w)]
		}
	}
	out.failed = !sum.AddChecked(uint64(part), part>>63) || out.failed
}

func (t *exactTally) emit(out *results, sel []int32, dst *vec.Vector) error {
	if out.failed {
		return t.overflow()
	}
	return t.exactOut.emit(out, sel, dst)
}

func (t *exactTally) free() {
	t.present.free()
	t.values.Free()
}

// extremeTally is MIN or MAX.
type extremeTally struct {
	extremeOut
	present
	words *mem.Buffer[uint64]
}

func newExtremeTally(ctx *op.Ctx, isMax bool, p present, v *vec.Vector, acct *mem.Account) (t *extremeTally, err error) {
	t = &extremeTally{present: p}
	if t.extremeOut, err = newExtremeOut(ctx, isMax, v, acct); err != nil {
		return nil, err
	}
	t.words, err = t.byRow(ctx, v, 64*wordsOf(v.N), acct)
	return t, err
}

func (t *extremeTally) add(mask []uint64, n int64, from int, out *results, row int) {
	out.count[row] += t.count(mask, n, from)
	xs := t.words.S[from : from+64*len(mask)]
	least, done := simd.LeastMasked(xs, mask)
	for i := done / 64; i < len(mask); i++ {
		for w := mask[i]; w != 0; w &= w - 1 {
			least = min(least, xs[64*i+bits.TrailingZeros64(w)])
		}
	}
	out.word[row] = min(out.word[row], least)
}

func (t *extremeTally) free() {
	t.present.free()
	t.words.Free()
}
