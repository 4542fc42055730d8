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
		kernel.Def{Name: expr.FuncCollationKey, Bind: bindCollation(collate.AppendKey, collate.AppendLongKey, collate.Cost), Total: kernel.Always},
		kernel.Def{Name: expr.FuncCollationFold, Bind: bindCollation(collate.AppendFolded, collate.AppendLongFolded, collate.FoldCost), Total: kernel.Always},
		kernel.Def{Name: expr.FuncCollatedPair, Bind: bindCollation(kernel.AppendPair, kernel.AppendLongPair, kernel.PairCost), Total: kernel.Always},
		kernel.Def{Name: expr.FuncCollatedValue, Bind: kernel.Fn(kernel.TryUnary(collatedValue)), Total: kernel.Always},
	)
}

// bindCollation binds a function of a text and the collation that the constant second argument
// names. long is write for long texts, which it stops with the error of the function that it receives.
// cost returns the bytes that it takes besides the result.
func bindCollation(write func([]byte, types.Collation, string) []byte, long func([]byte, types.Collation, string, func() error) ([]byte, error), cost func(types.Collation, string) int64) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		coll := types.Collation(c.Args[1].(*expr.Const).Value.I64)
		return kernel.TryUnary(func(rt *kernel.Runtime, s string) (string, bool, error) {
			if len(s) < kernel.LongText {
				rt.Buf = write(rt.Buf[:0], coll, s)
				return rt.Text(rt.Buf), true, nil
			}
			bytes := cost(coll, s)
			if err := rt.Borrow(bytes); err != nil {
				return "", false, err
			}
			defer rt.Return(bytes)
			b, err := long(nil, coll, s, rt.Cancelled)
			if err != nil {
				return "", false, err
			}
			key, tooLong, err := rt.Allot(len(b))
			if tooLong || err != nil {
				return "", false, err
			}
			return rt.Keep(append(key, b...)), true, nil
		}), nil
	}
}

// collatedValue extracts the text from a pair.
func collatedValue(_ *kernel.Runtime, pair string) (string, bool, error) {
	return pair[kernel.PairedKey(pair)+len(kernel.KeyEnd):], true, nil
}
