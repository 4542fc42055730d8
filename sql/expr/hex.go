package expr

import (
	"gsql/sql/catalog"
	"gsql/sql/types"
)

func registerHex() {
	Register(Sig{Name: FuncHexNumber, Min: 1, Max: 1, Internal: true, Resolve: Fixed(types.T(types.Uint64), AsIs)})
}

// IsHex reports whether e is a hexadecimal or bit literal, or a choice between such literals: its value is bytes, but a
// number where one is expected. So are the columns of tables, and subqueries, that MySQL replaces by the expressions that
// they stand for.
func IsHex(e Expr) bool {
	switch e := e.(type) {
	case *Const:
		return e.Hex
	case *Col:
		return e.Hex
	case *Subquery:
		return e.Hex
	case *Call:
		return choosesHex(e)
	}
	return false
}

// choosesHex reports whether a call returns one of its arguments, which are such literals or NULL.
func choosesHex(c *Call) (is bool) {
	switch c.Fn {
	case FuncCase, FuncCoalesce, FuncGreatest, FuncLeast:
	default:
		return false
	}
	for i, a := range c.Args {
		switch {
		case c.Fn == FuncCase && !isCaseValue(i, len(c.Args)) || IsNull(a):
		case IsHex(a):
			is = true
		default:
			return false
		}
	}
	return is
}

// HexNumber returns the number that a hexadecimal or bit literal is where a number is expected, a BIGINT UNSIGNED of
// its last eight bytes. It returns other expressions unchanged.
func HexNumber(e Expr) Expr {
	if !IsHex(e) {
		return e
	}
	switch x := e.(type) {
	case *Const:
		return &Const{Value: catalog.Datum{Type: types.T(types.Uint64), I64: int64(BytesNumber(x.Value.Str))}}
	case *Call:
		if x.Fn != FuncGreatest && x.Fn != FuncLeast {
			break
		}
		args := make([]Expr, len(x.Args))
		for i, a := range x.Args {
			args[i] = HexNumber(a)
		}
		if n, err := NewCall(x.Fn, args, x.Pos); err == nil {
			return n
		}
	}
	return &Call{Fn: FuncHexNumber, Args: []Expr{e}, T: types.T(types.Uint64), Pos: -1}
}

// BytesNumber returns the number that the last eight bytes of s are.
func BytesNumber(s string) (x uint64) {
	for _, b := range []byte(s[max(0, len(s)-8):]) {
		x = x<<8 | uint64(b)
	}
	return x
}

// Bytewise returns e with its hexadecimal and bit literals as bytes only.
func Bytewise(e Expr) Expr {
	some := false
	Walk(e, func(x Expr) bool {
		c, ok := x.(*Const)
		some = some || ok && c.Hex
		return !some
	})
	if !some {
		return e
	}
	return Map(e, func(x Expr) Expr {
		if c, ok := x.(*Const); ok && c.Hex {
			return &Const{Value: c.Value}
		}
		return x
	})
}
