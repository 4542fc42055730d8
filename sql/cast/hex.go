package cast

import (
	"gsql/sql/expr"
	"gsql/sql/kernel"
)

func registerHexNumber() {
	number := func(s string) int64 { return int64(expr.BytesNumber(s)) }
	kernel.Register(kernel.Def{Name: expr.FuncHexNumber, Bind: func(*expr.Call) (kernel.Kernel, error) { return kernel.Unary(number), nil }, Total: kernel.Always})
}
