package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

func registerCharacters() {
	kernel.Register(
		kernel.Def{Name: expr.FuncLength, Bind: kernel.Fn(kernel.Unary(func(s string) int64 { return int64(len(s)) })), Total: kernel.Always},
		kernel.Def{Name: "bit_length", Bind: kernel.Fn(kernel.Unary(func(s string) int64 { return int64(len(s)) * 8 })), Total: kernel.Always},
		kernel.Def{Name: expr.FuncCharLength, Bind: bindCharLength, Total: kernel.Always},
		kernel.Def{Name: expr.FuncASCII, Bind: kernel.Fn(kernel.Unary(ascii)), Total: kernel.Always},
		kernel.Def{Name: "ord", Bind: kernel.Fn(kernel.Unary(ord)), Total: kernel.Always},
		kernel.Def{Name: expr.FuncStrcmp, Bind: kernel.Fn(kernel.Binary(func(a, b string) int64 { return int64(strings.Compare(a, b)) })), Total: kernel.Always},
		kernel.Def{Name: expr.FuncUpper, Bind: bindCase(unicode.ToUpper, 'a'), Total: kernel.Always},
		kernel.Def{Name: expr.FuncLower, Bind: bindCase(unicode.ToLower, 'A'), Total: kernel.Always},
		kernel.Def{Name: "reverse", Bind: bindReverse, Total: kernel.Always},
		kernel.Def{Name: expr.FuncConcat, Bind: kernel.Fn(concat), Total: kernel.Always},
		kernel.Def{Name: "concat_ws", Bind: kernel.Fn(concatWS), Total: kernel.Always},
		kernel.Def{Name: "replace", Bind: kernel.Fn(replaceAll)},
		kernel.Def{Name: "elt", Bind: kernel.Fn(elt), Total: kernel.Always},
	)
}

func bindCharLength(c *expr.Call) (kernel.Kernel, error) {
	unit := kernel.CharsOf(c, 0)
	return kernel.Unary(func(s string) int64 { return int64(unit.Count(s)) }), nil
}

func ascii(s string) int64 {
	if s == "" {
		return 0
	}
	return int64(s[0])
}

// ord returns the first character's code: the bytes of its encoding as a number, most significant
// byte first.
func ord(s string) int64 {
	_, n := utf8.DecodeRuneInString(s)
	code := int64(0)
	for i := 0; i < n; i++ {
		code = code<<8 | int64(s[i])
	}
	return code
}

// bindCase binds UPPER and LOWER. from is the first ASCII letter that changes.
func bindCase(to func(rune) rune, from byte) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		if kernel.CharsOf(c, 0) == kernel.Octets {
			return kernel.Unary(kernel.Same[string]), nil
		}
		return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
			return inCase(rt, args[0], out, to, from)
		}, nil
	}
}

func bindReverse(c *expr.Call) (kernel.Kernel, error) {
	unit := kernel.CharsOf(c, 0)
	return kernel.TryUnary(func(rt *kernel.Runtime, s string) (string, bool, error) {
		b, _, err := rt.Allot(min(len(s), kernel.MaxText))
		if err != nil {
			return "", false, err
		}
		if unit == kernel.Octets || kernel.IsASCII(s) {
			return rt.Keep(kernel.AppendReversed(b, s)), true, nil
		}
		for end := len(s); end > 0; {
			_, n := utf8.DecodeLastRuneInString(s[:end])
			b = append(b, s[end-n:end]...)
			end -= n
		}
		return rt.Keep(b), true, nil
	}), nil
}

func replaceAll(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	for i := range out.Str {
		if rt.IsNull(out, i) {
			continue
		}
		s, old, to := args[0].Str[i&kernel.Mask(args[0])], args[1].Str[i&kernel.Mask(args[1])], args[2].Str[i&kernel.Mask(args[2])]
		at := -1
		if old != "" {
			at = strings.Index(s, old)
		}
		if at < 0 {
			out.Str[i] = s
			continue
		}
		if longest := len(s) + len(s)/len(old)*len(to); longest >= kernel.LongText {
			if err := replaceLong(rt, out, i, s, old, to); err != nil {
				return err
			}
			continue
		}
		b := rt.Buf[:0]
		for ; at >= 0; at = strings.Index(s, old) {
			b = append(append(b, s[:at]...), to...)
			s = s[at+len(old):]
		}
		if err := rt.Put(out, i, append(b, s...)); err != nil {
			return err
		}
	}
	return nil
}

// replaceLong replaces old in a text whose result may be long: it computes the length first.
func replaceLong(rt *kernel.Runtime, out *vec.Vector, i int, s, old, to string) error {
	b, long, err := rt.Allot(len(s) + strings.Count(s, old)*(len(to)-len(old)))
	if err != nil {
		return err
	}
	if long {
		out.SetNull(i)
		return nil
	}
	for at := strings.Index(s, old); at >= 0; at = strings.Index(s, old) {
		b = append(append(b, s[:at]...), to...)
		s = s[at+len(old):]
	}
	out.Str[i] = rt.Keep(append(b, s...))
	return nil
}

// elt returns the string whose number is the first argument, or NULL if there is none.
func elt(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	for i := range out.Str {
		n := args[0].I64[i&kernel.Mask(args[0])]
		if kernel.NullAt(args[0], i) || n < 1 || n >= int64(len(args)) || kernel.NullAt(args[n], i) {
			out.SetNull(i)
			continue
		}
		out.Str[i] = args[n].Str[i&kernel.Mask(args[n])]
	}
	return nil
}
