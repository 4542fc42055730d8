package text

import (
	"strings"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

func registerSubstring() {
	kernel.Register(
		kernel.Def{Name: expr.FuncSubstring, Bind: bindSubstring, Total: kernel.Always},
		kernel.Def{Name: expr.FuncLeft, Bind: bindLeft, Total: kernel.Always},
		kernel.Def{Name: expr.FuncRight, Bind: bindRight, Total: kernel.Always},
		kernel.Def{Name: "substring_index", Bind: kernel.Fn(kernel.Ternary(substringIndex)), Total: kernel.Always},
		kernel.Def{Name: expr.FuncTrim, Bind: bindTrim(true, true), Total: kernel.Always},
		kernel.Def{Name: expr.FuncLTrim, Bind: bindTrim(true, false), Total: kernel.Always},
		kernel.Def{Name: expr.FuncRTrim, Bind: bindTrim(false, true), Total: kernel.Always},
		kernel.Def{Name: expr.FuncTrimLeading, Bind: bindTrim(true, false), Total: kernel.Always},
		kernel.Def{Name: expr.FuncTrimTrailing, Bind: bindTrim(false, true), Total: kernel.Always},
		kernel.Def{Name: "lpad", Bind: bindPad(true)},
		kernel.Def{Name: "rpad", Bind: bindPad(false)},
		kernel.Def{Name: "repeat", Bind: kernel.Fn(kernel.TryBinary(repeat))},
		kernel.Def{Name: "space", Bind: kernel.Fn(kernel.TryUnary(func(rt *kernel.Runtime, n int64) (string, bool, error) { return repeat(rt, " ", n) }))},
		kernel.Def{Name: expr.FuncInsert, Bind: bindInsert},
	)
}

func bindSubstring(c *expr.Call) (kernel.Kernel, error) {
	unit := kernel.CharsOf(c, 0)
	if len(c.Args) == 2 {
		return kernel.Binary(func(s string, from int64) string { return unit.From(s, from) }), nil
	}
	return kernel.Ternary(func(s string, from, n int64) string { return unit.Left(unit.From(s, from), n) }), nil
}

func bindLeft(c *expr.Call) (kernel.Kernel, error) {
	return kernel.Binary(kernel.CharsOf(c, 0).Left), nil
}
func bindRight(c *expr.Call) (kernel.Kernel, error) {
	return kernel.Binary(kernel.CharsOf(c, 0).Right), nil
}

// substringIndex returns the text before the count-th delimiter or, if count is negative, after the
// delimiter counted from the end. As in MySQL, delimiters are always searched for from the left,
// which matters if they overlap.
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

func bindTrim(leading, trailing bool) func(*expr.Call) (kernel.Kernel, error) {
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
	return func(c *expr.Call) (kernel.Kernel, error) {
		if len(c.Args) == 2 {
			return kernel.Binary(cut), nil
		}
		return kernel.Unary(func(s string) string { return cut(s, " ") }), nil
	}
}

// bindPad binds LPAD and RPAD.
func bindPad(left bool) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		unit := kernel.CharsOf(c, 0)
		return kernel.TryTernary(func(rt *kernel.Runtime, s string, n int64, pad string) (string, bool, error) {
			have := int64(unit.Count(s))
			switch {
			case n < 0:
				return "", false, nil
			case n <= have:
				return unit.Left(s, n), true, nil
			case pad == "":
				return "", true, nil
			}
			missing, size := int(min(n-have, kernel.MaxText+1)), unit.Count(pad)
			b, long, err := rt.Allot(len(s) + missing/size*len(pad) + unit.Offset(pad, missing%size))
			if long || err != nil {
				return "", false, err
			}
			if !left {
				b = append(b, s...)
			}
			b = unit.Fill(b, pad, missing)
			if left {
				b = append(b, s...)
			}
			return rt.Keep(b), true, nil
		}), nil
	}
}

func repeat(rt *kernel.Runtime, s string, n int64) (string, bool, error) {
	if n <= 0 || s == "" {
		return "", true, nil
	}
	b, long, err := rt.Allot(len(s) * int(min(n, kernel.MaxText+1)))
	if long || err != nil {
		return "", false, err
	}
	for ; n > 0; n-- {
		b = append(b, s...)
	}
	return rt.Keep(b), true, nil
}

// bindInsert binds INSERT(s, pos, n, new), which replaces the n characters from pos on.
func bindInsert(c *expr.Call) (kernel.Kernel, error) {
	unit := kernel.CharsOf(c, 0)
	return insertKernel(func(rt *kernel.Runtime, s string, pos, n int64, with string) (string, bool, error) {
		if pos < 1 || pos > int64(unit.Count(s)) {
			return s, true, nil
		}
		start := unit.Offset(s, int(pos-1))
		end := len(s)
		if n >= 0 && n < int64(len(s)-start) {
			end = start + unit.Offset(s[start:], int(n))
		}
		b, long, err := rt.Allot(start + len(with) + len(s) - end)
		if long || err != nil {
			return "", false, err
		}
		return rt.Keep(append(append(append(b, s[:start]...), with...), s[end:]...)), true, nil
	}), nil
}

func insertKernel(f func(rt *kernel.Runtime, s string, pos, n int64, with string) (text string, ok bool, err error)) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		s, pos, n, with := args[0], args[1], args[2], args[3]
		for i := range out.Str {
			if rt.IsNull(out, i) {
				continue
			}
			text, ok, err := f(rt, s.Str[i&kernel.Mask(s)], pos.I64[i&kernel.Mask(pos)], n.I64[i&kernel.Mask(n)], with.Str[i&kernel.Mask(with)])
			if err != nil {
				return err
			}
			if out.Str[i] = text; !ok {
				out.SetNull(i)
			}
		}
		return nil
	}
}
