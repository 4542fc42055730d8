package json

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// lexer reads the tokens of a JSON text. Its strings share the text's memory if they have no
// escapes.
type lexer struct {
	text string
	pos  int
	wide bool // some byte of a string is not ASCII
}

// maxNesting is the nesting depth beyond which a text is not read at all.
const maxNesting = 10000

// next skips white space and returns the next byte, or 0 at the end.
func (l *lexer) next() byte {
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; c {
		case ' ', '\t', '\r', '\n':
			l.pos++
		default:
			return c
		}
	}
	return 0
}

// word reads null, true or false.
func (l *lexer) word(w string) bool {
	if !strings.HasPrefix(l.text[l.pos:], w) {
		return false
	}
	l.pos += len(w)
	return true
}

// skipString moves behind a string and reports whether it is valid and has escapes.
func (l *lexer) skipString() (escapes, ok bool) {
	text := l.text
	for i := l.pos + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			l.pos = i + 1
			return escapes, true
		case c == '\\':
			escapes = true
			if i++; i >= len(text) {
				return escapes, false
			}
			if text[i] == 'u' {
				if hex4(text[i+1:]) < 0 {
					return escapes, false
				}
				i += 4
			} else if strings.IndexByte(`"\/bfnrt`, text[i]) < 0 {
				return escapes, false
			}
		case c < 0x20:
			return escapes, false
		case c >= utf8.RuneSelf:
			l.wide = true
		}
	}
	return escapes, false
}

// str reads a string.
func (l *lexer) str() (s string, ok bool) {
	start := l.pos + 1
	escapes, ok := l.skipString()
	if !ok {
		return "", false
	}
	s = l.text[start : l.pos-1]
	if escapes {
		s = unescape(s)
	}
	return s, true
}

// hex4 returns the value of four hexadecimal digits, or -1.
func hex4(s string) rune {
	if len(s) < 4 {
		return -1
	}
	r := rune(0)
	for i := range 4 {
		c := s[i]
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// unescape replaces the escapes of a valid string. Halves of surrogate pairs become U+FFFD.
func unescape(s string) string {
	out := make([]byte, 0, len(s))
	for {
		at := strings.IndexByte(s, '\\')
		if at < 0 {
			return string(append(out, s...))
		}
		out = append(out, s[:at]...)
		c := s[at+1]
		s = s[at+2:]
		if c != 'u' {
			if k := strings.IndexByte("bfnrt", c); k >= 0 {
				c = "\b\f\n\r\t"[k]
			}
			out = append(out, c)
			continue
		}
		r := hex4(s)
		s = s[4:]
		if utf16.IsSurrogate(r) {
			second := rune(-1)
			if strings.HasPrefix(s, `\u`) {
				second = hex4(s[2:])
			}
			if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
				s = s[6:]
			}
		}
		out = utf8.AppendRune(out, r)
	}
}

// number reads a number as written.
func (l *lexer) number() (s string, ok bool) {
	start := l.pos
	if l.text[l.pos] == '-' {
		l.pos++
	}
	first := l.pos
	if n := l.digits(); n == 0 || n > 1 && l.text[first] == '0' {
		return "", false
	}
	if l.pos < len(l.text) && l.text[l.pos] == '.' {
		l.pos++
		if l.digits() == 0 {
			return "", false
		}
	}
	if l.pos < len(l.text) && l.text[l.pos]|0x20 == 'e' {
		l.pos++
		if l.pos < len(l.text) && (l.text[l.pos] == '+' || l.text[l.pos] == '-') {
			l.pos++
		}
		if l.digits() == 0 {
			return "", false
		}
	}
	return l.text[start:l.pos], true
}

// digits skips digits and returns their number.
func (l *lexer) digits() int {
	start := l.pos
	for l.pos < len(l.text) && l.text[l.pos]-'0' <= 9 {
		l.pos++
	}
	return l.pos - start
}

// ended reports whether only white space follows.
func (l *lexer) ended() bool {
	l.next()
	return l.pos == len(l.text)
}
