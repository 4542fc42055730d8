package eval

import (
	"strings"
	"unicode/utf8"

	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

func init() { Register(Def{Name: "like", Bind: bindLike, Total: likeTotal}) }

func likeTotal(c *expr.Call) bool {
	_, ok := c.Args[1].(*expr.Const)
	return ok && len(c.Args) == 2
}

// bindLike compiles a constant pattern once; others are compiled row by row, the last
// one being remembered.
func bindLike(c *expr.Call) (Kernel, error) {
	pattern, ok := c.Args[1].(*expr.Const)
	if ok && len(c.Args) == 2 && !pattern.Value.Null {
		match := compileLike(pattern.Value.Str, '\\')
		return Binary(func(s, _ string) int64 { return b2i(match(s)) }), nil
	}
	if len(c.Args) == 2 {
		return Binary(func(s, p string) int64 { return b2i(compileLike(p, '\\')(s)) }), nil
	}
	return TryTernary(func(rt *Runtime, s, p, esc string) (int64, bool, error) {
		e, n := utf8.DecodeRuneInString(esc)
		if n != len(esc) {
			return 0, false, rt.Fail(sqlerr.WrongArguments, "Incorrect arguments to ESCAPE")
		}
		if n == 0 {
			e = -1
		}
		return b2i(compileLike(p, e)(s)), true, nil
	}), nil
}

// wild is one element of a LIKE pattern: a literal, or one of the wildcards.
type wild struct {
	literal string
	one     bool // _
	many    bool // %
}

// compileLike makes the matcher of a pattern. Patterns of one literal with % at
// either end become string searches. An escape of -1 is none.
func compileLike(pattern string, escape rune) func(string) bool {
	p := parseLike(pattern, escape)
	switch {
	case len(p) == 0:
		return func(s string) bool { return s == "" }
	case len(p) == 1 && p[0].many:
		return func(string) bool { return true }
	case len(p) == 1 && !p[0].one:
		return func(s string) bool { return s == p[0].literal }
	case len(p) == 2 && p[1].many && p[0].literal != "":
		return func(s string) bool { return strings.HasPrefix(s, p[0].literal) }
	case len(p) == 2 && p[0].many && p[1].literal != "":
		return func(s string) bool { return strings.HasSuffix(s, p[1].literal) }
	case len(p) == 3 && p[0].many && p[2].many && p[1].literal != "":
		return func(s string) bool { return strings.Contains(s, p[1].literal) }
	}
	return func(s string) bool { return matchLike(p, s) }
}

func parseLike(pattern string, escape rune) []wild {
	var out []wild
	var lit []byte
	flush := func() {
		if len(lit) > 0 {
			out = append(out, wild{literal: string(lit)})
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
			if len(out) == 0 || !out[len(out)-1].many {
				out = append(out, wild{many: true})
			}
		case r == '_':
			flush()
			out = append(out, wild{one: true})
		default:
			lit = append(lit, pattern[i:i+n]...)
		}
		i += n
	}
	flush()
	return out
}

// matchLike matches greedily, going back only to the last %: what an earlier one took
// cannot make a later mismatch good.
func matchLike(p []wild, s string) bool {
	i, j := 0, 0
	backP, backS := -1, 0
	for i < len(s) || j < len(p) {
		if j < len(p) {
			w := &p[j]
			if w.many {
				backP, backS = j, i
				j++
				continue
			}
			if n := w.length(s[i:]); n > 0 {
				i, j = i+n, j+1
				continue
			}
		}
		if backP < 0 || backS >= len(s) {
			return false
		}
		_, n := utf8.DecodeRuneInString(s[backS:])
		backS += n
		i, j = backS, backP+1
	}
	return true
}

// length gives how many bytes at the start of s the element matches, 0 for none.
func (w *wild) length(s string) int {
	if w.one {
		_, n := utf8.DecodeRuneInString(s)
		return n
	}
	if strings.HasPrefix(s, w.literal) {
		return len(w.literal)
	}
	return 0
}
