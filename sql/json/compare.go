package json

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// The first byte of a key, in MySQL's sort order of value types.
const (
	keyEnd byte = iota
	keyNull
	keyNumber
	keyString
	keyObject
	keyArray
	keyBool
)

// AppendKey appends a key of v to dst. Keys compare by bytes as their values do; equal numbers
// have equal keys however they are written. No key is a prefix of another.
func AppendKey(dst []byte, v Value) []byte {
	switch x := v.(type) {
	case nil:
		return append(dst, keyNull)
	case bool:
		if x {
			return append(dst, keyBool, 1)
		}
		return append(dst, keyBool, 0)
	case Number:
		return appendNumberKey(append(dst, keyNumber), string(x))
	case string:
		return appendStringKey(append(dst, keyString), x)
	case []any:
		dst = append(dst, keyArray)
		for _, e := range x {
			dst = AppendKey(dst, e)
		}
	case map[string]any:
		dst = binary.BigEndian.AppendUint32(append(dst, keyObject), uint32(len(x)))
		for _, k := range Keys(x) {
			dst = AppendKey(appendStringKey(append(dst, keyString), k), x[k])
		}
	}
	return append(dst, keyEnd)
}

// appendStringKey ends a string with two zero bytes and encodes a zero byte within it as 0, 255.
func appendStringKey(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if dst = append(dst, s[i]); s[i] == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 0)
}

// appendNumberKey appends sign, exponent and digits. For negative numbers, exponent and digits
// are complemented, so that numbers of larger magnitude sort first.
func appendNumberKey(dst []byte, s string) []byte {
	neg, digits, exp := decimalOf(s)
	if digits == "" {
		return append(dst, 1)
	}
	start := len(dst) + 1
	dst = append(dst, 2)
	dst = binary.BigEndian.AppendUint32(dst, uint32(exp+1<<30))
	dst = append(append(dst, digits...), 0)
	if neg {
		dst[start-1] = 0
		for i := range dst[start:] {
			dst[start+i] ^= 0xff
		}
	}
	return dst
}

// decimalOf parses a number as 0.digits times ten to the power of exp, without leading or
// trailing zeros in digits.
func decimalOf(s string) (neg bool, digits string, exp int) {
	s, neg = strings.TrimPrefix(s, "-"), strings.HasPrefix(s, "-")
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		exp, _ = strconv.Atoi(s[at+1:])
		s = s[:at]
	}
	whole, frac, _ := strings.Cut(s, ".")
	exp += len(whole)
	digits = whole + frac
	rest := strings.TrimLeft(digits, "0")
	exp -= len(digits) - len(rest)
	return neg, strings.TrimRight(rest, "0"), exp
}

// Equal reports whether MySQL considers two values equal.
func Equal(a, b Value) bool { return string(AppendKey(nil, a)) == string(AppendKey(nil, b)) }

// Contains reports whether target contains candidate. An array contains everything that one of
// its elements contains, and every array whose elements it contains; an object contains an object
// whose members it contains; a scalar contains an equal value.
func Contains(target, candidate Value) bool {
	switch t := target.(type) {
	case []any:
		if c, ok := candidate.([]any); ok {
			for _, e := range c {
				if !anyContains(t, e) {
					return false
				}
			}
			return true
		}
		return anyContains(t, candidate)
	case map[string]any:
		c, ok := candidate.(map[string]any)
		if !ok {
			return false
		}
		for k, e := range c {
			if own, ok := t[k]; !ok || !Contains(own, e) {
				return false
			}
		}
		return true
	}
	return Equal(target, candidate)
}

func anyContains(list []any, v Value) bool {
	for _, e := range list {
		if Contains(e, v) {
			return true
		}
	}
	return false
}

// MemberOf reports whether v equals an element of list, or list itself if that is not an array.
func MemberOf(v, list Value) bool {
	for _, e := range asArray(list) {
		if Equal(e, v) {
			return true
		}
	}
	return false
}

// Overlaps reports whether two arrays have a common element, two objects a common member, or
// whether two scalars are equal. A scalar overlaps an array that contains it.
func Overlaps(a, b Value) bool {
	x, isObject := a.(map[string]any)
	if y, ok := b.(map[string]any); ok && isObject {
		for k, e := range x {
			if other, ok := y[k]; ok && Equal(e, other) {
				return true
			}
		}
		return false
	}
	_, isArray := a.([]any)
	if _, ok := b.([]any); !ok && !isArray {
		return Equal(a, b)
	}
	for _, e := range asArray(b) {
		if MemberOf(e, a) {
			return true
		}
	}
	return false
}
