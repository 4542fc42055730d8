package dec128

import (
	"math"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// Float64 returns the double nearest to n / 10^scale.
func Float64(n Num, scale int) float64 {
	// Numbers below 2^53 and powers of ten up to 10^22 are exact, so the division rounds only once.
	if IsInt64(n) && scale <= 22 {
		if x := int64(n.LowBits()); x < 1<<53 && x > -1<<53 {
			return float64(x) / math.Pow10(scale)
		}
	}
	var buf [64]byte
	b := append(n.BigInt().Append(buf[:0], 10), 'e', '-')
	f, _ := strconv.ParseFloat(string(strconv.AppendInt(b, int64(scale), 10)), 64)
	return f
}

// FromFloat returns the shortest decimal that parses back to f, rounded half away from zero to
// scale digits. ok is false if it has more than 38 digits or f is not a finite number.
func FromFloat(f float64, scale int) (Num, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Num{}, false
	}
	var buf [32]byte
	n, ok, _ := Parse(strconv.AppendFloat(buf[:0], f, 'e', -1, 64), scale)
	return n, ok
}

// Parse parses [+-]digits[.digits][e[+-]digits] to a number of the given scale, rounded half away
// from zero. ok is false if it has more than 38 digits (n is then the largest number of its sign).
// rest is the length of the unparsed tail.
func Parse[T string | []byte](s T, scale int) (n Num, ok bool, rest int) {
	i, neg := 0, false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	var hi, lo uint64
	digits, point, seen, dropped, sticky := 0, -1, false, 0, byte(0)
	end := 0
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && point < 0 {
			point = 0
			if seen {
				end = i + 1
			}
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		seen, end = true, i+1
		if point >= 0 {
			point++
		}
		if digits == MaxDigits {
			if dropped == 0 {
				sticky = c
			}
			dropped++
			continue
		}
		hi, lo = times10(hi, lo, uint64(c-'0'))
		if hi|lo != 0 {
			digits++
		}
	}
	if !seen {
		return Num{}, true, len(s)
	}
	exp := 0
	exp, end = exponent(s, end)
	shift := scale + exp + dropped - max(point, 0)
	n, ok = place(hi, lo, digits, shift, sticky)
	if neg {
		n = n.Negate()
	}
	return n, ok, len(s) - end
}

// place returns the magnitude hi:lo times 10^shift. sticky is the first digit that did not fit in
// hi:lo; it determines the rounding if no other digit is dropped.
func place(hi, lo uint64, digits, shift int, sticky byte) (Num, bool) {
	n := decimal128.New(int64(hi), lo)
	switch {
	case hi|lo == 0:
		return n, true
	case shift > 0:
		if digits+shift > MaxDigits {
			return Max(MaxDigits), false
		}
		n, _ = Mul(n, pow10[shift])
		return n, true
	case shift < -MaxDigits:
		return Num{}, true
	case shift < 0:
		return Down(n, -shift), true
	case sticky >= '5':
		return Add(n, decimal128.FromI64(1))
	}
	return n, true
}

// Max returns the largest number with the given number of digits, 99...9.
func Max(digits int) Num { return pow10[digits].Sub(decimal128.FromI64(1)) }

func times10(hi, lo, add uint64) (uint64, uint64) {
	n := decimal128.New(int64(hi), lo)
	n8 := shl(n, 3)
	n = n8.Add(shl(n, 1)).Add(decimal128.FromU64(add))
	return uint64(n.HighBits()), n.LowBits()
}

func shl(n Num, k uint) Num {
	return decimal128.New(int64(uint64(n.HighBits())<<k|n.LowBits()>>(64-k)), n.LowBits()<<k)
}

// exponent parses e[+-]digits at s[i:]. Without digits there is no exponent.
func exponent[T string | []byte](s T, i int) (exp, end int) {
	j := i
	if j >= len(s) || s[j]|0x20 != 'e' {
		return 0, i
	}
	j++
	neg := false
	if j < len(s) && (s[j] == '-' || s[j] == '+') {
		neg = s[j] == '-'
		j++
	}
	start := j
	for ; j < len(s) && s[j] >= '0' && s[j] <= '9'; j++ {
		if exp < 1_000_000 {
			exp = exp*10 + int(s[j]-'0')
		}
	}
	if j == start {
		return 0, i
	}
	if neg {
		exp = -exp
	}
	return exp, j
}
