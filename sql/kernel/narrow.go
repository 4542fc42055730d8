package kernel

import (
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// The loops here compute decimals in 64 bits where vectors are Narrow. Values that do not fit are
// left to the kernels of 128 bits.

// OfDecimals reports whether a call's arguments are decimals.
func OfDecimals(c *expr.Call) bool {
	return ArgKind(c, 0) == types.KindDec && ArgKind(c, 1) == types.KindDec
}

// NarrowPair returns the two arguments as integers, a constant as a single one, if at least one of
// them is Narrow and the other fits.
func (rt *Runtime) NarrowPair(args []*vec.Vector) (a, b []int64, ok bool) {
	if !args[0].Narrow && !args[1].Narrow {
		return nil, nil, false
	}
	a, aOK := rt.integers(args, 0)
	b, bOK := rt.integers(args, 1)
	return a, b, aOK && bOK
}

func (rt *Runtime) integers(args []*vec.Vector, i int) ([]int64, bool) {
	v := args[i]
	switch {
	case v.Narrow:
		return v.I64[:v.N], true
	case v.Form != vec.Const || !dec128.IsInt64(v.Dec[0]):
		return nil, false
	}
	rt.low[i] = int64(v.Dec[0].LowBits())
	return rt.low[i : i+1], true
}

// Decimals returns an argument's values in 128 bits.
func (rt *Runtime) Decimals(args []*vec.Vector, i int) []decimal128.Num {
	if !args[i].Narrow {
		return args[i].Dec
	}
	if rt.wide == nil {
		rt.wide = new([2]vec.Vector)
	}
	return args[i].Flatten(&rt.wide[i]).Dec
}

// Rescaled multiplies by 10^digits if that fits.
func Rescaled(x int64, digits int) (int64, bool) {
	for range digits {
		hi, lo := bits.Mul64(uint64(x^x>>63), 10)
		if hi != 0 || lo > math.MaxInt64-9 {
			return 0, false
		}
		x *= 10
	}
	return x, true
}
