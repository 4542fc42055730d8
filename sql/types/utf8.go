package types

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"gsql/sql/sqlerr"
)

// NotText returns error 1366 for a value of a text column that is not valid UTF-8.
func NotText(value, column string, row int64) *sqlerr.Error {
	return sqlerr.New(sqlerr.TruncatedWrongValueForField, "Incorrect string value: '%s' for column '%s' at row %d", HexText(value[ValidPrefix(value):]), column, row)
}

// IsASCII reports whether no byte has its high bit set.
func IsASCII(b []byte) bool {
	const high = 0x8080808080808080
	for ; len(b) >= 32; b = b[32:] {
		w := binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) | binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
		if w&high != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// ValidPrefix returns the length of the longest prefix of s that is valid UTF-8.
func ValidPrefix(s string) int {
	for i, r := range s {
		if _, n := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && n == 1 {
			return i
		}
	}
	return len(s)
}

// HexText formats at most six bytes of s as MySQL does in messages.
func HexText(s string) string {
	var b strings.Builder
	for i := range min(len(s), 6) {
		fmt.Fprintf(&b, "\\x%02X", s[i])
	}
	if len(s) > 6 {
		b.WriteString("...")
	}
	return b.String()
}
