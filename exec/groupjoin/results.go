package groupjoin

import (
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/accum"
	"gsql/exec/keyenc/rank"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// results are an aggregate's values, one per row of the probe side.
type results struct {
	count  []int64 // number of values that are not NULL
	small  []int64 // sums that fit in 64 bits
	exact  []accum.Exact
	float  []float64
	rest   []float64 // of tallies: rounding errors of float
	word   []uint64
	failed bool // of tallies: a sum exceeded 128 bits
}

// layout lists the values of results in addition to the counts.
type layout uint8

const (
	countOnly layout = iota
	smallSum
	exactSum
	floatSum
	wordExtreme
)

// resize allocates n values on the Go heap.
func (r *results) resize(l layout, n int) {
	if cap(r.count) < n {
		r.count = make([]int64, n)
		switch l {
		case smallSum:
			r.small = make([]int64, n)
		case exactSum:
			r.exact = make([]accum.Exact, n)
		case floatSum:
			r.float = make([]float64, n)
		case wordExtreme:
			r.word = make([]uint64, n)
		}
	}
	r.count = r.count[:n]
	switch l {
	case smallSum:
		r.small = r.small[:n]
	case exactSum:
		r.exact = r.exact[:n]
	case floatSum:
		r.float = r.float[:n]
	case wordExtreme:
		r.word = r.word[:n]
	}
}

// part returns results [from, to).
func (r *results) part(from, to int) results {
	out := results{count: r.count[from:to]}
	switch {
	case r.small != nil:
		out.small = r.small[from:to]
	case r.exact != nil:
		out.exact = r.exact[from:to]
	case r.float != nil:
		out.float = r.float[from:to]
	case r.word != nil:
		out.word = r.word[from:to]
	}
	return out
}

// reset sets the results to those of no rows.
func (r *results) reset() {
	clear(r.count)
	clear(r.exact)
	clear(r.float)
	r.rest = append(r.rest[:0], make([]float64, len(r.float))...)
	for i := range r.word {
		r.word[i] = noWord
	}
}

// emitter makes columns from results.
type emitter interface {
	// layout returns which of the results' values are set.
	layout() layout
	// emit writes rows sel of the results to dst, which is flat with as many slots.
	emit(out *results, sel []int32, dst *vec.Vector) error
}

// countOut emits COUNT.
type countOut struct{}

func (countOut) layout() layout { return countOnly }

func (countOut) emit(out *results, sel []int32, dst *vec.Vector) error {
	for k, i := range sel {
		dst.I64[k] = out.count[i]
	}
	return nil
}

// exactOut emits SUM of integers and decimals.
type exactOut struct {
	name  string
	scale int
	small bool // every sum fits in 64 bits
}

func newExactOut(a *expr.Agg, v *vec.Vector) exactOut {
	return exactOut{a.String(), int(v.Type.Scale), fit64(v)}
}

// fit64 reports whether the sum of the magnitudes of all values of v, which are flat integers or
// decimals, fits in 64 bits, so that the sum of any of them does.
func fit64(v *vec.Vector) bool {
	if kind := v.Type.Kind(); kind == types.KindI64 || kind == types.KindU64 {
		all := uint64(0)
		for _, x := range v.I64 {
			all |= uint64(x ^ x>>63)
		}
		if hi, most := bits.Mul64(all+1, uint64(len(v.I64))); kind == types.KindI64 && hi == 0 && most <= math.MaxInt64 {
			return true
		}
	}
	room := uint64(math.MaxInt64)
	for i := range v.N {
		if v.IsNull(i) {
			continue
		}
		lo, hi := exactValue(v, int32(i))
		if hi != int64(lo)>>63 {
			return false
		}
		magnitude := uint64(int64(lo) ^ hi) // of a negative value, one less
		if magnitude >= room {
			return false
		}
		room -= magnitude + 1
	}
	return true
}

func (e *exactOut) layout() layout {
	if e.small {
		return smallSum
	}
	return exactSum
}

func (e *exactOut) emit(out *results, sel []int32, dst *vec.Vector) error {
	if e.small {
		return e.emitSmall(out, sel, dst)
	}
	for k, i := range sel {
		if out.count[i] == 0 {
			dst.SetNull(k)
			dst.Dec[k] = decimal128.Num{}
		} else if !out.exact[i].Sum(dst, k, e.scale) {
			return e.overflow()
		}
	}
	return nil
}

func (e *exactOut) emitSmall(out *results, sel []int32, dst *vec.Vector) error {
	for k, i := range sel {
		x := out.small[i]
		if out.count[i] == 0 {
			dst.SetNull(k)
			dst.Dec[k] = decimal128.Num{}
		} else if !(accum.Exact{Lo: uint64(x), Hi: x >> 63}).Sum(dst, k, e.scale) {
			return e.overflow()
		}
	}
	return nil
}

func (e *exactOut) overflow() error {
	return sqlerr.New(sqlerr.DataOutOfRange, "DECIMAL value is out of range in '%s'", e.name)
}

// floatOut emits SUM of floats.
type floatOut struct{}

func (floatOut) layout() layout { return floatSum }

func (floatOut) emit(out *results, sel []int32, dst *vec.Vector) error {
	for k, i := range sel {
		if dst.F64[k] = out.float[i]; out.count[i] == 0 {
			dst.SetNull(k)
		}
	}
	return nil
}

// extremeOut emits MIN or MAX: the least of the values' words, which are complemented for MAX.
type extremeOut struct {
	flip    uint64 // applied to words: all bits for MAX
	encoder *rank.Encoder
}

func newExtremeOut(ctx *op.Ctx, isMax bool, v *vec.Vector, acct *mem.Account) (e extremeOut, err error) {
	if isMax {
		e.flip = math.MaxUint64
	}
	e.encoder, err = rank.NewEncoder(ctx, acct, v)
	return e, err
}

func (*extremeOut) layout() layout { return wordExtreme }

func (e *extremeOut) emit(out *results, sel []int32, dst *vec.Vector) error {
	for k, i := range sel {
		if out.count[i] == 0 {
			dst.SetNull(k)
			continue
		}
		e.encoder.Decode(dst, k, out.word[i]^e.flip)
	}
	return nil
}

// byRow returns the words of v, which is flat, in a buffer of n words. NULLs and the words after
// those of v are noWord.
func (e *extremeOut) byRow(ctx *op.Ctx, v *vec.Vector, n int, acct *mem.Account) (*mem.Buffer[uint64], error) {
	words, err := mem.Alloc[uint64](acct, n)
	if err != nil {
		return nil, err
	}
	skip, err := mem.Alloc[bool](acct, v.N)
	if err != nil {
		words.Free()
		return nil, err
	}
	defer skip.Free()
	err = inBlocks(ctx, v.N, func() func(from, to int) {
		return func(from, to int) { e.encoder.Encode(words.S[from:to], v.Slice(from, to), skip.S[from:to]) }
	})
	if err != nil {
		words.Free()
		return nil, err
	}
	for i := range words.S {
		if words.S[i] ^= e.flip; i >= v.N || v.IsNull(i) {
			words.S[i] = noWord
		}
	}
	return words, nil
}
