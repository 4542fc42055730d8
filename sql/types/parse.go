package types

import (
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
)

// isSpace reports whether MySQL treats c as white space around numbers and dates.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isDigit(c byte) bool { return c-'0' <= 9 }

func trimSpace(s string) string {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// PrefixFloat parses the number at the start of s, after white space, as MySQL does when it
// converts a string to a number; f is 0 if there is none. clean is false if anything but white
// space follows, if there is no number, or if it is out of range.
func PrefixFloat(s string) (f float64, clean bool) {
	s = trimSpace(s)
	n := floatPrefix(s)
	if n == 0 {
		return 0, false
	}
	f, err := strconv.ParseFloat(shortened(s[:n]), 64)
	if err != nil {
		if f > 0 {
			return math.MaxFloat64, false
		}
		return -math.MaxFloat64, false
	}
	return f, n == len(s)
}

// mostDigits is the length of numbers that are shortened, and how many of their digits are kept: no
// double, and no middle between two of them, has more. strconv loses digits of an integer from the
// 801st on.
const mostDigits = 780

// shortened returns a text of the same double as a number of any length, which strconv would read
// several times. Of digits after the first mostDigits it only matters whether all are zeros.
func shortened(s string) string {
	if len(s) <= mostDigits {
		return s
	}
	at := signPrefix(s)
	out, point, rest := append(make([]byte, 0, 2*mostDigits), s[:at]...), 0, false
	for fraction := false; at < len(s) && s[at]|0x20 != 'e'; at++ {
		switch c := s[at]; {
		case c == '.':
			fraction = true
			continue
		case c == '0' && len(out) <= signPrefix(s): // a leading zero
		case len(out) < mostDigits:
			out = append(out, c)
		default:
			n := digitPrefix(s[at:])
			rest = rest || strings.TrimLeft(s[at:at+n], "0") != ""
			if at += n - 1; !fraction {
				point += n
			}
			continue
		}
		if fraction {
			point--
		}
	}
	if len(out) <= signPrefix(s) {
		return s[:signPrefix(s)] + "0"
	}
	if rest {
		out, point = append(out, '1'), point-1
	}
	if at < len(s) {
		given, err := strconv.Atoi(s[at+1:])
		if err != nil { // far beyond the range, whatever the point is
			return string(append(append(out, 'e'), s[at+1:]...))
		}
		point = max(-1<<40, min(point+given, 1<<40))
	}
	return string(strconv.AppendInt(append(out, 'e'), int64(point), 10))
}

// floatPrefix returns the length of the longest prefix of the form
// [+-]digits[.digits][e[+-]digits].
func floatPrefix(s string) int {
	i := signPrefix(s)
	start := i
	i += digitPrefix(s[i:])
	digits := i - start
	if i < len(s) && s[i] == '.' {
		frac := digitPrefix(s[i+1:])
		digits += frac
		if digits > 0 {
			i += 1 + frac
		}
	}
	if digits == 0 {
		return 0
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		j := i + 1 + signPrefix(s[i+1:])
		if n := digitPrefix(s[j:]); n > 0 {
			return j + n
		}
	}
	return i
}

func signPrefix(s string) int {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		return 1
	}
	return 0
}

func digitPrefix(s string) int {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

// PrefixInt parses the integer at the start of s, after white space, and returns its magnitude
// and sign. clean is false if anything but white space follows, if there is no integer, or if it
// exceeds 64 bits (u is then the largest number).
func PrefixInt(s string) (u uint64, neg, clean bool) {
	s = trimSpace(s)
	i := signPrefix(s)
	neg = i > 0 && s[0] == '-'
	n := digitPrefix(s[i:])
	if n == 0 {
		return 0, false, false
	}
	u, err := strconv.ParseUint(s[i:i+n], 10, 64)
	return u, neg, err == nil && i+n == len(s)
}

// PrefixDecimal parses the number at the start of s, after white space, rounded half away from
// zero to scale digits after the point. clean is false if anything but white space follows or if
// there is no number; ok is false if it has more than 38 digits (n is then the largest number of
// its sign).
func PrefixDecimal(s string, scale int) (n decimal128.Num, clean, ok bool) {
	s = trimSpace(s)
	n, ok, rest := dec128.Parse(s, scale)
	return n, rest == 0 && len(s) > 0, ok
}

// ParseDecimalLiteral parses an exact numeric literal and returns its value and type, with the
// precision and scale as written: 12.50 is a DECIMAL(4,2). ok is false if s is not such a literal
// or has more than MaxPrecision digits or more than MaxScale after the point.
func ParseDecimalLiteral(s string) (n decimal128.Num, t Type, ok bool) {
	i := signPrefix(s)
	whole := digitPrefix(s[i:])
	frac := 0
	if end := i + whole; end < len(s) && s[end] == '.' {
		frac = digitPrefix(s[end+1:])
		if end+1+frac != len(s) {
			return n, t, false
		}
	} else if end != len(s) {
		return n, t, false
	}
	for whole > 0 && s[i] == '0' { // leading zeros do not count
		i, whole = i+1, whole-1
	}
	if frac > MaxScale || whole+frac > MaxPrecision {
		return n, t, false
	}
	n, ok, rest := dec128.Parse(s, frac)
	return n, Dec(max(whole+frac, 1), frac), ok && rest == 0
}
