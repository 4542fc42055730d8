package csv

import (
	"bytes"
	"strings"
)

// dialect determines how a file separates records and fields.
type dialect struct {
	delim  string
	quote  byte   // 0: fields are never quoted
	escape byte   // 0: only doubling the quote; never the quote itself
	lines  string // record terminator; "\n" includes a \r before it
	prefix string // everything up to and including it on a line is skipped
}

func hasAt(buf []byte, i int, s string) bool {
	if s == "" || buf[i] != s[0] {
		return false
	}
	return len(s) == 1 || len(buf)-i >= len(s) && string(buf[i:i+len(s)]) == s
}

func holds(data []byte, c byte) bool { return c != 0 && bytes.IndexByte(data, c) >= 0 }

// lastLine returns the offset after the last line end, or 0 if there is none.
func (d *dialect) lastLine(data []byte) int {
	if i := bytes.LastIndex(data, []byte(d.lines)); i >= 0 {
		return i + len(d.lines)
	}
	return 0
}

// linesAlone reports whether line ends overlap neither each other nor a delimiter.
func (d *dialect) linesAlone() bool {
	for i := range len(d.delim) {
		if strings.IndexByte(d.lines, d.delim[i]) >= 0 {
			return false
		}
	}
	return strings.IndexByte(d.lines[1:], d.lines[0]) < 0
}

// closing returns the position of the closing quote in text from i on, or the end of text.
func (d *dialect) closing(text []byte, i int) (end int, escaped bool) {
	for i < len(text) {
		if d.escape == 0 {
			k := bytes.IndexByte(text[i:], d.quote)
			if k < 0 {
				break
			}
			i += k
		}
		c := text[i]
		switch {
		case c == d.escape && d.escape != 0:
			i, escaped = i+2, true
		case c != d.quote:
			i++
		case i+1 < len(text) && text[i+1] == d.quote:
			i, escaped = i+2, true
		default:
			return i, escaped
		}
	}
	return len(text), escaped
}

// escapes are MySQL's escape sequences in data files.
var escapes = map[byte]byte{'0': 0, 'b': '\b', 'n': '\n', 'r': '\r', 't': '\t', 'Z': 26}

func (d *dialect) unescape(b []byte, quoted bool) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case c == d.escape && d.escape != 0 && i+1 < len(b):
			i++
			if x, ok := escapes[b[i]]; ok {
				c = x
			} else {
				c = b[i]
			}
		case quoted && c == d.quote && i+1 < len(b) && b[i+1] == d.quote:
			i++
		}
		out = append(out, c)
	}
	return out
}
