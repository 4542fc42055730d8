package operator

import (
	"math/bits"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func registerBitsBinary() {
	kernel.Register(
		kernel.Def{Name: expr.FuncBinaryAnd, Bind: kernel.Fn(kernel.TryBinary(bytewise(func(a, b byte) byte { return a & b })))},
		kernel.Def{Name: expr.FuncBinaryOr, Bind: kernel.Fn(kernel.TryBinary(bytewise(func(a, b byte) byte { return a | b })))},
		kernel.Def{Name: expr.FuncBinaryXor, Bind: kernel.Fn(kernel.TryBinary(bytewise(func(a, b byte) byte { return a ^ b })))},
		kernel.Def{Name: expr.FuncBinaryNot, Bind: kernel.Fn(kernel.TryUnary(complement)), Total: kernel.Always},
		kernel.Def{Name: expr.FuncBinaryShiftLeft, Bind: kernel.Fn(kernel.TryBinary(shiftLeft)), Total: kernel.Always},
		kernel.Def{Name: expr.FuncBinaryShiftRight, Bind: kernel.Fn(kernel.TryBinary(shiftRight)), Total: kernel.Always},
		kernel.Def{Name: "bit_count", Bind: bindBitCount, Total: kernel.Always},
	)
}

// bytewise combines binary strings of equal length byte by byte.
func bytewise(f func(a, b byte) byte) func(rt *kernel.Runtime, a, b string) (string, bool, error) {
	return func(rt *kernel.Runtime, a, b string) (string, bool, error) {
		if len(a) != len(b) {
			return "", false, rt.Fail(sqlerr.InvalidBitwiseOperandsSize, "Binary operands of bitwise operators must be of equal length")
		}
		out, long, err := rt.Copy(a)
		if long || err != nil {
			return "", false, err
		}
		for i := range out {
			out[i] = f(a[i], b[i])
		}
		return rt.Keep(out), true, nil
	}
}

func complement(rt *kernel.Runtime, s string) (string, bool, error) {
	out, long, err := rt.Copy(s)
	if long || err != nil {
		return "", false, err
	}
	for i := range out {
		out[i] = ^out[i]
	}
	return rt.Keep(out), true, nil
}

// shiftLeft shifts the bits of a binary string towards its first byte; bits shifted beyond it are
// lost.
func shiftLeft(rt *kernel.Runtime, s string, n uint64) (string, bool, error) {
	return shifted(rt, s, n, func(i, bytes int) (near, far int) { return i + bytes, i + bytes + 1 }, func(near, far byte, n uint) byte {
		return near<<n | far>>(8-n)
	})
}

// shiftRight shifts the bits towards the last byte.
func shiftRight(rt *kernel.Runtime, s string, n uint64) (string, bool, error) {
	return shifted(rt, s, n, func(i, bytes int) (near, far int) { return i - bytes, i - bytes - 1 }, func(near, far byte, n uint) byte {
		return near>>n | far<<(8-n)
	})
}

// shifted computes each byte from the two bytes that its bits come from.
func shifted(rt *kernel.Runtime, s string, n uint64, from func(i, bytes int) (near, far int), join func(near, far byte, n uint) byte) (string, bool, error) {
	n = min(n, uint64(len(s))*8)
	at := func(i int) byte {
		if i < 0 || i >= len(s) {
			return 0
		}
		return s[i]
	}
	out, long, err := rt.Copy(s)
	if long || err != nil {
		return "", false, err
	}
	for i := range out {
		near, far := from(i, int(n/8))
		out[i] = join(at(near), at(far), uint(n%8))
	}
	return rt.Keep(out), true, nil
}

// bindBitCount counts the bits of a number or of a binary string.
func bindBitCount(c *expr.Call) (kernel.Kernel, error) {
	if kernel.ArgKind(c, 0) != types.KindStr {
		return kernel.Unary(func(x uint64) int64 { return int64(bits.OnesCount64(x)) }), nil
	}
	return kernel.Unary(func(s string) int64 {
		n := 0
		for i := 0; i < len(s); i++ {
			n += bits.OnesCount8(s[i])
		}
		return int64(n)
	}), nil
}
