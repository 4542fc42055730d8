// Package like matches texts against the patterns of LIKE.
package like

import (
	"strings"
	"unicode/utf8"
)

// wild is one element of a pattern between two %: a literal, or a _ if it is empty.
type wild string

// likePattern is a pattern split at its %. The first piece must match at the start of the text
// and the last one at its end; an empty piece matches anywhere.
type likePattern [][]wild

// Compile returns a function that matches texts against pattern. An escape of -1 means no escape
// character.
func Compile(pattern string, escape rune) func(string) bool {
	p := parseLike(pattern, escape)
	if lit, ok := p.literals(); ok {
		return matchLiterals(lit)
	}
	return p.match
}

// Needle returns the longest literal between two % of a pattern that begins with %, or "" for other
// patterns, whose beginnings rule out most texts. Every text that matches contains it.
func Needle(pattern string, escape rune) string {
	p, needle := parseLike(pattern, escape), ""
	if len(p[0]) > 0 {
		return ""
	}
	for _, piece := range p[:len(p)-1] {
		for _, w := range piece {
			if len(w) > len(needle) {
				needle = string(w)
			}
		}
	}
	return needle
}

// costly is the length in bytes from which patterns are worth estimating the memory that compiling
// them takes.
const costly = 64 << 10

// partCost is the number of bytes that a piece between two % or a _ takes at most, with the literal
// that follows and while the lists of them grow.
const partCost = 160

// Cost returns how many bytes compiling a pattern takes at most, or 0 for short patterns, where it
// does not matter.
func Cost(pattern string) int64 {
	if len(pattern) < costly {
		return 0
	}
	parts := strings.Count(pattern, "%") + strings.Count(pattern, "_")
	return 3*int64(len(pattern)) + partCost*int64(parts)
}

func parseLike(pattern string, escape rune) likePattern {
	out := likePattern{nil}
	var lit []byte
	flush := func() {
		if len(lit) > 0 {
			out[len(out)-1] = append(out[len(out)-1], wild(lit))
			lit = lit[:0]
		}
	}
	for i := 0; i < len(pattern); {
		r, n := utf8.DecodeRuneInString(pattern[i:])
		switch {
		case r == escape && i+n < len(pattern):
			_, k := utf8.DecodeRuneInString(pattern[i+n:])
			lit = append(lit, pattern[i+n:i+n+k]...)
			n += k
		case r == '%':
			flush()
			if k := len(out); k < 2 || len(out[k-1]) > 0 {
				out = append(out, nil)
			}
		case r == '_':
			flush()
			out[len(out)-1] = append(out[len(out)-1], "")
		default:
			lit = append(lit, pattern[i:i+n]...)
		}
		i += n
	}
	flush()
	return out
}

// literals returns the pieces as strings; ok is false if any contains a _.
func (p likePattern) literals() ([]string, bool) {
	out := make([]string, len(p))
	for i, piece := range p {
		if len(piece) > 1 || len(piece) == 1 && piece[0] == "" {
			return nil, false
		}
		for _, w := range piece {
			out[i] = string(w)
		}
	}
	return out, true
}

// matchLiterals returns the matcher of pieces without _. Each piece between the first and the
// last is searched for from the end of the previous one, because the earliest match always leaves
// the most text for later pieces.
func matchLiterals(lit []string) func(string) bool {
	head, tail := lit[0], lit[len(lit)-1]
	if len(lit) == 1 {
		return func(s string) bool { return s == head }
	}
	middle := lit[1 : len(lit)-1]
	return func(s string) bool {
		if len(s) < len(head)+len(tail) || s[:len(head)] != head || s[len(s)-len(tail):] != tail {
			return false
		}
		s = s[len(head) : len(s)-len(tail)]
		for _, m := range middle {
			i := strings.Index(s, m)
			if i < 0 {
				return false
			}
			s = s[i+len(m):]
		}
		return true
	}
}

// match is matchLiterals for pieces with _.
func (p likePattern) match(s string) bool {
	n := prefixLike(p[0], s)
	if len(p) == 1 || n < 0 {
		return n == len(s)
	}
	s = s[n:]
	if n = suffixLike(p[len(p)-1], s); n < 0 {
		return false
	}
	s = s[:len(s)-n]
	for _, piece := range p[1 : len(p)-1] {
		for n = prefixLike(piece, s); n < 0; n = prefixLike(piece, s) {
			if s = s[candidate(piece[0], s):]; s == "" {
				return false
			}
		}
		s = s[n:]
	}
	return true
}

// candidate returns the next position after the start of s where a piece that starts with w can
// match.
func candidate(w wild, s string) int {
	_, n := utf8.DecodeRuneInString(s)
	if w == "" {
		return n
	}
	if i := strings.Index(s[n:], string(w)); i >= 0 {
		return n + i
	}
	return len(s)
}

// prefixLike returns the number of bytes at the start of s that the piece matches, or -1 if it
// does not match.
func prefixLike(piece []wild, s string) int {
	at := 0
	for _, w := range piece {
		n := len(w)
		if w == "" {
			_, n = utf8.DecodeRuneInString(s[at:])
		}
		if n == 0 || !strings.HasPrefix(s[at:], string(w)) {
			return -1
		}
		at += n
	}
	return at
}

// suffixLike is prefixLike for the end of s.
func suffixLike(piece []wild, s string) int {
	end := len(s)
	for i := len(piece) - 1; i >= 0; i-- {
		w := piece[i]
		n := len(w)
		if w == "" {
			_, n = utf8.DecodeLastRuneInString(s[:end])
		}
		if n == 0 || !strings.HasSuffix(s[:end], string(w)) {
			return -1
		}
		end -= n
	}
	return len(s) - end
}
