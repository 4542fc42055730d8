package text

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerSearch() {
	kernel.Register(
		kernel.Def{Name: expr.FuncLocate, Bind: bindLocate, Total: kernel.Always},
		kernel.Def{Name: expr.FuncInstr, Bind: bindInstr, Total: kernel.Always},
		kernel.Def{Name: expr.FuncFindInSet, Bind: kernel.Fn(kernel.Binary(findInSet)), Total: kernel.Always},
		kernel.Def{Name: expr.FuncField, Bind: bindField, Total: kernel.Always},
	)
}

// bindLocate binds LOCATE(substring, s[, from]).
func bindLocate(c *expr.Call) (kernel.Kernel, error) {
	unit := kernel.CharsOf(c, 1)
	if len(c.Args) == 2 {
		return kernel.Binary(func(sub, s string) int64 { return unit.Index(s, sub) }), nil
	}
	return kernel.Ternary(func(sub, s string, from int64) int64 {
		if from < 1 || from > int64(unit.Count(s))+1 {
			return 0
		}
		if at := unit.Index(s[unit.Offset(s, int(from-1)):], sub); at > 0 {
			return at + from - 1
		}
		return 0
	}), nil
}

func bindInstr(c *expr.Call) (kernel.Kernel, error) {
	return kernel.Binary(kernel.CharsOf(c, 0).Index), nil
}

// findInSet returns the position of s in a list separated by commas.
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

func bindField(c *expr.Call) (kernel.Kernel, error) {
	switch kernel.ArgKind(c, 0) {
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

// field returns the number of the argument that equals the first. NULL equals nothing.
func field[T kernel.Value](_ *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	first := kernel.Values[T](args[0])
	clear(out.I64)
	for k := len(args) - 1; k >= 1; k-- {
		a := kernel.Values[T](args[k])
		for i := range out.I64 {
			if a[i&kernel.Mask(args[k])] == first[i&kernel.Mask(args[0])] && !kernel.NullAt(args[k], i) && !kernel.NullAt(args[0], i) {
				out.I64[i] = int64(k)
			}
		}
	}
	return nil
}
