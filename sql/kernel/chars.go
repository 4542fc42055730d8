package kernel

import (
	"strings"
	"unicode/utf8"

	"gsql/sql/expr"
	"gsql/sql/types"
)

// Chars specifies how the characters of a string are counted: as runes of text, or as bytes.
type Chars bool

// The two ways of counting.
const (
	Runes  Chars = false
	Octets Chars = true
)

// CharsOf returns how the characters of argument i of a call are counted.
func CharsOf(c *expr.Call, i int) Chars { return Chars(c.Args[i].Type().ID == types.Bytes) }

// Count returns the number of characters.
func (c Chars) Count(s string) int {
	if c == Octets || IsASCII(s) {
		return len(s)
	}
	return utf8.RuneCountInString(s)
}

// Offset returns the byte at which character n begins, or len(s) if there are no more than n
// characters.
func (c Chars) Offset(s string, n int) int {
	if c == Octets || n >= len(s) {
		return min(n, len(s))
	}
	i := 0
	for ; n > 0 && i < len(s); n-- {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, k := utf8.DecodeRuneInString(s[i:])
		i += k
	}
	return i
}

// Index returns the position of sub in s, counted from 1, or 0.
func (c Chars) Index(s, sub string) int64 {
	at := strings.Index(s, sub)
	if at < 0 {
		return 0
	}
	return int64(c.Count(s[:at])) + 1
}

// From returns s from character pos on, counted from 1, or from the end if pos is negative.
func (c Chars) From(s string, pos int64) string {
	switch {
	case pos == 0 || pos > int64(len(s)) || pos < -int64(len(s)):
		return ""
	case pos > 0:
		return s[c.Offset(s, int(pos-1)):]
	}
	skip := c.Count(s) + int(pos)
	if skip < 0 {
		return ""
	}
	return s[c.Offset(s, skip):]
}

// Left returns the first n characters of s.
func (c Chars) Left(s string, n int64) string {
	switch {
	case n <= 0:
		return ""
	case n >= int64(len(s)):
		return s
	}
	return s[:c.Offset(s, int(n))]
}

// Right returns the last n characters of s.
func (c Chars) Right(s string, n int64) string {
	switch {
	case n <= 0:
		return ""
	case n >= int64(len(s)):
		return s
	}
	return s[c.Offset(s, max(c.Count(s)-int(n), 0)):]
}

// Fill appends n characters, repeating pad.
func (c Chars) Fill(b []byte, pad string, n int) []byte {
	size := c.Count(pad)
	for ; n >= size; n -= size {
		b = append(b, pad...)
	}
	return append(b, pad[:c.Offset(pad, n)]...)
}
