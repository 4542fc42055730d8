package cast

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// castStr converts to text or bytes as a result set shows the value, truncated to the declared
// length.
func castStr(from, to types.Type, pad bool) kernel.Kernel {
	fit := fitText(to, pad)
	text := func(rt *kernel.Runtime, b []byte) (string, bool, error) { return fit(rt, rt.Keep(b)) }
	switch from.Kind() {
	case types.KindStr:
		if from.ID == types.Bytes && to.ID == types.String {
			return kernel.TryUnary(func(rt *kernel.Runtime, s string) (string, bool, error) {
				s, ok := validUTF8(rt, s, !pad)
				if !ok {
					return "", false, nil
				}
				return fit(rt, s)
			})
		}
		return kernel.TryUnary(func(rt *kernel.Runtime, s string) (string, bool, error) { return fit(rt, s) })
	case types.KindU64:
		return kernel.TryUnary(func(rt *kernel.Runtime, x uint64) (string, bool, error) {
			return text(rt, strconv.AppendUint(rt.Room(NumberRoom), x, 10))
		})
	case types.KindF64:
		bits := from.Bits()
		return kernel.TryUnary(func(rt *kernel.Runtime, x float64) (string, bool, error) {
			return text(rt, types.AppendFloat(rt.Room(NumberRoom), x, bits))
		})
	case types.KindDec:
		scale := int(from.Scale)
		narrow := kernel.TryUnary(func(rt *kernel.Runtime, x int64) (string, bool, error) {
			return text(rt, types.AppendNarrow(rt.Room(NumberRoom), x, scale))
		})
		wide := kernel.TryUnary(func(rt *kernel.Runtime, x decimal128.Num) (string, bool, error) {
			return text(rt, types.AppendDecimal(rt.Room(NumberRoom), x, scale))
		})
		return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
			if args[0].Narrow {
				return narrow(rt, args, out)
			}
			return wide(rt, args, out)
		}
	}
	if to.Len == 0 && from.IsInteger() && from.ID != types.Year {
		return integerTexts
	}
	if s := stampOf(from); s != nil && to.Len == 0 {
		return s.Kernel(from, func(dst []byte, x int64) []byte { return types.AppendI64(dst, from, x) })
	}
	return kernel.TryUnary(func(rt *kernel.Runtime, x int64) (string, bool, error) {
		return text(rt, types.AppendI64(rt.Room(NumberRoom), from, x))
	})
}

// NumberRoom is the number of bytes reserved for the text of a number or a time, so that it need
// not be copied.
const NumberRoom = 48

// integerTexts formats integers.
func integerTexts(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	a := args[0].I64[:len(out.Str)]
	for i, x := range a {
		if out.Null == nil || !out.Null[i] {
			out.Str[i] = rt.Keep(types.AppendInt(rt.Room(NumberRoom), x))
		}
	}
	return nil
}

// validUTF8 converts bytes to text. Invalid values become NULL with warning 1300 or, if prefix is
// set, the text before the first invalid byte.
func validUTF8(rt *kernel.Runtime, s string, prefix bool) (string, bool) {
	if utf8.ValidString(s) {
		return s, true
	}
	end := types.ValidPrefix(s)
	rt.Warn(sqlerr.InvalidCharacterString, "Invalid utf8mb4 character string: '%s'", types.HexText(s[end:]))
	return s[:end], prefix
}

// fitText truncates values to the type's length with warning 1292. If pad is set, bytes are
// padded with zeros, as CAST(x AS BINARY(n)) does and a VARBINARY(n) column does not. The result is
// NULL if it exceeds max_allowed_packet.
func fitText(to types.Type, pad bool) func(rt *kernel.Runtime, s string) (text string, ok bool, err error) {
	n := int(to.Len)
	switch {
	case n == 0:
		return func(_ *kernel.Runtime, s string) (string, bool, error) { return s, true, nil }
	case to.ID == types.Bytes:
		name := fmt.Sprintf("BINARY(%d)", n)
		return func(rt *kernel.Runtime, s string) (string, bool, error) {
			if len(s) > n {
				rt.Truncated(name, s)
				return s[:n], true, nil
			}
			if !pad || len(s) == n {
				return s, true, nil
			}
			b, long, err := rt.Allot(n)
			if long || err != nil {
				return "", false, err
			}
			b = append(b, s...)[:n]
			clear(b[len(s):])
			return rt.Keep(b), true, nil
		}
	}
	name := fmt.Sprintf("CHAR(%d)", n)
	return func(rt *kernel.Runtime, s string) (string, bool, error) {
		if len(s) <= n || utf8.RuneCountInString(s) <= n {
			return s, true, nil
		}
		rt.Truncated(name, s)
		end := 0
		for i := 0; i < n; i++ {
			_, k := utf8.DecodeRuneInString(s[end:])
			end += k
		}
		return s[:end], true, nil
	}
}
