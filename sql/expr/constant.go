package expr

import "gsql/sql/types"

// ConstInt returns the value of an integer literal that is not NULL.
func ConstInt(e Expr) (int64, bool) {
	c, ok := e.(*Const)
	if !ok || IsNull(c) || c.Value.Type.Kind() != types.KindI64 || c.Value.Type.IsTemporal() {
		return 0, false
	}
	return c.Value.I64, true
}

// ConstText returns the value of a string literal that is not NULL.
func ConstText(e Expr) (string, bool) {
	c, ok := e.(*Const)
	if !ok || IsNull(c) || !c.Value.Type.IsString() {
		return "", false
	}
	return c.Value.Str, true
}
