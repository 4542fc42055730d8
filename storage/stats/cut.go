package stats

import (
	"math"
	"strings"
	"unicode/utf8"
)

// keptBound is the length in bytes of the longest text that a zone keeps whole.
const keptBound = 256

func lowerBound(s string) string { return strings.Clone(CutLower(s, keptBound)) }

func upperBound(s string) string { return strings.Clone(CutUpper(s, keptBound)) }

// CutLower shortens a lower bound of texts to at most n bytes: a prefix is a lower bound. It cuts
// between characters.
func CutLower(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if end, ok := characters(s, n); ok {
		return s[:end]
	}
	return s[:n]
}

// CutUpper shortens an upper bound of texts to about n bytes: the last character of a prefix is
// replaced by its successor. It returns s if no character of the prefix has one.
func CutUpper(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end, ok := characters(s, n)
	if !ok {
		return cutBytes(s, n)
	}
	for end > 0 {
		last, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
		if next := successor(last); next != 0 {
			return s[:end] + string(next)
		}
	}
	return s
}

// characters returns the length of the longest prefix of at most n bytes that ends with a whole
// character. ok is false if the prefix is not UTF-8.
func characters(s string, n int) (end int, ok bool) {
	for end = n; end > max(0, n-utf8.UTFMax) && !utf8.RuneStart(s[end]); end-- {
	}
	return end, utf8.RuneStart(s[end]) && utf8.ValidString(s[:end])
}

// successor returns the character that follows r, or 0 if there is none.
func successor(r rune) rune {
	switch {
	case r == utf8.MaxRune:
		return 0
	case r+1 == 0xD800: // surrogates are no characters
		return 0xE000
	}
	return r + 1
}

// cutBytes is CutUpper for bytes that are not UTF-8.
func cutBytes(s string, n int) string {
	for end := n; end > 0; end-- {
		if s[end-1] < math.MaxUint8 {
			return s[:end-1] + string([]byte{s[end-1] + 1})
		}
	}
	return s
}
