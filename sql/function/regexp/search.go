package regexp

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"gsql/sql/backtrack"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

func registerSearch() {
	kernel.Register(
		kernel.Def{Name: expr.FuncRegexpLike, Bind: bindRegexpLike},
		kernel.Def{Name: expr.FuncRegexpInstr, Bind: bindRegexpInstr},
		kernel.Def{Name: expr.FuncRegexpSubstr, Bind: bindRegexpSubstr},
		kernel.Def{Name: expr.FuncRegexpReplace, Bind: bindRegexpReplace},
	)
}

// matcher compiles the pattern in argument 1 of a call with the match type in argument mode, if
// there is one.
func matcher(c *expr.Call, mode int) func(rt *kernel.Runtime, args []*vec.Vector, i int) (*regexp.Regexp, error) {
	if mode >= len(c.Args) {
		compiled := Pattern(c.Args[1])
		return func(rt *kernel.Runtime, args []*vec.Vector, i int) (*regexp.Regexp, error) {
			return compiled(rt, args[1].Str[i&kernel.Mask(args[1])])
		}
	}
	compiled := Pattern(nil)
	return func(rt *kernel.Runtime, args []*vec.Vector, i int) (*regexp.Regexp, error) {
		flags, err := matchFlags(rt, args[mode].Str[i&kernel.Mask(args[mode])])
		if err != nil {
			return nil, err
		}
		return compiled(rt, flags+args[1].Str[i&kernel.Mask(args[1])])
	}
}

// quickly returns a matcher for the pattern in a call's argument if that is a constant of the form
// that the matcher takes, or else nil.
func quickly(pattern expr.Expr) *backtrack.Matcher {
	c, ok := pattern.(*expr.Const)
	if !ok || c.Value.Null || len(c.Value.Str) > shortPattern {
		return nil
	}
	return backtrack.Compile(c.Value.Str)
}

// matchFlags converts a match type to the flags of a pattern: c and i for case, m for lines, n for
// dots that match line ends. Later letters win.
func matchFlags(rt *kernel.Runtime, mode string) (string, error) {
	var fold, lines, dots bool
	for _, m := range mode {
		switch m {
		case 'c', 'i':
			fold = m == 'i'
		case 'm':
			lines = true
		case 'n':
			dots = true
		case 'u': // only \n ends a line, as always in Go
		default:
			return "", rt.Fail(sqlerr.WrongArguments, "Incorrect arguments to %s", rt.Call.Fn)
		}
	}
	flags := ""
	for _, f := range []struct {
		on   bool
		name string
	}{{fold, "i"}, {lines, "m"}, {dots, "s"}} {
		if f.on {
			flags += f.name
		}
	}
	if flags == "" {
		return "", nil
	}
	return "(?" + flags + ")", nil
}

// search is the search of one row: the subject from the start position on, and the number of the
// wanted match.
type search struct {
	re         *regexp.Regexp
	quick      *backtrack.Matcher // finds the same matches; nil if it cannot
	state      *backtrack.State
	behind     *regexp.Regexp // re preceded by any character; nil until it is needed
	shifted    func(rt *kernel.Runtime, pattern string) (*regexp.Regexp, error)
	subject    string
	start      int   // byte at which the search begins
	occurrence int64 // from 1
}

// eachSearch calls f for every row without NULLs. Argument at is the start position and the next
// one the occurrence, if the call has them. lowest is the smallest occurrence.
func eachSearch(c *expr.Call, at, mode int, lowest int64, f func(rt *kernel.Runtime, i int, s search, args []*vec.Vector, out *vec.Vector) error) kernel.Kernel {
	compiled, behind, unit := matcher(c, mode), Pattern(nil), kernel.CharsOf(c, 0)
	var quick *backtrack.Matcher
	if mode >= len(c.Args) {
		quick = quickly(c.Args[1])
	}
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		var state backtrack.State
		for i := range out.N {
			if rt.IsNull(out, i) {
				continue
			}
			re, err := compiled(rt, args, i)
			if err != nil {
				return err
			}
			s := search{re: re, quick: quick, state: &state, shifted: behind, subject: args[0].Str[i&kernel.Mask(args[0])], occurrence: lowest}
			if at < len(args) {
				pos := args[at].I64[i&kernel.Mask(args[at])]
				if pos < 1 || pos > int64(unit.Count(s.subject))+1 {
					return rt.Fail(sqlerr.RegexpIndexOutOfBounds, "Index out of bounds in regular expression search.")
				}
				s.start = unit.Offset(s.subject, int(pos-1))
			}
			if at+1 < len(args) {
				s.occurrence = max(args[at+1].I64[i&kernel.Mask(args[at+1])], lowest)
			}
			if err := f(rt, i, s, args, out); err != nil {
				return err
			}
		}
		return nil
	}
}

// longSubject is the length from which matches are searched for one at a time: all matches of a
// long subject together take many times its memory.
const longSubject = 64 << 10

// each calls f for every match from the start on, until f returns false or an error. f receives the
// number of the match and its submatch indexes, in bytes of the subject.
func (s *search) each(rt *kernel.Runtime, f func(n int64, m []int) (bool, error)) error {
	if s.start == 0 && len(s.subject) < longSubject && s.quick == nil {
		for n, m := range s.re.FindAllStringSubmatchIndex(s.subject, -1) {
			if more, err := f(int64(n+1), m); !more || err != nil {
				return err
			}
		}
		return nil
	}
	last := -1 // end of the previous match: an empty match must not follow it directly
	for n, pos := int64(1), s.start; pos <= len(s.subject); {
		if n%kernel.CheckRows == 0 {
			if err := rt.Cancelled(); err != nil {
				return err
			}
		}
		m, err := s.at(rt, pos)
		if m == nil || err != nil {
			return err
		}
		if pos = m[1]; m[0] == m[1] {
			_, k := utf8.DecodeRuneInString(s.subject[pos:])
			pos += max(k, 1)
			if m[0] == last {
				continue
			}
		}
		if more, err := f(n, m); !more || err != nil {
			return err
		}
		last = m[1]
		n++
	}
	return nil
}

// at finds the first match at pos or later.
func (s *search) at(rt *kernel.Runtime, pos int) ([]int, error) {
	if s.quick != nil && len(s.subject) < hugeSubject {
		if m, ok := s.quick.Find(s.subject, pos, s.state); ok {
			return m, nil
		}
	}
	if pos == 0 {
		return first(rt, s.re, s.subject)
	}
	if s.behind == nil {
		var err error
		if s.behind, err = s.shifted(rt, "(?s:.)(?:"+s.re.String()+")"); err != nil {
			return nil, err
		}
	}
	return s.after(rt, pos)
}

// after finds the first match at pos > 0 or later. Go cannot search from a position, and ^ and \b
// depend on the preceding character. after therefore searches from that character with the pattern
// behind, which matches any character before re.
func (s *search) after(rt *kernel.Runtime, pos int) ([]int, error) {
	_, k := utf8.DecodeLastRuneInString(s.subject[:pos])
	base := pos - k
	m, err := first(rt, s.behind, s.subject[base:])
	if m == nil || err != nil {
		return nil, err
	}
	for i := range m {
		if m[i] >= 0 {
			m[i] += base
		}
	}
	_, k = utf8.DecodeRuneInString(s.subject[m[0]:])
	m[0] += k
	return m, nil
}

// find returns the bounds of the wanted match.
func (s *search) find(rt *kernel.Runtime) (from, to int, ok bool, err error) {
	err = s.each(rt, func(n int64, m []int) (bool, error) {
		from, to, ok = m[0], m[1], n == s.occurrence
		return !ok, nil
	})
	return from, to, ok, err
}

func bindRegexpLike(c *expr.Call) (kernel.Kernel, error) {
	return eachSearch(c, len(c.Args), 2, 1, func(rt *kernel.Runtime, i int, s search, _ []*vec.Vector, out *vec.Vector) error {
		found, err := matches(rt, s.re, s.subject)
		out.I64[i] = kernel.Bit(found)
		return err
	}), nil
}

func bindRegexpSubstr(c *expr.Call) (kernel.Kernel, error) {
	return eachSearch(c, 2, 4, 1, func(rt *kernel.Runtime, i int, s search, _ []*vec.Vector, out *vec.Vector) error {
		from, to, ok, err := s.find(rt)
		if out.Str[i] = s.subject[from:to]; !ok {
			out.Str[i] = ""
			out.SetNull(i)
		}
		return err
	}), nil
}

// bindRegexpInstr binds REGEXP_INSTR(s, pattern, pos, occurrence, option, mode). Option 1 requests
// the position after the match.
func bindRegexpInstr(c *expr.Call) (kernel.Kernel, error) {
	unit := kernel.CharsOf(c, 0)
	return eachSearch(c, 2, 5, 1, func(rt *kernel.Runtime, i int, s search, args []*vec.Vector, out *vec.Vector) error {
		from, to, ok, err := s.find(rt)
		if len(args) > 4 && args[4].I64[i&kernel.Mask(args[4])] == 1 {
			from = to
		}
		if out.I64[i] = 0; ok {
			out.I64[i] = int64(unit.Count(s.subject[:from])) + 1
		}
		return err
	}), nil
}

// bindRegexpReplace binds REGEXP_REPLACE(s, pattern, with, pos, occurrence, mode). Occurrence 0
// replaces all matches.
func bindRegexpReplace(c *expr.Call) (kernel.Kernel, error) {
	return eachSearch(c, 3, 5, 0, func(rt *kernel.Runtime, i int, s search, args []*vec.Vector, out *vec.Vector) error {
		with := args[2].Str[i&kernel.Mask(args[2])]
		b, done := rt.Buf[:0], 0
		err := s.each(rt, func(n int64, m []int) (more bool, err error) {
			if s.occurrence != 0 && n != s.occurrence {
				return true, nil
			}
			size := m[0] - done
			eachReplacement(with, s.subject, m, func(part string) { size = min(size+len(part), kernel.MaxText+1) })
			if b, err = rt.Extend(b, min(size, kernel.MaxText+1-len(b))); err != nil {
				return false, err
			}
			if len(b)+size > kernel.MaxText {
				b = b[:kernel.MaxText+1] // whatever it contains, it is too long
				return false, nil
			}
			b = append(b, s.subject[done:m[0]]...)
			eachReplacement(with, s.subject, m, func(part string) { b = append(b, part...) })
			done = m[1]
			return s.occurrence == 0, nil
		})
		if err == nil {
			b, err = rt.Extend(b, len(s.subject)-done)
		}
		if err != nil {
			return err
		}
		return rt.Put(out, i, append(b, s.subject[done:]...))
	}), nil
}

// eachReplacement calls f with the parts of a replacement, in which $1 refers to a group and \
// escapes the next character.
func eachReplacement(with, subject string, m []int, f func(part string)) {
	for with != "" {
		at := strings.IndexAny(with, `$\`)
		if at < 0 || at+1 == len(with) {
			f(with)
			return
		}
		f(with[:at])
		next := with[at+1:]
		group := int(next[0] - '0')
		switch {
		case with[at] == '\\':
			_, n := utf8.DecodeRuneInString(next)
			f(next[:n])
			with = next[n:]
		case group <= 9 && group*2 < len(m):
			if m[group*2] >= 0 {
				f(subject[m[group*2]:m[group*2+1]])
			}
			with = next[1:]
		default:
			f("$")
			with = next
		}
	}
}
