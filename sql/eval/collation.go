package eval

import (
	"bytes"

	"gsql/sql/collate"
	"gsql/sql/expr"
	"gsql/sql/types"
)

func init() {
	Register(
		Def{Name: "collate", Bind: Fn(Unary(func(s string) string { return s })), Total: Always},
		Def{Name: "collation_key", Bind: bindCollation(collate.Key), Total: Always},
		Def{Name: "collation_fold", Bind: bindCollation(collate.Fold), Total: Always},
		Def{Name: "collated_pair", Bind: bindCollation(collatedPair), Total: Always},
		Def{Name: "collated_value", Bind: Fn(Unary(collatedValue)), Total: Always},
	)
}

// bindCollation binds a function of a text and the collation that the constant second
// argument names.
func bindCollation(f func(types.Collation, string) string) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		coll := types.Collation(c.Args[1].(*expr.Const).Value.I64)
		return Unary(func(s string) string { return f(coll, s) }), nil
	}
}

// The end of a key in a pair, which is below every byte that may follow in a longer key:
// these have their zeros escaped.
const keyEnd, keyZero = "\x00\x00", "\x00\x01"

// collatedPair gives bytes that compare as the text's key and hold the text, so that the
// least of them tells the least text.
func collatedPair(c types.Collation, s string) string {
	key := collate.AppendKey(nil, c, s)
	out := bytes.ReplaceAll(key, []byte{0}, []byte(keyZero))
	return string(append(append(out, keyEnd...), s...))
}

// collatedValue takes the text out of a pair.
func collatedValue(pair string) string {
	for i := 0; ; i++ {
		if pair[i] != 0 {
			continue
		}
		if pair[i+1] == 0 {
			return pair[i+2:]
		}
		i++
	}
}
