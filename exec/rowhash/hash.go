// Package rowhash hashes the keys of rows column by column. Equal values of a type have equal
// hashes: -0 has the hash of 0, all NaNs have the same hash, and NULL is a value of its own.
// Hashes depend only on the values, so that plans run the same way every time.
//
// The mixing step is the folded 64x64 -> 128 bit multiplication of wyhash (Wang Yi,
// 2019); strings are read eight bytes at a time.
package rowhash

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	k0       = 0xa0761d6478bd642f
	k1       = 0x9e3779b97f4a7c15
	k2       = 0x8ebc6af09c88c6e3
	nullHash = 0x589965cc75374cc3
)

// Rows writes the hashes of the rows of cols to out. Columns have len(out) rows in any form.
func Rows(cols []*vec.Vector, out []uint64) {
	if len(cols) == 0 {
		for i := range out {
			out[i] = k0
		}
		return
	}
	for i, c := range cols {
		column(c, out, i > 0)
	}
}

// Mix hashes one 64-bit value.
func Mix(x uint64) uint64 { return mum(x^k0, k1) }

func mum(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// column hashes one column into out. If more is set, it combines the hashes with those in out.
func column(v *vec.Vector, out []uint64, more bool) {
	if v.Form != vec.Flat {
		v = v.Flatten(nil)
	}
	if !more {
		clear(out)
	}
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		integers(v.I64, v.Null, out)
	case types.KindF64:
		each(v.F64, v.Null, out, Float)
	case types.KindDec:
		each(v.Dec, v.Null, out, Decimal)
	case types.KindStr:
		each(v.Str, v.Null, out, String)
	case types.KindNull:
		for i, h := range out {
			out[i] = mum(h^nullHash, k1)
		}
	}
}

func integers(vals []int64, null []bool, out []uint64) {
	vals = vals[:len(out)]
	if null == nil {
		for i, x := range vals {
			out[i] = mum(out[i]^uint64(x)^k0, k1)
		}
		return
	}
	null = null[:len(out)]
	for i, x := range vals {
		y := uint64(x) ^ k0
		if null[i] {
			y = nullHash
		}
		out[i] = mum(out[i]^y, k1)
	}
}

// each hashes values with f. It does not read the slots of NULLs, which may hold anything.
func each[T any](vals []T, null []bool, out []uint64, f func(T, uint64) uint64) {
	for i := range out {
		if null != nil && null[i] {
			out[i] = mum(out[i]^nullHash, k1)
		} else {
			out[i] = f(vals[i], out[i])
		}
	}
}

// Float hashes x with a seed.
func Float(x float64, seed uint64) uint64 { return mum(seed^FloatBits(x)^k0, k1) }

// Decimal hashes x with a seed.
func Decimal(x decimal128.Num, seed uint64) uint64 {
	return mum(seed^x.LowBits()^k0, uint64(x.HighBits())^k1)
}

// FloatBits returns the bits of x, with -0 replaced by 0 and all NaNs by one.
func FloatBits(x float64) uint64 {
	if x == 0 {
		return 0
	}
	if x != x {
		return 0x7ff8000000000001
	}
	return math.Float64bits(x)
}

// String hashes s with a seed.
func String(s string, seed uint64) uint64 {
	n := len(s)
	h := seed ^ k2 ^ uint64(n)
	if n == 0 {
		return mum(h, k1)
	}
	p := unsafe.Pointer(unsafe.StringData(s))
	for ; n > 16; n -= 16 {
		h = mum(load64(p)^k0, load64(unsafe.Add(p, 8))^h)
		p = unsafe.Add(p, 16)
	}
	a, b := tail(p, n)
	return mum(a^k1^h, b^h^k0)
}

func load64(p unsafe.Pointer) uint64 { return *(*uint64)(p) }

// tail reads the last n (1 to 16) bytes as two words; the words may overlap.
func tail(p unsafe.Pointer, n int) (a, b uint64) {
	switch {
	case n >= 8:
		return load64(p), load64(unsafe.Add(p, n-8))
	case n >= 4:
		return uint64(*(*uint32)(p)), uint64(*(*uint32)(unsafe.Add(p, n-4)))
	}
	x := uint64(*(*byte)(p))<<16 | uint64(*(*byte)(unsafe.Add(p, n/2)))<<8 | uint64(*(*byte)(unsafe.Add(p, n-1)))
	return x, 0
}
