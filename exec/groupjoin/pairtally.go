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
	case a.Distinct && a.Fn == expr.Count:
		t, err = newDistinctTally(ctx, p, v, acct)
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

// distinctTally is COUNT(DISTINCT x) over rows in the order of x. It takes a few instructions for
// 64 pairs: adding the rows of a mask to ones at all rows but the last one of each group of equal
// values carries a bit to the last row of each group that has a row in the mask.
type distinctTally struct {
	countOut
	present
	last *mem.Buffer[uint64] // bit set: the last row of a group, or of a tile
	ends *mem.Buffer[[2]uint64]
}

// newDistinctTally makes the tally of the values v, which are flat and sorted.
func newDistinctTally(ctx *op.Ctx, p present, v *vec.Vector, acct *mem.Account) (_ *distinctTally, err error) {
	t := &distinctTally{present: p}
	defer func() {
		if err != nil {
			t.last.Free()
			t.ends.Free()
		}
	}()
	order, err := newExtremeOut(ctx, false, v, acct)
	if err != nil {
		return nil, err
	}
	words, err := order.byRow(ctx, v, 64*wordsOf(v.N), acct)
	if err != nil {
		return nil, err
	}
	defer words.Free()
	if t.last, err = mem.Alloc[uint64](acct, wordsOf(v.N)); err != nil {
		return nil, err
	}
	if t.ends, err = mem.Alloc[[2]uint64](acct, (v.N+pairs.Tile-1)/pairs.Tile); err != nil {
		return nil, err
	}
	group := uint64(0)
	for i := range v.N {
		if i%pairs.Tile == 0 {
			t.ends.S[i/pairs.Tile][0] = group
		}
		t.ends.S[i/pairs.Tile][1] = group
		same := i+1 < v.N && words.S[i] == words.S[i+1] && v.IsNull(i) == v.IsNull(i+1)
		if i+1 < v.N && !v.IsNull(i) && (words.S[i] > words.S[i+1] || v.IsNull(i+1)) {
			return nil, sqlerr.Internal("the rows of COUNT(DISTINCT) of pairs are not sorted")
		}
		if !same {
			group++
		}
		if !same || (i+1)%pairs.Tile == 0 {
			t.last.S[i/64] |= 1 << (i % 64)
		}
	}
	return t, nil
}

// layout implements emitter. The word of a row is the last group counted so far if more of its
// rows may follow.
func (*distinctTally) layout() layout { return wordExtreme }

func (t *distinctTally) add(mask []uint64, _ int64, from int, out *results, row int) {
	last := t.last.S[from/64 : from/64+len(mask)]
	n, carry, first, searching := 0, uint64(0), false, true
	found := uint64(0)
	for i, ends := range last {
		var sum uint64
		rows := t.of(mask, i, from)
		sum, carry = bits.Add64(rows&^ends, ^ends, carry)
		found = (sum | rows) & ends
		n += bits.OnesCount64(found)
		if searching && ends != 0 {
			first, searching = found&(ends&-ends) != 0, false
		}
	}
	group := t.ends.S[from/pairs.Tile]
	if first && out.word[row] == group[0] {
		n--
	}
	if ends := last[len(last)-1]; found>>(bits.Len64(ends)-1)&1 == 1 {
		out.word[row] = group[1]
	}
	out.count[row] += int64(n)
}

func (t *distinctTally) free() {
	t.present.free()
	t.last.Free()
	t.ends.Free()
}
