package parse

import (
	"strconv"
	"strings"

	"gsql/sql/sqlmode"
)

// spatial holds the type names that the grammar does not support. gsql stores such columns as
// text.
var spatial = map[string]bool{
	"GEOMETRY": true, "POINT": true, "LINESTRING": true, "POLYGON": true, "MULTIPOINT": true, "MULTILINESTRING": true,
	"MULTIPOLYGON": true, "GEOMETRYCOLLECTION": true, "GEOMCOLLECTION": true,
}

// plainCreateTable rewrites a CREATE TABLE that the grammar rejects to an equivalent one: spatial
// column types become TEXT, and fractions and hexadecimal digits in table options, which gsql
// ignores, become integers. Lengths do not change, so that positions stay valid. ok is false if
// there is nothing to rewrite.
func plainCreateTable(text string, mode sqlmode.Mode) (plain string, ok bool) {
	l := lexer{text: text, mode: mode}
	if t := l.next(); !l.is(t, "CREATE") {
		return "", false
	}
	if t := l.next(); !l.is(t, "TABLE") && !l.is(t, "TEMPORARY") {
		return "", false
	}
	out := []byte(text)
	depth := 0
	var prev, prev2 token
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		word := text[t.start:t.end]
		switch {
		case l.isByte(t, '('):
			depth++
		case l.isByte(t, ')'):
			depth--
		case depth == 1 && t.kind == tokWord && spatial[strings.ToUpper(word)] && (l.isByte(prev2, '(') || l.isByte(prev2, ',')):
			overwrite(out, t, "TEXT")
		case depth == 0 && t.kind == tokNumber && l.isByte(prev, '.'):
			overwrite(out, token{start: prev.start, end: t.end}, "")
		case depth == 0 && t.kind == tokNumber && len(word) > 2 && strings.EqualFold(word[:2], "0x"):
			if n, err := strconv.ParseUint(word[2:], 16, 64); err == nil {
				overwrite(out, t, strconv.FormatUint(n, 10))
			}
		}
		prev2, prev = prev, t
	}
	plain = string(out)
	return plain, plain != text
}

// overwrite replaces the token by s, padded with spaces. A decimal number longer than its
// hexadecimal spelling is truncated, which affects only ignored options.
func overwrite(text []byte, t token, s string) {
	for i := t.start; i < t.end; i++ {
		text[i] = ' '
		if k := i - t.start; k < len(s) {
			text[i] = s[k]
		}
	}
}
