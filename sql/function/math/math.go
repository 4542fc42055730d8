package math

import (
	"math"
	"slices"

	"gsql/internal/simd"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

func registerMath() {
	for name, f := range map[expr.FuncID]func(float64) float64{
		"sin": math.Sin, "cos": math.Cos,
		"degrees": func(x float64) float64 { return x * 180 / math.Pi },
		"radians": func(x float64) float64 { return x * math.Pi / 180 },
	} {
		kernel.Register(kernel.Def{Name: name, Bind: kernel.Fn(finiteValue(f))})
	}
	for name, f := range map[expr.FuncID]func(float64) float64{"asin": math.Asin, "acos": math.Acos} {
		kernel.Register(kernel.Def{Name: name, Bind: kernel.Fn(orNull(f)), Total: kernel.Always})
	}
	for name, base := range map[expr.FuncID]simd.Base{"ln": simd.Natural, "log2": simd.Base2, "log10": simd.Base10} {
		kernel.Register(kernel.Def{Name: name, Bind: kernel.Fn(logarithm(base))})
	}
	kernel.Register(
		kernel.Def{Name: "sqrt", Bind: kernel.Fn(sqrt), Total: kernel.Always},
		kernel.Def{Name: "exp", Bind: kernel.Fn(exp)},
		kernel.Def{Name: "tan", Bind: kernel.Fn(finiteValue(math.Tan))},
		kernel.Def{Name: "cot", Bind: kernel.Fn(finiteValue(func(x float64) float64 { return 1 / math.Tan(x) }))},
		kernel.Def{Name: "pow", Bind: kernel.Fn(power)},
		kernel.Def{Name: "log", Bind: bindLog},
		kernel.Def{Name: "atan", Bind: bindAtan, Total: kernel.Always},
		kernel.Def{Name: "atan2", Bind: bindAtan, Total: kernel.Always},
		kernel.Def{Name: "pi", Bind: kernel.Fn(constant(math.Pi)), Total: kernel.Always},
	)
}

// finiteValue returns a kernel that fails with error 1690 if the value of f is not finite.
func finiteValue(f func(float64) float64) kernel.Kernel {
	return kernel.TryUnary(func(rt *kernel.Runtime, x float64) (float64, bool, error) { return kernel.FiniteDouble(rt, f(x)) })
}

// orNull returns a kernel whose result is NULL outside the domain of f.
func orNull(f func(float64) float64) kernel.Kernel {
	return kernel.TryUnary(func(_ *kernel.Runtime, x float64) (float64, bool, error) {
		y := f(x)
		return y, !math.IsNaN(y), nil
	})
}

// sqrt returns NULL for negative numbers.
func sqrt(_ *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	simd.Sqrts(out.F64, args[0].F64)
	if simd.AreFinite(out.F64) {
		return nil
	}
	for i, y := range out.F64 {
		if math.IsNaN(y) {
			out.SetNull(i)
		}
	}
	return nil
}

func exp(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	simd.Exps(out.F64, args[0].F64)
	return kernel.Finite(rt, out)
}

// logarithm returns NULL with warning 3020 for numbers that have no logarithm.
func logarithm(base simd.Base) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		x := args[0].F64[:len(out.F64)]
		simd.Logs(out.F64, x, base)
		if simd.AreFinite(out.F64) {
			return nil
		}
		for i, x := range x {
			if x <= 0 && !rt.IsNull(out, i) {
				noLogarithm(rt)
				out.SetNull(i)
			}
		}
		return nil
	}
}

func noLogarithm(rt *kernel.Runtime) {
	rt.Warn(sqlerr.InvalidArgumentForLogarithm, "Invalid argument for logarithm")
}

func power(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	if x, y := args[0], args[1]; x.Form != vec.Const && y.Form == vec.Const && y.F64[0] == 2 {
		simd.Arithmetic(simd.Mul, out.F64, x.F64, x.F64)
	} else {
		pairwise(simd.Pows, args, out)
	}
	return kernel.Finite(rt, out)
}

// atOnce is the number of copies of a constant argument that functions of two arguments receive at
// a time.
const atOnce = 256

// pairwise computes a function of two vectors, one of which may be constant.
func pairwise(f func(dst, x, y []float64), args []*vec.Vector, out *vec.Vector) {
	var same [2][]float64
	for i, a := range args {
		if a.Form == vec.Const {
			same[i] = slices.Repeat(a.F64[:1], min(atOnce, len(out.F64)))
		}
	}
	values := func(i, from, to int) []float64 {
		if same[i] != nil {
			return same[i][:to-from]
		}
		return args[i].F64[from:to]
	}
	for from := 0; from < len(out.F64); from += atOnce {
		to := min(from+atOnce, len(out.F64))
		f(out.F64[from:to], values(0, from, to), values(1, from, to))
	}
}

// bindLog binds LOG(x), the natural logarithm, and LOG(base, x).
func bindLog(c *expr.Call) (kernel.Kernel, error) {
	if len(c.Args) == 1 {
		return logarithm(simd.Natural), nil
	}
	return logarithmTo, nil
}

func logarithmTo(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	var below [atOnce]float64
	pairwise(func(dst, base, x []float64) {
		simd.Logs(below[:len(dst)], base, simd.Natural)
		simd.Logs(dst, x, simd.Natural)
		for i, b := range below[:len(dst)] {
			dst[i] /= b
		}
	}, args, out)
	base, x, mb, mx := args[0].F64, args[1].F64, kernel.Mask(args[0]), kernel.Mask(args[1])
	for i := range out.F64 {
		if b := base[i&mb]; (x[i&mx] <= 0 || b <= 0 || b == 1) && !rt.IsNull(out, i) {
			noLogarithm(rt)
			out.SetNull(i)
		}
	}
	return nil
}

func bindAtan(c *expr.Call) (kernel.Kernel, error) {
	if len(c.Args) == 1 {
		return kernel.Unary(math.Atan), nil
	}
	return kernel.Binary(math.Atan2), nil
}

// constant returns the kernel of a function without arguments.
func constant[R kernel.Value](x R) kernel.Kernel {
	return func(_ *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
		for i, r := 0, kernel.Values[R](out); i < len(r); i++ {
			r[i] = x
		}
		return nil
	}
}
