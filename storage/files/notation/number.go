package notation

import (
	"math"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// ParseInt reads a whole number with an optional sign.
func ParseInt(b []byte) (int64, bool) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i, negative = 1, b[0] == '-'
	}
	if i == len(b) {
		return 0, false
	}
	if len(b) > 18 {
		x, err := strconv.ParseInt(unsafe.String(&b[0], len(b)), 10, 64)
		return x, err == nil
	}
	var x int64
	for _, c := range b[i:] {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		x = x*10 + int64(d)
	}
	if negative {
		x = -x
	}
	return x, true
}

// ExactPowers holds the powers of ten that a float64 holds exactly.
var ExactPowers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// ParseFloat reads a decimal number. Numbers with few digits are computed as exact quotients of
// two exact floats (Clinger, How to Read Floating Point Numbers Accurately, 1990); strconv parses
// the others.
func ParseFloat(b []byte) (float64, bool) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i, negative = 1, b[0] == '-'
	}
	var mantissa uint64
	digits, point := 0, -1
	for ; i < len(b); i++ {
		if d := b[i] - '0'; d <= 9 {
			mantissa = mantissa*10 + uint64(d)
			digits++
		} else if b[i] == '.' && point < 0 {
			point = digits
		} else {
			return parseFloatSlow(b)
		}
	}
	if point < 0 {
		point = digits
	}
	if digits == 0 {
		return 0, false
	}
	if digits > 19 || mantissa > 1<<53 || digits-point > 22 {
		return parseFloatSlow(b)
	}
	f := float64(mantissa) / ExactPowers[digits-point]
	if negative {
		f = -f
	}
	return f, true
}

func parseFloatSlow(b []byte) (float64, bool) {
	for _, c := range b { // strconv also accepts inf, nan, hexadecimal and underscores
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	if len(b) == 0 {
		return 0, false
	}
	f, err := strconv.ParseFloat(unsafe.String(&b[0], len(b)), 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// maxTenth is the upper half of 10^37. If the upper half of a number is larger, ten times the
// number has more than 38 digits.
const maxTenth = 542101086242752217

// ParseDecimal reads a number into a decimal of the given precision and scale. Digits
// beyond the scale are rounded half away from zero.
func ParseDecimal(b []byte, prec, scale int) (decimal128.Num, bool) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i, negative = 1, b[0] == '-'
	}
	var hi, lo uint64
	digits, fraction, round := 0, -1, false
	for ; i < len(b); i++ {
		d := b[i] - '0'
		switch {
		case b[i] == '.' && fraction < 0:
			fraction = 0
			continue
		case d > 9:
			return decimal128.Num{}, false
		case fraction == scale:
			round = d >= 5
			i = skipDigits(b, i+1)
			if i != len(b) {
				return decimal128.Num{}, false
			}
			digits++
			continue
		}
		if fraction >= 0 {
			fraction++
		}
		digits++
		if hi > maxTenth {
			return decimal128.Num{}, false
		}
		hi, lo = times10(hi, lo, uint64(d))
	}
	if digits == 0 {
		return decimal128.Num{}, false
	}
	for f := max(fraction, 0); f < scale; f++ {
		if hi > maxTenth {
			return decimal128.Num{}, false
		}
		hi, lo = times10(hi, lo, 0)
	}
	x := decimal128.New(int64(hi), lo)
	if round {
		x = x.Add(decimal128.FromI64(1))
	}
	if !x.FitsInPrecision(int32(prec)) {
		return decimal128.Num{}, false
	}
	if negative {
		x = x.Negate()
	}
	return x, true
}

func times10(hi, lo, digit uint64) (uint64, uint64) {
	over, lo := bits.Mul64(lo, 10)
	lo, carry := bits.Add64(lo, digit, 0)
	return min(hi, 1<<60)*10 + over + carry, lo
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// ParseDate reads a date in year-first notation as days since 1970-01-01.
func ParseDate(b []byte) (int64, bool) { return YearFirst.ParseDate(b) }
