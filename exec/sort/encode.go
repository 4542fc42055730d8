package sort

import (
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/keyenc"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// entry is a row being sorted.
type entry struct {
	code uint64
	row  int32
}

// plan describes how the keys are packed into a code: as many of the first keys as fit
// completely, then the upper bits of the next one.
type plan struct {
	fields []field
	bits   int
	rest   []column // keys needed to order rows with equal codes; empty if codes are exact
}

// field is one key's part of the code: the value less base, shifted right by drop bits. If there
// are NULLs, their code is 0 and values start at 1.
type field struct {
	column
	nullable int // 1 if the column has NULLs
	base     uint64
	baseHigh int64 // decimals
	drop     int
	bits     int
	skip     int   // strings: length of the prefix that all have in common
	take     int   // strings: bytes in the code
	length   int   // strings: bits for the length after the bytes, or 0 if the strings are cut
	ranks    ranks // strings: the codes, if not nil
}

// newPlan makes a plan from the ranges of the keys.
func (s *sorter) newPlan(account *mem.Account, keys []column) (p plan, err error) {
	for i, k := range keys {
		room := 64 - p.bits
		if room == 0 {
			p.rest = keys[i:]
			return p, nil
		}
		f, exact := newField(k, room)
		if !exact || f.bits > narrowText && i+1 < len(keys) {
			ranked, err := s.rank(account, &f, room)
			if err != nil {
				return p, err
			}
			exact = exact || ranked
		}
		if f.bits > 0 {
			p.fields = append(p.fields, f)
			p.bits += f.bits
		}
		if !exact {
			p.rest = keys[i:]
			return p, nil
		}
	}
	return p, nil
}

// newField fits a key into room bits; exact reports whether equal codes mean equal values.
func newField(k column, room int) (f field, exact bool) {
	f = field{column: k}
	if k.v.Null != nil {
		f.nullable = 1
	}
	switch k.v.Type.Kind() {
	case types.KindI64:
		lo, hi := extent(k.v.I64, k.v.Null, func(x int64) uint64 { return uint64(x) ^ 1<<63 })
		return f.fit(lo, hi, room)
	case types.KindU64:
		lo, hi := extent(k.v.I64, k.v.Null, func(x int64) uint64 { return uint64(x) })
		return f.fit(lo, hi, room)
	case types.KindF64:
		lo, hi := extent(k.v.F64, k.v.Null, keyenc.FloatKey)
		return f.fit(lo, hi, room)
	case types.KindDec:
		return f.fitDecimals(room)
	case types.KindStr:
		return f.fitStrings(room)
	}
	return f, true
}

// extent returns the least and the greatest code of the values that are not NULL. lo is greater
// than hi if there are none.
func extent[T any](xs []T, null []bool, code func(T) uint64) (lo, hi uint64) {
	lo = math.MaxUint64
	for i, x := range xs {
		if null == nil || !null[i] {
			c := code(x)
			lo, hi = min(lo, c), max(hi, c)
		}
	}
	return lo, hi
}

// fit takes the bits that codes from lo to hi need, or the upper ones that fit in room.
func (f field) fit(lo, hi uint64, room int) (field, bool) {
	if lo > hi {
		return f, true // only NULLs
	}
	f.base = lo
	span := hi - lo
	if f.nullable == 1 && span == math.MaxUint64 {
		f.drop = 1
		span >>= 1
	}
	f.bits = bits.Len64(span + uint64(f.nullable))
	if f.bits > room {
		f.drop += f.bits - room
		span = (hi - lo) >> f.drop
		f.bits = bits.Len64(span + uint64(f.nullable))
		if f.bits > room { // because of the NULL's code
			f.drop++
			f.bits = room
		}
	}
	return f, f.drop == 0
}

func (f field) fitDecimals(room int) (field, bool) {
	xs, null := f.v.Dec, f.v.Null
	var lo, hi decimal128.Num
	any := false
	for i, x := range xs {
		if null != nil && null[i] {
			continue
		}
		if !any {
			lo, hi, any = x, x, true
		} else if x.Less(lo) {
			lo = x
		} else if hi.Less(x) {
			hi = x
		}
	}
	if !any {
		return f, true
	}
	f.base, f.baseHigh = lo.LowBits(), lo.HighBits()
	low, borrow := bits.Sub64(hi.LowBits(), lo.LowBits(), 0)
	high := uint64(hi.HighBits()) - uint64(lo.HighBits()) - borrow
	f.bits = 64 + bits.Len64(high)
	if high == 0 {
		f.bits = bits.Len64(low)
	}
	if f.bits++; f.bits > room { // one more for NULLs
		f.drop = f.bits - room
		f.bits = room
	}
	return f, f.drop == 0
}

// decimal returns the code of x without the bit for NULLs.
func (f *field) decimal(x decimal128.Num) uint64 {
	low, borrow := bits.Sub64(x.LowBits(), f.base, 0)
	high := uint64(x.HighBits()) - uint64(f.baseHigh) - borrow
	if f.drop >= 64 {
		return high >> (f.drop - 64)
	}
	return low>>f.drop | high<<(64-f.drop)
}

// fitStrings takes as many bytes after the common prefix as fit in room. If all bytes fit, their
// number follows so that codes are exact.
func (f field) fitStrings(room int) (field, bool) {
	longest := 0
	f.skip = -1
	var first string
	for i, s := range f.v.Str {
		if f.v.Null != nil && f.v.Null[i] {
			continue
		}
		if f.skip < 0 {
			f.skip, first = len(s), s
		}
		if f.skip > 0 {
			f.skip = commonPrefix(first[:f.skip], s)
		}
		longest = max(longest, len(s))
	}
	if f.skip < 0 {
		return f, true
	}
	f.take = longest - f.skip
	f.length = bits.Len(uint(f.take))
	exact := f.nullable+8*f.take+f.length <= room
	if !exact {
		f.length = 0
		f.take = (room - f.nullable) / 8
	}
	if f.take > 0 || exact {
		f.bits = f.nullable + 8*f.take + f.length
	}
	return f, exact
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// texts returns a function for the codes of texts, for one goroutine.
func (f *field) texts() func(string) uint64 {
	if f.ranks != nil {
		return f.ranks.codes(f.nullable)
	}
	return f.str
}

func (f *field) str(s string) uint64 {
	s = s[f.skip:]
	var x uint64
	n := min(len(s), f.take)
	for i := range n {
		x = x<<8 | uint64(s[i])
	}
	x <<= 8 * (f.take - n)
	x = x<<f.length | uint64(len(s))&(1<<f.length-1)
	if f.nullable == 1 {
		x |= 1 << (f.bits - 1)
	}
	return x
}

// encode writes the codes of the rows from lo on to out.
func (p *plan) encode(out []entry, lo int) {
	for i := range out {
		out[i] = entry{row: int32(lo + i)}
	}
	for i := range p.fields {
		f := &p.fields[i]
		v := f.v.Slice(lo, lo+len(out))
		switch v.Type.Kind() {
		case types.KindI64:
			f.integers(out, v, 1<<63)
		case types.KindU64:
			f.integers(out, v, 0)
		case types.KindF64:
			put(f, out, v.F64, v, func(x float64) uint64 { return (keyenc.FloatKey(x)-f.base)>>f.drop + uint64(f.nullable) })
		case types.KindDec:
			put(f, out, v.Dec, v, func(x decimal128.Num) uint64 { return f.decimal(x) + uint64(f.nullable) })
		case types.KindStr:
			put(f, out, v.Str, v, f.texts())
		}
	}
}

// integers encodes the most common case without a call per row.
func (f *field) integers(out []entry, v *vec.Vector, flip uint64) {
	mask, shift := f.mask(), f.bits&63
	xs := v.I64[:len(out)]
	if v.Null == nil {
		for i, x := range xs {
			code := (uint64(x) ^ flip - f.base) >> f.drop
			if f.desc {
				code = mask - code
			}
			out[i].code = out[i].code<<shift | code
		}
		return
	}
	put(f, out, xs, v, func(x int64) uint64 { return (uint64(x)^flip-f.base)>>f.drop + uint64(f.nullable) })
}

func (f *field) mask() uint64 { return math.MaxUint64 >> (64 - f.bits) }

func put[T any](f *field, out []entry, xs []T, v *vec.Vector, code func(T) uint64) {
	mask, shift := f.mask(), f.bits&63
	for i, x := range xs[:len(out)] {
		var c uint64
		if v.Null == nil || !v.Null[i] {
			c = code(x)
		}
		if f.desc {
			c = mask - c
		}
		out[i].code = out[i].code<<shift | c
	}
}
