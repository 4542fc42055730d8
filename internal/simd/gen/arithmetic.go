package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func arithmetic(s *set, l lane, o operation, f form) {
	full := "arithmetic" + o.name + l.name + f.suffix + s.name
	begin(full, fmt.Sprintf("func(dst *%s, %sn int)", l.goType, f.parameters(l.goType)), "computes")
	dst := Load(Param("dst"), GP64())
	a, b := f.operands(s, l)
	n := Load(Param("n"), GP64())
	elements := min(perIteration, 8*s.bytes/l.bytes)
	Label("iteration")
	for i := range elements * l.bytes / s.bytes {
		r := s.vector()
		o.do(s, a.load(i), b.operand(i), r)
		s.move(r, Mem{Base: dst, Disp: s.bytes * i})
	}
	ADDQ(I32(int32(elements*l.bytes)), dst)
	a.advance(elements)
	b.advance(elements)
	end(n, elements)
}

// remainder computes a - trunc(a/b)*b, with the quotient as float64, or as float32 for factors of
// at most 23 bits. Both are exact: the quotient of such integers is further from the next greater
// integer than the rounding error. The result of division by zero is undefined.
func remainder(s *set, name string, f form, small bool) {
	doc := "computes a % b of"
	if small {
		doc = "computes a % b, both below 2^23, of"
	}
	l := lanes[0]
	begin("arithmetic"+name+l.name+f.suffix+s.name, fmt.Sprintf("func(dst *int32, %sn int)", f.parameters("int32")), doc)
	dst := Load(Param("dst"), GP64())
	a, b := f.operands(s, l)
	n := Load(Param("n"), GP64())
	quotients := divided(s, a, b)
	if small {
		quotients = dividedSmall(s, a, b)
	}
	const vectors = 2
	elements := vectors * s.bytes / l.bytes
	Label("iteration")
	for i := range vectors {
		x, y := a.load(i), b.load(i)
		q := quotients(x, y)
		VPMULLD(y, q, q)
		VPSUBD(q, x, q)
		s.move(q, Mem{Base: dst, Disp: s.bytes * i})
	}
	ADDQ(I32(int32(vectors*s.bytes)), dst)
	a.advance(elements)
	b.advance(elements)
	end(n, elements)
}

// dividedSmall returns the function that divides one vector by another as float32; a constant is
// converted beforehand.
func dividedSmall(s *set, a, b input) func(x, y reg.VecVirtual) reg.VecVirtual {
	floats := func(x reg.VecVirtual) reg.VecVirtual {
		f := s.vector()
		VCVTDQ2PS(x, f)
		return f
	}
	once := onlyOnce(a, b, floats)
	return func(x, y reg.VecVirtual) reg.VecVirtual {
		q, fx, fy := s.vector(), once[0], once[1]
		if fx == nil {
			fx = floats(x)
		}
		if fy == nil {
			fy = floats(y)
		}
		VDIVPS(fy, fx, q)
		VCVTTPS2DQ(q, q)
		return q
	}
}

// onlyOnce converts the operands that are constants; the others are nil.
func onlyOnce(a, b input, convert func(reg.VecVirtual) reg.VecVirtual) (out [2]reg.VecVirtual) {
	for i, in := range []input{a, b} {
		if in.at == nil {
			out[i] = convert(in.fixed)
		}
	}
	return out
}

// divided returns the function that divides one vector by another as float64, half a vector at a
// time. For a constant divisor it multiplies by the reciprocal, increased by 2^-50, so that
// multiples of the divisor do not come out too small. Other quotients are below the next integer by
// at least 2^-32 of it, and remain so.
func divided(s *set, a, b input) func(x, y reg.VecVirtual) reg.VecVirtual {
	floats := func(half reg.Register) reg.VecVirtual {
		f := s.vector()
		VCVTDQ2PD(half, f)
		return f
	}
	once := onlyOnce(a, b, func(x reg.VecVirtual) reg.VecVirtual { return floats(lower(s, x)) })
	if once[1] != nil {
		above := s.vector()
		VBROADCASTSD(constant("aboveOne", func() { DATA(0, F64(1+1.0/(1<<50))) }), above)
		VDIVPD(once[1], above, once[1])
	}
	half := func(x, y func() reg.Register) reg.VecVirtual {
		fx := once[0]
		if fx == nil {
			fx = floats(x())
		}
		out, q := s.vector(), s.half()
		if once[1] != nil {
			VMULPD(once[1], fx, out)
		} else {
			VDIVPD(floats(y()), fx, out)
		}
		truncate(s, out, q)
		return q
	}
	return func(x, y reg.VecVirtual) reg.VecVirtual {
		low := half(func() reg.Register { return lower(s, x) }, func() reg.Register { return lower(s, y) })
		high := half(func() reg.Register { return upper(s, x) }, func() reg.Register { return upper(s, y) })
		q := s.vector()
		if s == avx512 {
			s.join(high, low.AsZ(), q)
		} else {
			s.join(high, low.AsY(), q)
		}
		return q
	}
}

func lower(s *set, x reg.VecVirtual) reg.Register {
	if s == avx512 {
		return x.AsY()
	}
	return x.AsX()
}

func upper(s *set, x reg.VecVirtual) reg.Register {
	half := s.half()
	s.upper(x, half)
	return half
}

// truncate converts float64s to integers of 32 bits.
func truncate(s *set, x, half reg.VecVirtual) {
	if s == avx512 {
		VCVTTPD2DQ(x, half)
	} else {
		VCVTTPD2DQY(x, half)
	}
}
