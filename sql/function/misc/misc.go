package misc

import (
	"strconv"
	"strings"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerMisc() {
	kernel.Register(
		kernel.Def{Name: "interval", Bind: bindInterval, Total: kernel.Always},
		kernel.Def{Name: "benchmark", Bind: kernel.Fn(benchmark), Total: kernel.Always},
		kernel.Def{Name: "inet_aton", Bind: kernel.Fn(kernel.TryUnary(inetAton)), Total: kernel.Always},
		kernel.Def{Name: "inet_ntoa", Bind: kernel.Fn(kernel.TryUnary(inetNtoa)), Total: kernel.Always},
	)
}

func bindInterval(c *expr.Call) (kernel.Kernel, error) {
	if kernel.ArgKind(c, 0) == types.KindF64 {
		return intervalOf[float64], nil
	}
	return intervalOf[int64], nil
}

// intervalOf returns how many of the ascending arguments after the first are not greater than the
// first, or -1 if that is NULL.
func intervalOf[T kernel.Ordered](_ *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	x := kernel.Values[T](args[0])
	for i := range out.I64 {
		if out.I64[i] = -1; kernel.NullAt(args[0], i) {
			continue
		}
		n := 1
		for n < len(args) && (kernel.NullAt(args[n], i) || kernel.Values[T](args[n])[i&kernel.Mask(args[n])] <= x[i&kernel.Mask(args[0])]) {
			n++
		}
		out.I64[i] = int64(n - 1)
	}
	return nil
}

// benchmark returns 0 if the first argument is a valid number of repetitions, else NULL. Its second
// argument is computed only once.
func benchmark(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	for i := range out.I64 {
		out.I64[i] = 0
		switch n := args[0].I64[i&kernel.Mask(args[0])]; {
		case kernel.NullAt(args[0], i):
			out.SetNull(i)
		case n < 0:
			rt.Warn(sqlerr.WrongValueForType, "Incorrect count value: '%d' for function benchmark", n)
			out.SetNull(i)
		}
	}
	return nil
}

// inetAton parses an IPv4 address. In short forms, the last number is the lowest byte.
func inetAton(_ *kernel.Runtime, s string) (uint64, bool, error) {
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return 0, false, nil
	}
	x := uint64(0)
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 8)
		if err != nil {
			return 0, false, nil
		}
		if i == len(parts)-1 {
			x <<= 8 * uint(4-len(parts))
		}
		x = x<<8 | n
	}
	return x, true, nil
}

func inetNtoa(rt *kernel.Runtime, x int64) (string, bool, error) {
	if x < 0 || x > 1<<32-1 {
		return "", false, nil
	}
	b := rt.Buf[:0]
	for shift := 24; shift >= 0; shift -= 8 {
		if b = strconv.AppendInt(b, x>>shift&255, 10); shift > 0 {
			b = append(b, '.')
		}
	}
	rt.Buf = b
	return rt.Text(b), true, nil
}
