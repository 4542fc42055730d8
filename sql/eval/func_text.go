package eval

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() {
	Register(
		Def{Name: expr.FuncLength, Bind: Fn(Unary(func(s string) int64 { return int64(len(s)) })), Total: Always},
		Def{Name: "bit_length", Bind: Fn(Unary(func(s string) int64 { return int64(len(s)) * 8 })), Total: Always},
		Def{Name: expr.FuncCharLength, Bind: bindCharLength, Total: Always},
		Def{Name: expr.FuncASCII, Bind: Fn(Unary(ascii)), Total: Always},
		Def{Name: "ord", Bind: Fn(Unary(ord)), Total: Always},
		Def{Name: expr.FuncStrcmp, Bind: Fn(Binary(func(a, b string) int64 { return int64(strings.Compare(a, b)) })), Total: Always},
		Def{Name: expr.FuncUpper, Bind: bindCase(unicode.ToUpper, 'a'), Total: Always},
		Def{Name: expr.FuncLower, Bind: bindCase(unicode.ToLower, 'A'), Total: Always},
		Def{Name: "reverse", Bind: bindReverse, Total: Always},
		Def{Name: expr.FuncConcat, Bind: Fn(concat), Total: Always},
		Def{Name: "concat_ws", Bind: Fn(concatWS), Total: Always},
		Def{Name: "replace", Bind: Fn(replaceAll)},
		Def{Name: "elt", Bind: Fn(elt), Total: Always},
	)
}

// chars is how a string's characters are counted: as runes of text, or as bytes.
type chars bool

const (
	runes  chars = false
	octets chars = true
)

// charsOf tells what argument i of a call is made of.
func charsOf(c *expr.Call, i int) chars { return chars(c.Args[i].Type().ID == types.Bytes) }

// count gives the number of characters.
func (c chars) count(s string) int {
	if c == octets || isASCII(s) {
		return len(s)
	}
	return utf8.RuneCountInString(s)
}

// offset gives the byte at which character n begins, len(s) when there are no more
// than n.
func (c chars) offset(s string, n int) int {
	if c == octets || n >= len(s) {
		return min(n, len(s))
	}
	i := 0
	for ; n > 0 && i < len(s); n-- {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, k := utf8.DecodeRuneInString(s[i:])
		i += k
	}
	return i
}

func bindCharLength(c *expr.Call) (Kernel, error) {
	unit := charsOf(c, 0)
	return Unary(func(s string) int64 { return int64(unit.count(s)) }), nil
}

func ascii(s string) int64 {
	if s == "" {
		return 0
	}
	return int64(s[0])
}

// ord gives the first character's code: the bytes of its encoding, the first one most
// significant.
func ord(s string) int64 {
	_, n := utf8.DecodeRuneInString(s)
	code := int64(0)
	for i := 0; i < n; i++ {
		code = code<<8 | int64(s[i])
	}
	return code
}

// bindCase serves UPPER and LOWER; from is the first ASCII letter that changes.
func bindCase(to func(rune) rune, from byte) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		if charsOf(c, 0) == octets {
			return Unary(same[string]), nil
		}
		return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
			inCase(rt, args[0], out, to, from)
			return nil
		}, nil
	}
}

func bindReverse(c *expr.Call) (Kernel, error) {
	unit := charsOf(c, 0)
	return TryUnary(func(rt *Runtime, s string) (string, bool, error) {
		b := rt.room(len(s))
		if unit == octets || isASCII(s) {
			return rt.keep(appendReversed(b, s)), true, nil
		}
		for end := len(s); end > 0; {
			_, n := utf8.DecodeLastRuneInString(s[:end])
			b = append(b, s[end-n:end]...)
			end -= n
		}
		return rt.keep(b), true, nil
	}), nil
}

// isNull tells whether the result of row i is known to be NULL.
func (rt *Runtime) isNull(out *vec.Vector, i int) bool { return out.Null != nil && out.Null[i] }

// nullAt tells whether row i of an argument is NULL.
func nullAt(a *vec.Vector, i int) bool { return a.Null != nil && a.Null[i&mask(a)] }

func replaceAll(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
	for i := range out.Str {
		if rt.isNull(out, i) {
			continue
		}
		s, old, to := args[0].Str[i&mask(args[0])], args[1].Str[i&mask(args[1])], args[2].Str[i&mask(args[2])]
		at := -1
		if old != "" {
			at = strings.Index(s, old)
		}
		if at < 0 {
			out.Str[i] = s
			continue
		}
		b := rt.Buf[:0]
		for ; at >= 0; at = strings.Index(s, old) {
			b = append(append(b, s[:at]...), to...)
			s = s[at+len(old):]
			if len(b) > maxText {
				break
			}
		}
		b = append(b, s...)
		if err := rt.put(out, i, b); err != nil {
			return err
		}
	}
	return nil
}

// put makes b, which was built in rt.Buf, the result of row i, or NULL when it is longer
// than results may be.
func (rt *Runtime) put(out *vec.Vector, i int, b []byte) error {
	rt.Buf = b
	long, err := rt.tooLong(len(b))
	if long {
		out.SetNull(i)
	} else if err == nil {
		out.Str[i] = rt.Text(b)
	}
	return err
}

// elt gives the string of the number in the first argument, NULL where there is none.
func elt(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
	for i := range out.Str {
		n := args[0].I64[i&mask(args[0])]
		if nullAt(args[0], i) || n < 1 || n >= int64(len(args)) || nullAt(args[n], i) {
			out.SetNull(i)
			continue
		}
		out.Str[i] = args[n].Str[i&mask(args[n])]
	}
	return nil
}
