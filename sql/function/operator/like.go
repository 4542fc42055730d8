package operator

import (
	"unicode/utf8"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/like"
	"gsql/sql/sqlerr"
)

func registerLike() {
	kernel.Register(kernel.Def{Name: expr.FuncLike, Bind: bindLike, Total: likeTotal})
}

func likeTotal(c *expr.Call) bool {
	_, ok := c.Args[1].(*expr.Const)
	return ok && len(c.Args) == 2
}

// bindLike compiles a constant pattern once. Other patterns are compiled row by row, reusing the
// last one if it is equal.
func bindLike(c *expr.Call) (kernel.Kernel, error) {
	pattern, ok := c.Args[1].(*expr.Const)
	if ok && len(c.Args) == 2 && !pattern.Value.Null {
		match := like.Compile(pattern.Value.Str, '\\')
		return kernel.Binary(func(s, _ string) int64 { return kernel.Bit(match(s)) }), nil
	}
	if len(c.Args) == 2 {
		return kernel.Binary(func(s, p string) int64 { return kernel.Bit(like.Compile(p, '\\')(s)) }), nil
	}
	return kernel.TryTernary(func(rt *kernel.Runtime, s, p, esc string) (int64, bool, error) {
		e, n := utf8.DecodeRuneInString(esc)
		if n != len(esc) {
			return 0, false, rt.Fail(sqlerr.WrongArguments, "Incorrect arguments to ESCAPE")
		}
		if n == 0 {
			e = -1
		}
		return kernel.Bit(like.Compile(p, e)(s)), true, nil
	}), nil
}
