package pipelinetest

import (
	"fmt"
	"math/big"

	"gsql/gpu/pipeline"
)

// most128 is the greatest number of 38 digits.
var most128 = new(big.Int).Sub(new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil), big.NewInt(1))

func isQuotient(e *pipeline.Expr) bool {
	return e.Op == pipeline.OpQuo || e.Op == pipeline.OpRem || e.Op == pipeline.OpQuoRound
}

func (v *value) isZero(k pipeline.Kind) bool {
	switch k {
	case pipeline.Float:
		return v.f == 0
	case pipeline.Int128:
		return v.w.Sign() == 0
	}
	return v.i == 0
}

// long computes an operation of 128 bits with numbers of any length.
func (r *passing) long(e *pipeline.Expr, args []value) value {
	switch e.Op {
	case pipeline.OpInt128:
		return value{w: big.NewInt(args[0].i)}
	case pipeline.OpWords:
		high := new(big.Int).Lsh(big.NewInt(args[1].i), 64)
		return value{w: high.Add(high, big.NewInt(args[0].i))}
	case pipeline.OpNarrow:
		return value{i: args[0].w.Int64()}
	case pipeline.OpLow, pipeline.OpHigh:
		word := new(big.Int).Lsh(big.NewInt(1), 64)
		high, low := new(big.Int).DivMod(args[0].w, word, new(big.Int)) // low is not negative
		if low.Bit(63) == 1 {
			low.Sub(low, word)
			high.Add(high, big.NewInt(1))
		}
		if e.Op == pipeline.OpLow {
			return value{i: low.Int64()}
		}
		return value{i: high.Int64()}
	}
	z := new(big.Int)
	x := args[0].w
	switch e.Op {
	case pipeline.OpWithin:
		z = x
		r.failed = r.failed || x.Cmp(e.Least.BigInt()) < 0 || x.Cmp(e.Most.BigInt()) > 0
	case pipeline.OpAdd:
		z.Add(x, args[1].w)
	case pipeline.OpSub:
		z.Sub(x, args[1].w)
	case pipeline.OpMul:
		z.Mul(x, args[1].w)
	case pipeline.OpQuo:
		z.Quo(x, args[1].w)
	case pipeline.OpRem:
		z.Rem(x, args[1].w)
	case pipeline.OpQuoRound:
		z = rounded(x, args[1].w)
	case pipeline.OpLess, pipeline.OpGreater:
		if z = x; (args[1].w.Cmp(x) < 0) == (e.Op == pipeline.OpLess) {
			z = args[1].w
		}
	default:
		return compare(e.Op, x.Cmp(args[1].w) < 0, x.Cmp(args[1].w) == 0)
	}
	outside := z.Cmp(e.Least.BigInt()) < 0 || z.Cmp(e.Most.BigInt()) > 0
	if r.failed = r.failed || e.Fails && z.CmpAbs(most128) > 0; outside && !r.failed {
		panic(fmt.Sprintf("operation %d is %d, beyond %v to %v", e.Op, z, e.Least.BigInt(), e.Most.BigInt()))
	}
	return value{w: z}
}
