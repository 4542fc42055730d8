package eval

import (
	"math"

	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

func init() {
	for name, f := range map[string]func(float64) float64{
		"sin": math.Sin, "cos": math.Cos,
		"degrees": func(x float64) float64 { return x * 180 / math.Pi },
		"radians": func(x float64) float64 { return x * math.Pi / 180 },
	} {
		Register(Def{Name: name, Bind: Fn(finiteValue(f))})
	}
	for name, f := range map[string]func(float64) float64{"sqrt": math.Sqrt, "asin": math.Asin, "acos": math.Acos} {
		Register(Def{Name: name, Bind: Fn(orNull(f)), Total: Always})
	}
	for name, f := range map[string]func(float64) float64{"ln": math.Log, "log2": math.Log2, "log10": math.Log10} {
		Register(Def{Name: name, Bind: Fn(logarithm(f))})
	}
	Register(
		Def{Name: "exp", Bind: Fn(finiteValue(math.Exp))},
		Def{Name: "tan", Bind: Fn(finiteValue(math.Tan))},
		Def{Name: "cot", Bind: Fn(finiteValue(func(x float64) float64 { return 1 / math.Tan(x) }))},
		Def{Name: "pow", Bind: Fn(TryBinary(power))},
		Def{Name: "log", Bind: bindLog},
		Def{Name: "atan", Bind: bindAtan, Total: Always},
		Def{Name: "atan2", Bind: bindAtan, Total: Always},
		Def{Name: "pi", Bind: Fn(constant(math.Pi)), Total: Always},
	)
}

// finiteDouble is the value of a function whose result must be a DOUBLE, or 1690.
func finiteDouble(rt *Runtime, x float64) (float64, bool, error) {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, false, rt.OutOfRange("DOUBLE")
	}
	return x, true, nil
}

// finiteValue makes a kernel that fails with 1690 where f has no finite value.
func finiteValue(f func(float64) float64) Kernel {
	return TryUnary(func(rt *Runtime, x float64) (float64, bool, error) { return finiteDouble(rt, f(x)) })
}

// orNull makes a kernel that gives NULL outside the domain of f.
func orNull(f func(float64) float64) Kernel {
	return TryUnary(func(_ *Runtime, x float64) (float64, bool, error) {
		y := f(x)
		return y, !math.IsNaN(y), nil
	})
}

// logarithm gives NULL with warning 3020 for numbers that have none.
func logarithm(f func(float64) float64) Kernel {
	return TryUnary(func(rt *Runtime, x float64) (float64, bool, error) {
		if x <= 0 {
			return 0, false, rt.noLogarithm()
		}
		return f(x), true, nil
	})
}

func (rt *Runtime) noLogarithm() error {
	rt.Warn(sqlerr.InvalidArgumentForLogarithm, "Invalid argument for logarithm")
	return nil
}

func power(rt *Runtime, x, y float64) (float64, bool, error) { return finiteDouble(rt, math.Pow(x, y)) }

// bindLog serves LOG(x), the natural logarithm, and LOG(base, x).
func bindLog(c *expr.Call) (Kernel, error) {
	if len(c.Args) == 1 {
		return logarithm(math.Log), nil
	}
	return TryBinary(func(rt *Runtime, base, x float64) (float64, bool, error) {
		if x <= 0 || base <= 0 || base == 1 {
			return 0, false, rt.noLogarithm()
		}
		return math.Log(x) / math.Log(base), true, nil
	}), nil
}

func bindAtan(c *expr.Call) (Kernel, error) {
	if len(c.Args) == 1 {
		return Unary(math.Atan), nil
	}
	return Binary(math.Atan2), nil
}

// constant makes the kernel of a function without arguments.
func constant[R Value](x R) Kernel {
	return func(_ *Runtime, _ []*vec.Vector, out *vec.Vector) error {
		for i, r := 0, Values[R](out); i < len(r); i++ {
			r[i] = x
		}
		return nil
	}
}
