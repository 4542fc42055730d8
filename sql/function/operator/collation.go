package operator

import (
	"gsql/sql/collate"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
)

func registerCollation() {
	kernel.Register(
		kernel.Def{Name: expr.FuncCollate, Bind: kernel.Fn(kernel.Unary(func(s string) string { return s })), Total: kernel.Always},
		kernel.Def{Name: expr.FuncCollationKey, Bind: bindCollation(collate.AppendKey), Total: kernel.Always},
		kernel.Def{Name: expr.FuncCollationFold, Bind: bindCollation(collate.AppendFolded), Total: kernel.Always},
		kernel.Def{Name: expr.FuncCollatedPair, Bind: bindCollation(kernel.AppendPair), Total: kernel.Always},
		kernel.Def{Name: expr.FuncCollatedValue, Bind: kernel.Fn(kernel.TryUnary(collatedValue)), Total: kernel.Always},
	)
}

// bindCollation binds a function of a text and the collation that the constant second argument
// names.
func bindCollation(write func([]byte, types.Collation, string) []byte) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		coll := types.Collation(c.Args[1].(*expr.Const).Value.I64)
		return kernel.TryUnary(func(rt *kernel.Runtime, s string) (string, bool, error) {
			rt.Buf = write(rt.Buf[:0], coll, s)
			return rt.Text(rt.Buf), true, nil
		}), nil
	}
}

// collatedValue extracts the text from a pair.
func collatedValue(_ *kernel.Runtime, pair string) (string, bool, error) {
	return pair[kernel.PairedKey(pair)+len(kernel.KeyEnd):], true, nil
}
