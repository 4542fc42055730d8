package eval

import (
	"gsql/sql/collate"
	"gsql/sql/expr"
	"gsql/sql/types"
)

func init() {
	Register(
		Def{Name: expr.FuncCollate, Bind: Fn(Unary(func(s string) string { return s })), Total: Always},
		Def{Name: expr.FuncCollationKey, Bind: bindCollation(collate.AppendKey), Total: Always},
		Def{Name: expr.FuncCollationFold, Bind: bindCollation(collate.AppendFolded), Total: Always},
		Def{Name: expr.FuncCollatedPair, Bind: bindCollation(appendPair), Total: Always},
		Def{Name: expr.FuncCollatedValue, Bind: Fn(TryUnary(collatedValue)), Total: Always},
	)
}

// bindCollation binds what is written of a text by the collation that the constant second
// argument names.
func bindCollation(write func([]byte, types.Collation, string) []byte) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		coll := types.Collation(c.Args[1].(*expr.Const).Value.I64)
		return TryUnary(func(rt *Runtime, s string) (string, bool, error) {
			rt.Buf = write(rt.Buf[:0], coll, s)
			return rt.Text(rt.Buf), true, nil
		}), nil
	}
}

// The end of a key in a pair, which is below every byte that may follow in a longer key:
// these have their zeros escaped.
const keyEnd, keyZero = "\x00\x00", "\x00\x01"

// appendPair writes bytes that compare as the text's key and hold the text, so that the
// least of them tells the least text.
func appendPair(dst []byte, c types.Collation, s string) []byte {
	var room [64]byte
	for _, x := range collate.AppendKey(room[:0], c, s) {
		if dst = append(dst, x); x == 0 {
			dst = append(dst, keyZero[1])
		}
	}
	return append(append(dst, keyEnd...), s...)
}

// collatedValue takes the text out of a pair.
func collatedValue(_ *Runtime, pair string) (string, bool, error) {
	return pair[pairedKey(pair)+len(keyEnd):], true, nil
}

// pairedKey gives where the key ends that a pair begins with; what is no pair may stand in
// the place of a NULL.
func pairedKey(pair string) int {
	for i := 0; i+1 < len(pair); i++ {
		if pair[i] != 0 {
			continue
		}
		if pair[i+1] == 0 {
			return i
		}
		i++
	}
	return len(pair)
}
