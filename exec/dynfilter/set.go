package dynfilter

import (
	"math"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/internal/simd"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Set is a set of values: a bitmap for integers that are close together, otherwise a Bloom
// filter, which may let other values pass.
type Set struct {
	integers bool
	null     bool   // contains NULL
	empty    bool   // contains nothing except possibly NULL
	lo, span uint64 // integers: all are in [lo, lo+span], with wrapping arithmetic
	bitmap   []uint64
	bloom    Bloom
}

const (
	// A bitmap may take bitsOfValue bits per value, or smallBitmap bits in any case, which fit in
	// the second-level cache.
	bitsOfValue = 64
	smallBitmap = 1 << 23
	// leastWords is the least size of Bloom filters. For few values, filters of this size cost
	// almost nothing and let almost no other value pass.
	leastWords = 1 << 10
	// rowsOfWorker is the number of rows for which a goroutine pays.
	rowsOfWorker = 1 << 16
)

func newSet(ctx *op.Ctx, acct *mem.Account, v *vec.Vector, nullSafe bool) (*Set, *mem.Buffer[uint64]) {
	s := &Set{integers: v.Type.Kind() == types.KindI64 || v.Type.Kind() == types.KindU64}
	values := v.N
	for _, null := range v.Null {
		if null {
			values--
		}
	}
	s.null, s.empty = nullSafe && values < v.N, values == 0
	if v.Type.Kind() == types.KindNull || s.empty {
		s.empty = true
		return s, nil
	}
	words, place := max(BloomWords(values), leastWords), (*[]uint64)(&s.bloom)
	if s.integers {
		s.measure(v)
		if s.span < smallBitmap || s.span/bitsOfValue < uint64(values) {
			words, place = int(s.span/64)+2, &s.bitmap // a bit after the last one stays 0
		}
	}
	buf, err := mem.Alloc[uint64](acct, words)
	if err != nil {
		return nil, nil
	}
	*place = buf.S
	workers := max(1, min(ctx.Workers, v.N/rowsOfWorker))
	_ = op.Parallel(ctx, workers, func(w int) error {
		s.enter(v.Slice(v.N*w/workers, v.N*(w+1)/workers), workers > 1)
		return nil
	})
	return s, buf
}

// measure finds the range of integers.
func (s *Set) measure(v *vec.Vector) {
	flip := uint64(0) // converts signed values to words of the same order
	if v.Type.Kind() == types.KindI64 {
		flip = 1 << 63
	}
	lo, hi := uint64(math.MaxUint64), uint64(0)
	for i, x := range v.I64[:v.N] {
		if v.Null == nil || !v.Null[i] {
			w := uint64(x) ^ flip
			lo, hi = min(lo, w), max(hi, w)
		}
	}
	s.lo, s.span = lo^flip, hi-lo
}

// enter adds the values of v; shared is set if other goroutines add other values.
func (s *Set) enter(v *vec.Vector, shared bool) {
	if s.bitmap != nil {
		for i, x := range v.I64[:v.N] {
			if v.Null == nil || !v.Null[i] {
				d := uint64(x) - s.lo
				put(&s.bitmap[d>>6], 1<<(d&63), shared)
			}
		}
		return
	}
	var hash [vec.BatchSize]uint64
	for from := 0; from < v.N; from += len(hash) {
		part := v.Slice(from, min(from+len(hash), v.N))
		rowhash.Rows([]*vec.Vector{part}, hash[:part.N])
		for i, h := range hash[:part.N] {
			if part.Null == nil || !part.Null[i] {
				w, m := s.bloom.place(h)
				put(&s.bloom[w], m, shared)
			}
		}
	}
}

// put sets the bits of m in w. If shared is set, other goroutines may do so at the same time.
func put(w *uint64, m uint64, shared bool) {
	if !shared {
		*w |= m
	} else if atomic.LoadUint64(w)&m != m {
		atomic.OrUint64(w, m)
	}
}

// test writes the rows of v that may be in the set to dst and returns their number.
func (s *Set) test(t *Tester, v *vec.Vector, dst []int32) int {
	if v.Form == vec.View && v.Base.Dict && v.Type.Kind() != types.KindNull {
		return s.testCodes(t, v, dst)
	}
	v = v.Flatten(&t.flat)
	switch {
	case s.empty || v.Type.Kind() == types.KindNull:
		return s.nulls(v, dst)
	case s.bitmap != nil:
		return s.testBitmap(v, dst)
	case s.integers && v.Null == nil:
		return Members(s.bloom, dst, v.I64[:v.N])
	}
	if cap(t.hash) < v.N {
		t.hash = make([]uint64, v.N)
	}
	return s.testBloom(v, t.hash[:v.N], dst)
}

// nulls keeps the NULLs, for a set that contains nothing else.
func (s *Set) nulls(v *vec.Vector, dst []int32) int {
	n := 0
	for i := range dst {
		dst[n] = int32(i)
		n += vec.One(s.null && (v.Type.Kind() == types.KindNull || v.Null != nil && v.Null[i]))
	}
	return n
}

func (s *Set) testBitmap(v *vec.Vector, dst []int32) int {
	lo, beyond, set := s.lo, s.span+1, s.bitmap
	if v.Null == nil || !s.null {
		n, done := simd.SelectBits(dst, v.I64[:len(dst)], set, int64(lo), beyond)
		if v.Null != nil {
			n = dropNulls(dst[:n], v.Null)
		}
		for i, x := range v.I64[done:len(dst)] {
			d := min(uint64(x)-lo, beyond)
			dst[n] = int32(done + i)
			n += int(set[d>>6]>>(d&63)&1) &^ vec.One(v.Null != nil && v.Null[done+i])
		}
		return n
	}
	n := 0
	for i, x := range v.I64[:len(dst)] {
		d := min(uint64(x)-lo, beyond)
		dst[n] = int32(i)
		n += int(set[d>>6]>>(d&63)&1) | vec.One(v.Null[i])
	}
	return n
}

// dropNulls keeps the rows that are not NULL and returns their number.
func dropNulls(rows []int32, null []bool) int {
	n := 0
	for _, r := range rows {
		rows[n] = r
		n += vec.One(!null[r])
	}
	return n
}

func (s *Set) testBloom(v *vec.Vector, hash []uint64, dst []int32) int {
	rowhash.Rows([]*vec.Vector{v}, hash)
	n, null := 0, vec.One(s.null)
	for i, h := range hash {
		in := vec.One(s.bloom.Has(h))
		if v.Null != nil && v.Null[i] {
			in = null
		}
		dst[n] = int32(i)
		n += in
	}
	return n
}

// testCodes tests the entries of a dictionary only once.
func (s *Set) testCodes(t *Tester, v *vec.Vector, dst []int32) int {
	if t.dict != v.Base {
		at := make([]int32, v.Base.N)
		t.dict, t.entry = v.Base, make([]bool, v.Base.N)
		flat := Tester{}
		for _, i := range at[:s.test(&flat, v.Base, at)] {
			t.entry[i] = true
		}
	}
	n := 0
	for i, x := range v.Idx[:len(dst)] {
		dst[n] = int32(i)
		if x < 0 {
			n += vec.One(s.null)
		} else {
			n += vec.One(t.entry[x])
		}
	}
	return n
}
