package eval

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() {
	Register(
		Def{Name: expr.FuncLocate, Bind: bindLocate, Total: Always},
		Def{Name: expr.FuncInstr, Bind: bindInstr, Total: Always},
		Def{Name: expr.FuncFindInSet, Bind: Fn(Binary(findInSet)), Total: Always},
		Def{Name: expr.FuncField, Bind: bindField, Total: Always},
	)
}

// bindLocate serves LOCATE(substring, s[, from]).
func bindLocate(c *expr.Call) (Kernel, error) {
	unit := charsOf(c, 1)
	if len(c.Args) == 2 {
		return Binary(func(sub, s string) int64 { return unit.index(s, sub) }), nil
	}
	return Ternary(func(sub, s string, from int64) int64 {
		if from < 1 || from > int64(unit.count(s))+1 {
			return 0
		}
		if at := unit.index(s[unit.offset(s, int(from-1)):], sub); at > 0 {
			return at + from - 1
		}
		return 0
	}), nil
}

func bindInstr(c *expr.Call) (Kernel, error) { return Binary(charsOf(c, 0).index), nil }

// index gives the position of sub in s, counted from 1, or 0.
func (c chars) index(s, sub string) int64 {
	at := strings.Index(s, sub)
	if at < 0 {
		return 0
	}
	return int64(c.count(s[:at])) + 1
}

// findInSet gives the position of s in a list separated by commas.
func findInSet(s, list string) int64 {
	if list == "" || strings.Contains(s, ",") {
		return 0
	}
	for n := int64(1); ; n++ {
		item, rest, more := strings.Cut(list, ",")
		switch {
		case item == s:
			return n
		case !more:
			return 0
		}
		list = rest
	}
}

func bindField(c *expr.Call) (Kernel, error) {
	switch argKind(c, 0) {
	case types.KindU64:
		return field[uint64], nil
	case types.KindF64:
		return field[float64], nil
	case types.KindDec:
		return field[decimal128.Num], nil
	case types.KindStr:
		return field[string], nil
	}
	return field[int64], nil
}

// field gives the number of the argument that equals the first; NULL equals nothing.
func field[T Value](_ *Runtime, args []*vec.Vector, out *vec.Vector) error {
	first := Values[T](args[0])
	clear(out.I64)
	for k := len(args) - 1; k >= 1; k-- {
		a := Values[T](args[k])
		for i := range out.I64 {
			if a[i&mask(args[k])] == first[i&mask(args[0])] && !nullAt(args[k], i) && !nullAt(args[0], i) {
				out.I64[i] = int64(k)
			}
		}
	}
	return nil
}
