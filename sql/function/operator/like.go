package operator

import (
	"unicode/utf8"

	"gsql/internal/simd"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/like"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

func registerLike() {
	kernel.Register(kernel.Def{Name: expr.FuncLike, Bind: bindLike, Total: likeTotal})
}

func likeTotal(c *expr.Call) bool {
	pattern, ok := c.Args[1].(*expr.Const)
	return ok && len(c.Args) == 2 && like.Cost(pattern.Value.Str) == 0
}

// bindLike compiles a constant pattern once unless it is long. Other patterns are compiled row by
// row.
func bindLike(c *expr.Call) (kernel.Kernel, error) {
	pattern, ok := c.Args[1].(*expr.Const)
	if ok && len(c.Args) == 2 && !pattern.Value.Null && like.Cost(pattern.Value.Str) == 0 {
		return likeConstant(pattern.Value.Str), nil
	}
	if len(c.Args) == 2 {
		return likeRows, nil
	}
	return kernel.TryTernary(func(rt *kernel.Runtime, s, p, esc string) (int64, bool, error) {
		e, n := utf8.DecodeRuneInString(esc)
		if n != len(esc) {
			return 0, false, rt.Fail(sqlerr.WrongArguments, "Incorrect arguments to ESCAPE")
		}
		if n == 0 {
			e = -1
		}
		cost := like.Cost(p)
		if err := rt.Borrow(cost); err != nil {
			return 0, false, err
		}
		defer rt.Return(cost)
		return kernel.Bit(like.Compile(p, e)(s)), true, nil
	}), nil
}

// likeConstant matches with one pattern. It first rules out texts without the pattern's needle.
func likeConstant(pattern string) kernel.Kernel {
	match, needle := like.Compile(pattern, '\\'), like.Needle(pattern, '\\')
	each := kernel.Binary(func(s, _ string) int64 { return kernel.Bit(match(s)) })
	if needle == "" {
		return each
	}
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		s, r := args[0], out.I64[:out.N]
		if s.Form == vec.Const {
			return each(rt, args, out)
		}
		done := simd.TextCandidates(r, s.Str[:out.N], needle)
		for i := range r {
			if i >= done || r[i] != 0 {
				r[i] = kernel.Bit(match(s.Str[i]))
			}
		}
		return nil
	}
}

// likeRows matches with a pattern for each row. It compiles a pattern that is the same for the whole
// batch once.
func likeRows(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	var match func(string) bool
	var cost int64
	defer func() { rt.Return(cost) }()
	s, p := args[0], args[1]
	for i := range out.I64 {
		if rt.IsNull(out, i) {
			continue
		}
		if match == nil || p.Form != vec.Const {
			rt.Return(cost)
			pattern := p.Str[i&kernel.Mask(p)]
			cost = like.Cost(pattern)
			if err := rt.Borrow(cost); err != nil {
				cost = 0
				return err
			}
			match = like.Compile(pattern, '\\')
		}
		out.I64[i] = kernel.Bit(match(s.Str[i&kernel.Mask(s)]))
	}
	return nil
}
