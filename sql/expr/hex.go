package expr

import (
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// HexNumber returns the number that a hexadecimal or bit literal is where a number is expected, a BIGINT UNSIGNED.
// It returns other expressions, and literals of more than eight bytes, unchanged.
func HexNumber(e Expr) Expr {
	c, ok := e.(*Const)
	if !ok || !c.Hex || len(c.Value.Str) > 8 {
		return e
	}
	var x uint64
	for _, b := range []byte(c.Value.Str) {
		x = x<<8 | uint64(b)
	}
	return &Const{Value: catalog.Datum{Type: types.T(types.Uint64), I64: int64(x)}}
}
