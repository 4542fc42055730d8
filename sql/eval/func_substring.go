package eval

import (
	"strings"

	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// maxText is the longest string that a function makes: max_allowed_packet. maxMade
// bounds all the strings that a call makes for a batch; the memory account is charged for
// chargeStep bytes of them at a time.
const (
	maxText    = 64 << 20
	maxMade    = 1 << 30
	chargeStep = 1 << 20
)

func init() {
	Register(
		Def{Name: expr.FuncSubstring, Bind: bindSubstring, Total: Always},
		Def{Name: expr.FuncLeft, Bind: bindLeft, Total: Always},
		Def{Name: expr.FuncRight, Bind: bindRight, Total: Always},
		Def{Name: "substring_index", Bind: Fn(Ternary(substringIndex)), Total: Always},
		Def{Name: expr.FuncTrim, Bind: bindTrim(true, true), Total: Always},
		Def{Name: expr.FuncLTrim, Bind: bindTrim(true, false), Total: Always},
		Def{Name: expr.FuncRTrim, Bind: bindTrim(false, true), Total: Always},
		Def{Name: expr.FuncTrimLeading, Bind: bindTrim(true, false), Total: Always},
		Def{Name: expr.FuncTrimTrailing, Bind: bindTrim(false, true), Total: Always},
		Def{Name: "lpad", Bind: bindPad(true)},
		Def{Name: "rpad", Bind: bindPad(false)},
		Def{Name: "repeat", Bind: Fn(TryBinary(repeat))},
		Def{Name: "space", Bind: Fn(TryUnary(func(rt *Runtime, n int64) (string, bool, error) { return repeat(rt, " ", n) }))},
		Def{Name: expr.FuncInsert, Bind: bindInsert},
	)
}

// tooLong warns with 1301 when a result of n bytes would exceed max_allowed_packet; it is
// NULL then. The error is 1037 when the results of the batch together get too large or find
// no memory, or that of a statement that was cancelled.
func (rt *Runtime) tooLong(n int) (bool, error) {
	if n > maxText {
		rt.Warn(sqlerr.AllowedPacketOverflowed, "Result of %s() was larger than max_allowed_packet (%d) - truncated", rt.Call.Fn, maxText)
		return true, nil
	}
	before := rt.made
	if rt.made += n; before/pieceBytes != rt.made/pieceBytes {
		if err := rt.cancelled(); err != nil {
			return false, err
		}
	}
	if rt.made > maxMade {
		return false, sqlerr.New(sqlerr.OutOfMemory, "Out of memory; the results of %s() for %d rows need more than %d bytes", rt.Call.Fn, rt.N, maxMade)
	}
	return false, rt.charge(int64(n))
}

// charge takes memory for a text of n bytes until release.
func (rt *Runtime) charge(n int64) error {
	rt.texts += n
	more := rt.texts - rt.charged
	if rt.Mem == nil || more < chargeStep {
		return nil
	}
	if err := rt.Mem.ReserveFor(strings.ToUpper(string(rt.Call.Fn))+"()", more); err != nil {
		return sqlerr.From(err).At(rt.Call.Pos)
	}
	rt.charged = rt.texts
	return nil
}

// settle charges what the last kernel made without having been asked for, and lets go of a large
// buffer: each call of each worker has one.
func (rt *Runtime) settle() error {
	if cap(rt.Buf) > chargeStep {
		rt.Buf = nil
	}
	if more := rt.stored - rt.texts; more >= chargeStep {
		return rt.charge(more)
	}
	return nil
}

// release gives back the memory of texts that nobody reads any more.
func (rt *Runtime) release() {
	if rt.charged > 0 {
		rt.Mem.Release(rt.charged)
	}
	rt.texts, rt.charged, rt.stored = 0, 0, 0
}

func bindSubstring(c *expr.Call) (Kernel, error) {
	unit := charsOf(c, 0)
	if len(c.Args) == 2 {
		return Binary(func(s string, from int64) string { return unit.from(s, from) }), nil
	}
	return Ternary(func(s string, from, n int64) string { return unit.left(unit.from(s, from), n) }), nil
}

// from gives s from character pos on, counted from 1, or from the end when negative.
func (c chars) from(s string, pos int64) string {
	switch {
	case pos == 0 || pos > int64(len(s)) || pos < -int64(len(s)):
		return ""
	case pos > 0:
		return s[c.offset(s, int(pos-1)):]
	}
	skip := c.count(s) + int(pos)
	if skip < 0 {
		return ""
	}
	return s[c.offset(s, skip):]
}

func (c chars) left(s string, n int64) string {
	switch {
	case n <= 0:
		return ""
	case n >= int64(len(s)):
		return s
	}
	return s[:c.offset(s, int(n))]
}

func (c chars) right(s string, n int64) string {
	switch {
	case n <= 0:
		return ""
	case n >= int64(len(s)):
		return s
	}
	return s[c.offset(s, max(c.count(s)-int(n), 0)):]
}

func bindLeft(c *expr.Call) (Kernel, error)  { return Binary(charsOf(c, 0).left), nil }
func bindRight(c *expr.Call) (Kernel, error) { return Binary(charsOf(c, 0).right), nil }

// substringIndex gives what is before the count-th delimiter, or, when count is
// negative, what follows the delimiter counted from the end. Either way delimiters are
// looked for from the left, as in MySQL, which matters where they may overlap.
func substringIndex(s, delim string, count int64) string {
	if delim == "" || count == 0 {
		return ""
	}
	number := count
	if count < 0 {
		if number += int64(strings.Count(s, delim)) + 1; number <= 0 {
			return s
		}
	}
	for end := 0; ; number-- {
		at := strings.Index(s[end:], delim)
		switch {
		case at < 0:
			return s
		case number > 1:
			end += at + len(delim)
		case count < 0:
			return s[end+at+len(delim):]
		default:
			return s[:end+at]
		}
	}
}

func bindTrim(leading, trailing bool) func(*expr.Call) (Kernel, error) {
	cut := func(s, remove string) string {
		if remove == "" {
			return s
		}
		for leading && strings.HasPrefix(s, remove) {
			s = s[len(remove):]
		}
		for trailing && strings.HasSuffix(s, remove) {
			s = s[:len(s)-len(remove)]
		}
		return s
	}
	return func(c *expr.Call) (Kernel, error) {
		if len(c.Args) == 2 {
			return Binary(cut), nil
		}
		return Unary(func(s string) string { return cut(s, " ") }), nil
	}
}

// bindPad serves LPAD and RPAD.
func bindPad(left bool) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		unit := charsOf(c, 0)
		return TryTernary(func(rt *Runtime, s string, n int64, pad string) (string, bool, error) {
			have := int64(unit.count(s))
			switch {
			case n < 0:
				return "", false, nil
			case n <= have:
				return unit.left(s, n), true, nil
			case pad == "":
				return "", true, nil
			}
			if long, err := rt.tooLong(len(s) + int(min(n-have, maxText*4))/unit.count(pad)*len(pad)); long || err != nil {
				return "", false, err
			}
			b := rt.Buf[:0]
			if !left {
				b = append(b, s...)
			}
			b = unit.fill(b, pad, int(n-have))
			if left {
				b = append(b, s...)
			}
			rt.Buf = b
			return rt.Text(b), true, nil
		}), nil
	}
}

// fill appends n characters of pad, over and over.
func (c chars) fill(b []byte, pad string, n int) []byte {
	size := c.count(pad)
	for ; n >= size; n -= size {
		b = append(b, pad...)
	}
	return append(b, pad[:c.offset(pad, n)]...)
}

func repeat(rt *Runtime, s string, n int64) (string, bool, error) {
	if n <= 0 || s == "" {
		return "", true, nil
	}
	if long, err := rt.tooLong(len(s) * int(min(n, maxText+1))); long || err != nil {
		return "", false, err
	}
	b := rt.Buf[:0]
	for ; n > 0; n-- {
		b = append(b, s...)
	}
	rt.Buf = b
	return rt.Text(b), true, nil
}

// bindInsert serves INSERT(s, pos, n, new): the n characters from pos on replaced.
func bindInsert(c *expr.Call) (Kernel, error) {
	unit := charsOf(c, 0)
	return insertKernel(func(rt *Runtime, s string, pos, n int64, with string) string {
		if pos < 1 || pos > int64(unit.count(s)) {
			return s
		}
		start := unit.offset(s, int(pos-1))
		end := len(s)
		if n >= 0 && n < int64(len(s)-start) {
			end = start + unit.offset(s[start:], int(n))
		}
		rt.Buf = append(append(append(rt.Buf[:0], s[:start]...), with...), s[end:]...)
		return rt.Text(rt.Buf)
	}), nil
}

func insertKernel(f func(rt *Runtime, s string, pos, n int64, with string) string) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		s, pos, n, with := args[0], args[1], args[2], args[3]
		for i := range out.Str {
			if !rt.isNull(out, i) {
				out.Str[i] = f(rt, s.Str[i&mask(s)], pos.I64[i&mask(pos)], n.I64[i&mask(n)], with.Str[i&mask(with)])
			}
		}
		return nil
	}
}
