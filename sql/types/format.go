package types

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// Larger time units in microseconds.
const (
	Second = int64(1_000_000)
	Minute = 60 * Second
	Hour   = 60 * Minute
	Day    = 24 * Hour
)

// AppendI64 appends a KindI64 value of type t as MySQL prints it.
func AppendI64(dst []byte, t Type, x int64) []byte {
	switch t.ID {
	case Date:
		return AppendDate(dst, x)
	case Datetime, Timestamp:
		return AppendDatetime(dst, x, int(t.Prec))
	case Time:
		return AppendTime(dst, x, int(t.Prec))
	case Year:
		return appendPadded(dst, int(x), 4)
	}
	return AppendInt(dst, x)
}

// AppendDate appends days since 1970-01-01 as YYYY-MM-DD.
func AppendDate(dst []byte, days int64) []byte {
	y, m, d := CivilDate(days)
	return appendYMD(dst, y, m, d)
}

func appendYMD(dst []byte, y, m, d int) []byte {
	dst = appendPadded(dst, y, 4)
	dst = append(dst, '-')
	dst = appendPadded(dst, m, 2)
	dst = append(dst, '-')
	return appendPadded(dst, d, 2)
}

// AppendDatetime appends microseconds since 1970-01-01 UTC as YYYY-MM-DD hh:mm:ss with frac
// fractional digits.
func AppendDatetime(dst []byte, us int64, frac int) []byte {
	day := us / Day
	rest := us % Day
	if rest < 0 {
		day, rest = day-1, rest+Day
	}
	dst = append(AppendDate(dst, day), ' ')
	return appendClock(dst, rest, 2, frac)
}

// AppendTime appends signed microseconds as [-]hh:mm:ss with frac fractional digits.
func AppendTime(dst []byte, us int64, frac int) []byte {
	if us < 0 {
		dst, us = append(dst, '-'), -us
	}
	return appendClock(dst, us, 2, frac)
}

func appendClock(dst []byte, us int64, hourDigits, frac int) []byte {
	dst = appendPadded(dst, int(us/Hour), hourDigits)
	dst = append(dst, ':')
	dst = appendPadded(dst, int(us%Hour/Minute), 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, int(us%Minute/Second), 2)
	if frac <= 0 {
		return dst
	}
	dst = appendPadded(append(dst, '.'), int(us%Second), 6)
	return dst[:len(dst)-6+min(frac, 6)]
}

// pairs holds the two-digit numbers 00 to 99.
const pairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

func appendPair(dst []byte, x uint) []byte { return append(dst, pairs[2*x], pairs[2*x+1]) }

// AppendInt appends x in decimal.
func AppendInt(dst []byte, x int64) []byte { return AppendNarrow(dst, x, 0) }

// AppendNarrow is AppendDecimal for 64-bit values.
func AppendNarrow(dst []byte, x int64, scale int) []byte {
	u := uint64(x)
	if x < 0 {
		dst, u = append(dst, '-'), -u
	}
	return appendScaled(dst, u, scale)
}

// appendScaled appends the digits of u with a decimal point before the last scale digits, padded
// with zeros to at least scale+1 digits. It writes two digits at a time to where they belong.
func appendScaled(dst []byte, u uint64, scale int) []byte {
	start, size := len(dst), max(decimalDigits(u), scale+1)
	if scale > 0 {
		size++
	}
	dst = slices.Grow(dst, size)[:start+size]
	at := len(dst)
	if scale > 0 {
		at -= scale
		u = putDigits(dst[at:], u)
		at--
		dst[at] = '.'
	}
	putDigits(dst[start:at], u)
	return dst
}

// putDigits fills dst with the last digits of u, padded with zeros, and returns those before them.
func putDigits(dst []byte, u uint64) uint64 {
	at := len(dst)
	for ; at >= 2; at -= 2 {
		q := u / 100
		r := u - 100*q
		dst[at-2], dst[at-1] = pairs[2*r], pairs[2*r+1]
		u = q
	}
	if at == 1 {
		dst[0] = byte('0' + u%10)
		u /= 10
	}
	return u
}

// powers holds the powers of ten of 64 bits.
var powers = [20]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// decimalDigits returns the number of digits of u, which is 1 for 0. 1233/4096 is close enough to the
// logarithm of 2 to be off by at most one.
func decimalDigits(u uint64) int {
	n := bits.Len64(u) * 1233 >> 12
	if u >= powers[n] {
		n++
	}
	return max(n, 1)
}

func appendPadded(dst []byte, x, width int) []byte {
	switch {
	case width == 2 && uint(x) < 100:
		return appendPair(dst, uint(x))
	case width == 4 && uint(x) < 10_000:
		return appendPair(appendPair(dst, uint(x)/100), uint(x)%100)
	case width == 6 && uint(x) < 1_000_000:
		return appendPair(appendPair(appendPair(dst, uint(x)/10_000), uint(x)/100%100), uint(x)%100)
	}
	var buf [20]byte
	s := strconv.AppendInt(buf[:0], int64(x), 10)
	for i := len(s); i < width; i++ {
		dst = append(dst, '0')
	}
	return append(dst, s...)
}

// AppendFloat appends a DOUBLE (bits 64) or FLOAT (bits 32) as MySQL prints it: the shortest
// digits that parse back to the same value, without an exponent between 1e-15 and 1e15.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	a := math.Abs(f)
	if a == 0 {
		return append(dst, '0')
	}
	if a >= 1e-15 && a < 1e15 {
		return strconv.AppendFloat(dst, f, 'f', -1, bits)
	}
	// MySQL writes 1e20 and 1.5e-20 where Go writes 1e+20 and 1.5e-20.
	var buf [32]byte
	s := strconv.AppendFloat(buf[:0], f, 'e', -1, bits)
	for i, c := range s {
		if c == '+' || c == '0' && i > 0 && (s[i-1] == '+' || s[i-1] == '-') && i+1 < len(s) && s[i-1] != 'e' {
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// AppendDecimal appends an unscaled Decimal128 with scale digits after the point.
func AppendDecimal(dst []byte, n decimal128.Num, scale int) []byte {
	if n.Sign() < 0 {
		dst, n = append(dst, '-'), n.Negate()
	}
	hi, lo := uint64(n.HighBits()), n.LowBits()
	if hi == 0 {
		return appendScaled(dst, lo, scale)
	}
	start := len(dst)
	if dst = appendUint128(dst, hi, lo); scale == 0 {
		return dst
	}
	if zeros := scale + 1 - (len(dst) - start); zeros > 0 {
		dst = slices.Insert(dst, start, zeroDigits[:zeros]...)
	}
	return slices.Insert(dst, len(dst)-scale, '.')
}

var zeroDigits = bytes.Repeat([]byte{'0'}, 39)

func appendUint128(dst []byte, hi, lo uint64) []byte {
	const e18 = 1_000_000_000_000_000_000
	if hi == 0 {
		return strconv.AppendUint(dst, lo, 10)
	}
	qhi, rem := hi/e18, hi%e18
	qlo, rem := bits.Div64(rem, lo, e18)
	dst = appendUint128(dst, qhi, qlo)
	return appendPadded(dst, int(rem), 18)
}

// FractionUnit returns the number of microseconds in one unit of the last fractional digit of a
// DATETIME, TIMESTAMP or TIME.
func FractionUnit(t Type) int64 {
	unit := int64(Second)
	for range t.Prec {
		unit /= 10
	}
	return unit
}

// RoundTo returns a function that rounds microseconds to the fractional digits of t: half away
// from zero for TIME, half up for points in time.
func RoundTo(t Type) func(us int64) int64 {
	unit := FractionUnit(t)
	return func(us int64) int64 {
		if unit <= 1 {
			return us
		}
		if t.ID == Time && us < 0 {
			return -((-us + unit/2) / unit * unit)
		}
		us += unit / 2
		rest := us % unit
		if rest < 0 {
			rest += unit
		}
		return us - rest
	}
}
