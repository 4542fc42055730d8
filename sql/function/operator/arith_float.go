package operator

import (
	"math"
	"math/big"
	"strconv"

	"gsql/internal/simd"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

func sumF64(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	return floatArithmetic(simd.Add, rt, args, out)
}

func diffF64(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	return floatArithmetic(simd.Sub, rt, args, out)
}

func productF64(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	return floatArithmetic(simd.Mul, rt, args, out)
}

func floatArithmetic(op simd.Operation, rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	a, b, r := args[0].F64, args[1].F64, out.F64
	switch {
	case args[1].Form == vec.Const && args[0].Form == vec.Const:
		for i := range r {
			r[i] = simd.Calculate(op, a[0], b[0])
		}
	case args[1].Form == vec.Const:
		simd.ArithmeticConst(op, r, a, b[0])
	case args[0].Form == vec.Const:
		simd.ConstArithmetic(op, r, a[0], b)
	default:
		simd.Arithmetic(op, r, a, b)
	}
	return kernel.Finite(rt, out)
}

func quotientF64(rt *kernel.Runtime, a, b float64) (float64, bool, error) {
	if b == 0 {
		rt.DivisionByZero()
		return 0, false, nil
	}
	q := a / b
	if math.IsInf(q, 0) {
		return 0, false, rt.OutOfRange("DOUBLE")
	}
	return q, true, nil
}

func modF64(rt *kernel.Runtime, a, b float64) (float64, bool, error) {
	if b == 0 {
		rt.DivisionByZero()
		return 0, false, nil
	}
	return math.Mod(a, b), true, nil
}

// divF64 implements DIV of doubles. MySQL divides the decimals that the doubles are printed as, so
// that 0.3e0 DIV 0.1e0 is 3.
func divF64(rt *kernel.Runtime, a, b float64) (int64, bool, error) {
	if b == 0 {
		rt.DivisionByZero()
		return 0, false, nil
	}
	x, y := rational(a), rational(b)
	x.Quo(x, y)
	q := new(big.Int).Quo(x.Num(), x.Denom())
	if !q.IsInt64() {
		return 0, false, rt.OutOfRange(bigint)
	}
	return q.Int64(), true, nil
}

func rational(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'e', -1, 64))
	return r
}
