package accum

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// put writes a decimal of dst's scale to slot i of dst. If the plan requires it, dst has another
// kind. put returns false if the value does not fit.
func put(dst *vec.Vector, i int, x decimal128.Num) bool {
	switch dst.Type.Kind() {
	case types.KindDec:
		dst.Dec[i] = x
	case types.KindF64:
		dst.F64[i] = x.ToFloat64(0)
	case types.KindI64:
		dst.I64[i] = int64(x.LowBits())
		return x.HighBits() == dst.I64[i]>>63
	case types.KindU64:
		dst.I64[i] = int64(x.LowBits())
		return x.HighBits() == 0
	}
	return true
}
