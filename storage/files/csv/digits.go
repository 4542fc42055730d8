package csv

import (
	"encoding/binary"
	"math/bits"

	"gsql/internal/dec128"
	"gsql/sql/types"
	"gsql/storage/files/notation"
)

// The functions in this file parse fields of common forms eight bytes at a time. They fail for
// other forms and near the end of the data; the caller then falls back to functions that read
// single bytes.

const (
	zeros    = 0x3030303030303030 // ASCII zeros
	notNines = 0x7676767676767676 // when added, sets the top bit of bytes above nine
	tops     = 0x8080808080808080
)

// eight returns the number spelled by the n <= 8 digits at data[from:] (Lemire, Number Parsing at
// a Gigabyte per Second, Software: Practice and Experience 2021, section 6).
func eight(data []byte, from, n int) (x uint64, ok bool) {
	if from+8 > len(data) {
		return 0, false
	}
	return digits(binary.LittleEndian.Uint64(data[from:]), n)
}

// digits returns the number spelled by the first n bytes of x.
func digits(x uint64, n int) (uint64, bool) {
	x = (x ^ zeros) << uint(64-8*n) // pad with leading zeros
	if (x+notNines|x)&tops != 0 {
		return 0, false
	}
	x = x * (1 + 10<<8) >> 8 & 0x00ff00ff00ff00ff
	x = x * (1 + 100<<16) >> 16 & 0x0000ffff0000ffff
	return x * (1 + 10000<<32) >> 32, true
}

// sixteen is like eight for at most 16 digits.
func sixteen(data []byte, from, n int) (x uint64, ok bool) {
	if n <= 8 {
		return eight(data, from, n)
	}
	if n > 16 {
		return 0, false
	}
	x, ok = eight(data, from, n-8)
	low, both := eight(data, from+n-8, 8)
	return x*1e8 + low, ok && both
}

// wholeAt parses the n bytes at from as a whole number.
func wholeAt(data []byte, from, n int) (int64, bool) {
	negative := n > 0 && data[from] == '-'
	if negative {
		from, n = from+1, n-1
	}
	if n <= 0 {
		return 0, false
	}
	x, ok := sixteen(data, from, n)
	if negative {
		return -int64(x), ok
	}
	return int64(x), ok
}

// fixed is a number of at most 18 digits, scale of them after the decimal point.
type fixed struct {
	digits   uint64
	length   int // number of digits
	scale    int
	negative bool
}

// fixedAt parses the n bytes at from as a number with at most 8 digits before the decimal point.
func fixedAt(data []byte, from, n int) (x fixed, ok bool) {
	if x.negative = n > 0 && data[from] == '-'; x.negative {
		from, n = from+1, n-1
	}
	if n <= 0 || from+8 > len(data) {
		return x, false
	}
	word := binary.LittleEndian.Uint64(data[from:])
	const points, ones = 0x2e2e2e2e2e2e2e2e, 0x0101010101010101
	y := word ^ points
	point := bits.TrailingZeros64((y-ones)&^y&tops) / 8 // the lowest set bit marks the first point
	if point >= n {
		x.length = n
		x.digits, ok = eight(data, from, n)
		return x, ok && n <= 8
	}
	if point == 8 {
		return x, false
	}
	x.scale = n - point - 1
	x.length = point + x.scale
	if x.length == 0 || x.length > 18 {
		return x, false
	}
	whole, ok := digits(word, point)
	part, both := uint64(0), true
	if x.scale <= 8 {
		part, both = eight(data, from+point+1, x.scale)
	} else {
		part, both = sixteen(data, from+point+1, x.scale)
	}
	x.digits = whole*dec128.Pow10Word(min(x.scale, 16)) + part
	return x, ok && both
}

// doubleAt parses the n bytes at from as the nearest float, as parseFloat does.
func doubleAt(data []byte, from, n int) (float64, bool) {
	x, ok := fixedAt(data, from, n)
	if !ok || x.digits > 1<<53 {
		return 0, false
	}
	f := float64(x.digits) / notation.ExactPowers[x.scale]
	if x.negative {
		f = -f
	}
	return f, true
}

// decimalAt parses the n bytes at from as a decimal of 64 bits.
func decimalAt(data []byte, from, n, prec, scale int) (int64, bool) {
	x, ok := fixedAt(data, from, n)
	if !ok || x.scale > scale || x.length+scale-x.scale > min(prec, 18) {
		return 0, false
	}
	value := int64(x.digits * dec128.Pow10Word(scale-x.scale))
	if x.negative {
		value = -value
	}
	return value, true
}

// dateAt parses the ten bytes YYYY-MM-DD at from as days since 1970-01-01.
func dateAt(data []byte, from int) (int64, bool) {
	if from+10 > len(data) {
		return 0, false
	}
	const form, rest = 0x2d30302d30303030, 0x7f76767f76767676 // "0000-00-"
	x := binary.LittleEndian.Uint64(data[from:]) ^ form
	tens, ones := int(data[from+8]-'0'), int(data[from+9]-'0')
	if (x+rest|x)&tops != 0 || tens > 9 || ones > 9 {
		return 0, false
	}
	year := int(x&0xff)*1000 + int(x>>8&0xff)*100 + int(x>>16&0xff)*10 + int(x>>24&0xff)
	month, day := int(x>>40&0xff)*10+int(x>>48&0xff), tens*10+ones
	if month < 1 || month > 12 || day < 1 || day > 28 && day > notation.DaysIn(year, month) {
		return 0, false
	}
	return notation.CivilDays(year, month, day), true
}

// datetimeAt parses the 19 bytes YYYY-MM-DD HH:MM:SS at from, with a space or T in between, as
// microseconds since 1970-01-01.
func datetimeAt(data []byte, from int) (int64, bool) {
	days, ok := dateAt(data, from)
	if !ok || from+19 > len(data) || data[from+10] != ' ' && data[from+10] != 'T' {
		return 0, false
	}
	const form, rest = 0x30303a30303a3030, 0x76767f76767f7676 // "00:00:00"
	x := binary.LittleEndian.Uint64(data[from+11:]) ^ form
	hours, minutes, seconds := pair(x), pair(x>>24), pair(x>>48)
	if (x+rest|x)&tops != 0 || hours > 23 || minutes > 59 || seconds > 59 {
		return 0, false
	}
	return days*types.Day + hours*types.Hour + minutes*types.Minute + seconds*types.Second, true
}

// pair returns the two-digit number whose digits are the lowest two bytes of x.
func pair(x uint64) int64 { return int64(x&0xff)*10 + int64(x>>8&0xff) }
