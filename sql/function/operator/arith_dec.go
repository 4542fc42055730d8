package operator

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

// sumDec adds or subtracts decimals of one scale.
func sumDec(sub bool) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		if a, b, ok := rt.NarrowPair(args); ok && narrowSum(a, b, sub, out) {
			return nil
		}
		a, b, r := rt.Decimals(args, 0), rt.Decimals(args, 1), out.Dec
		ma, mb := kernel.Mask(args[0]), kernel.Mask(args[1])
		for i := range r {
			y := b[i&mb]
			if sub {
				y = y.Negate()
			}
			s, ok := dec128.Add(a[i&ma], y)
			if !ok && (out.Null == nil || !out.Null[i]) {
				return rt.OutOfRange(kernel.DecimalName)
			}
			r[i] = s
		}
		return nil
	}
}

// scaleDrop returns the number of digits that rounding removes from a product.
func scaleDrop(c *expr.Call) int {
	return kernel.ScaleOf(c.Args[0]) + kernel.ScaleOf(c.Args[1]) - int(c.T.Scale)
}

// productDec multiplies. It rounds the product if the sum of the scales exceeds the scale of the
// result.
func productDec(c *expr.Call) kernel.Kernel {
	if down := scaleDrop(c); down > 0 {
		return kernel.TryBinary(func(rt *kernel.Runtime, a, b decimal128.Num) (decimal128.Num, bool, error) {
			p, ok := dec128.MulDown(a, b, down)
			if !ok {
				return p, false, rt.OutOfRange(kernel.DecimalName)
			}
			return p, true, nil
		})
	}
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		if a, b, ok := rt.NarrowPair(args); ok && narrowProduct(a, b, out) {
			return nil
		}
		a, b, r := rt.Decimals(args, 0), rt.Decimals(args, 1), out.Dec
		ma, mb := kernel.Mask(args[0]), kernel.Mask(args[1])
		for i := range r {
			p, ok := dec128.Mul(a[i&ma], b[i&mb])
			if !ok && (out.Null == nil || !out.Null[i]) {
				return rt.OutOfRange(kernel.DecimalName)
			}
			r[i] = p
		}
		return nil
	}
}

// quotientDec divides to the result's scale. It truncates if that is the scale of whole words of
// digits, as in MySQL, and rounds otherwise. Division by zero yields NULL.
func quotientDec(c *expr.Call) kernel.Kernel {
	up := int(c.T.Scale) - kernel.ScaleOf(c.Args[0]) + kernel.ScaleOf(c.Args[1])
	divide, round := dec128.Div, true
	if expr.CutsOff(c) {
		divide, round = dec128.Quo, false
	}
	wide := kernel.TryBinary(func(rt *kernel.Runtime, a, b decimal128.Num) (decimal128.Num, bool, error) {
		if b == (decimal128.Num{}) {
			rt.DivisionByZero()
			return b, false, nil
		}
		q, ok := divide(a, up, b)
		if !ok {
			return q, false, rt.OutOfRange(kernel.DecimalName)
		}
		return q, true, nil
	})
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		if a, b, ok := rt.NarrowPair(args); ok && kernel.NarrowQuotient(a, b, up, round, out) {
			return nil
		}
		return wide(rt, rt.Widened(args), out)
	}
}

// narrowMod returns a kernel for the remainders of Narrow decimals by a constant.
func narrowMod(wide kernel.Kernel) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, b, ok := rt.NarrowPair(args)
		if ok && args[1].Form == vec.Const && b[0] > 0 && kernel.MagnitudesBelow(62, a) {
			kernel.RemaindersBy(b[0], kernel.ToNarrow(out), a)
			return nil
		}
		return wide(rt, rt.Widened(args), out)
	}
}

func modDec(rt *kernel.Runtime, a, b decimal128.Num) (decimal128.Num, bool, error) {
	if b == (decimal128.Num{}) {
		rt.DivisionByZero()
		return b, false, nil
	}
	return dec128.Rem(a, b), true, nil
}

// divDec implements DIV of decimals: an exact division that drops the fraction.
func divDec(c *expr.Call) kernel.Kernel {
	up := kernel.ScaleOf(c.Args[1]) - kernel.ScaleOf(c.Args[0])
	return kernel.TryBinary(func(rt *kernel.Runtime, a, b decimal128.Num) (int64, bool, error) {
		if b == (decimal128.Num{}) {
			rt.DivisionByZero()
			return 0, false, nil
		}
		q, ok := dec128.Quo(a, up, b)
		if !ok || !dec128.IsInt64(q) {
			return 0, false, rt.OutOfRange(bigint)
		}
		return int64(q.LowBits()), true, nil
	})
}
