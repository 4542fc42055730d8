package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mathPerIteration is how many elements the loops over mathematical functions process per
// iteration.
const mathPerIteration = 8

// transcendental writes logarithms, exponentials and powers. They perform, operation by operation,
// what the Go functions of the same names in package simd do.
func transcendental(s *set) {
	begin("logarithms"+s.name, "func(dst, src *float64, factor, rest float64, n int) uint64",
		"computes logarithms times factor+rest, and returns 0 if all arguments are positive and normal, of")
	floats := lanes[len(lanes)-1]
	factor, rest := spread(s, floats, "factor"), spread(s, floats, "rest")
	s.elementwise([]string{"dst", "src"}, func(at []Mem, out func(uint64, Op, Op)) reg.VecVirtual {
		x := s.load(at[0])
		normal(x, out)
		hi, lo := s.logarithm(x)
		p := s.mul(factor, hi)
		cross := s.fma(factor, lo, s.mul(rest, hi))
		return s.add(p, s.add(s.fms(factor, hi, p), cross))
	})

	begin("exponentials"+s.name, "func(dst, src *float64, n int) uint64", "computes powers of e of")
	s.elementwise([]string{"dst", "src"}, func(at []Mem, _ func(uint64, Op, Op)) reg.VecVirtual {
		zero := s.vector()
		VXORPD(zero, zero, zero)
		return s.exponential(s.load(at[0]), zero)
	})

	begin("powers"+s.name, "func(dst, x, y *float64, n int) uint64",
		"computes powers, and returns 0 if all bases are positive and normal and no exponent is above 2^64, of")
	s.elementwise([]string{"dst", "x", "y"}, func(at []Mem, out func(uint64, Op, Op)) reg.VecVirtual {
		x := s.load(at[0])
		normal(x, out)
		y := s.load(at[1])
		out(9, y, fullOf("minusTwoTo64", -1<<64))
		out(6, y, fullOf("twoTo64", 1<<64))
		hi, lo := s.logarithm(x)
		p := s.mul(y, hi)
		rest := s.fma(y, lo, s.fms(y, hi, p))
		return s.exponential(p, s.clamp(rest, fullOf("minusOne", -1), fullOf("one", 1)))
	})
}

// normal reports elements that are not positive, normal and finite.
func normal(x reg.VecVirtual, out func(uint64, Op, Op)) {
	out(9, x, fullOf("leastNormal", 0x1p-1022))
	out(6, x, fullOf("greatestFinite", math.MaxFloat64))
}

// elementwise is a loop that writes the results of f to the first parameter; the other parameters
// are its arguments. f may report elements by a predicate of VCMPPD, on which bits of the result
// are set.
func (s *set) elementwise(names []string, f func(at []Mem, out func(predicate uint64, x, y Op)) reg.VecVirtual) {
	dst, n := Load(Param(names[0]), GP64()), Load(Param("n"), GP64())
	from := make([]reg.Register, len(names)-1)
	for i, name := range names[1:] {
		from[i] = Load(Param(name), GP64())
	}
	found, seen := s.vector(), K()
	out := func(predicate uint64, x, y Op) {
		k, r := K(), s.vector()
		if s == avx512 {
			VCMPPD(Imm(predicate), y, x, k)
			KORW(k, seen, seen)
			return
		}
		VCMPPD(Imm(predicate), y, x, r)
		VORPD(r, found, found)
	}
	if s == avx512 {
		KXORW(seen, seen, seen)
	} else {
		VXORPD(found, found, found)
	}
	Label("iteration")
	for i := range mathPerIteration * 8 / s.bytes {
		at := make([]Mem, len(from))
		for j := range at {
			at[j] = Mem{Base: from[j], Disp: s.bytes * i}
		}
		s.move(f(at, out), Mem{Base: dst, Disp: s.bytes * i})
	}
	for _, r := range append(from, dst) {
		ADDQ(Imm(8*mathPerIteration), r)
	}
	SUBQ(Imm(mathPerIteration), n)
	JNZ(LabelRef("iteration"))
	bits := GP32()
	if s == avx512 {
		KMOVW(seen, bits)
	} else {
		VMOVMSKPD(found, bits)
	}
	Store(bits.As64(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// logarithm returns the natural logarithm as a sum.
func (s *set) logarithm(x reg.VecVirtual) (hi, lo reg.VecVirtual) {
	exponent, z := s.vector(), s.vector()
	VPADDQ(fullOfBits("oneLessRootOfHalf", 1023<<52-0x3fe6a09e667f3bcd), x, exponent)
	VPSRLQ(Imm(52), exponent, exponent)
	VPSLLQ(Imm(52), exponent, z)
	VPSUBQ(z, x, z)
	VPADDQ(fullOfBits("one", 1023<<52), z, z)
	s.or(fullOfBits("twoTo52", 0x433<<52), exponent)
	k := s.sub(exponent, fullOf("biasedTwoTo52", 1<<52+1023))

	one := fullOf("one", 1)
	f, d := s.sub(z, one), s.add(z, one)
	rest := s.sub(z, s.sub(d, one))
	g := s.vector()
	VDIVPD(d, s.load(one), g)
	r := s.mul(f, g)
	rLow := s.mul(s.fnma(r, rest, s.fnma(r, d, f)), g)
	square := s.mul(r, r)
	squareLow := s.fma(s.add(r, r), rLow, s.fms(r, r, square))

	t := s.mul(s.polynomial("logarithm", square, []float64{0x1.999999999999ap-2, 0x1.2492492492491p-2, 0x1.c71c71c71cfd9p-3, 0x1.745d174513593p-3,
		0x1.3b13b1bc75cd4p-3, 0x1.1110dfad0f8eap-3, 0x1.e1f7fa7547177p-4, 0x1.ac4a89c964b82p-4, 0x1.b8d433113b7fap-4}), square)
	third := s.load(fullOf("twoThirds", 0x1.5555555555555p-1))
	u := s.add(third, t)
	uLow := s.add(s.add(s.sub(third, u), t), fullOf("twoThirdsLow", 0x1.5555555555555p-55))
	w := s.mul(square, u)
	wLow := s.fma(squareLow, u, s.fma(square, uLow, s.fms(square, u, w)))
	v := s.mul(r, w)
	vLow := s.fma(rLow, w, s.fma(r, wLow, s.fms(r, w, v)))
	twice := s.add(r, r)
	h := s.add(twice, v)
	l := s.add(s.add(s.sub(twice, h), v), s.add(vLow, s.add(rLow, rLow)))

	whole := s.mul(k, fullOf("ln2", 0x1.62e42fefa4p-1))
	a := s.add(whole, h)
	b := s.add(s.add(s.sub(whole, a), h), s.fma(k, s.load(fullOf("ln2Low", -0x1.8432a1b0e2634p-43)), l))
	hi = s.add(a, b)
	return hi, s.add(s.sub(a, hi), b)
}

// exponential returns e to the power of a sum.
func (s *set) exponential(hi, lo reg.VecVirtual) reg.VecVirtual {
	hi = s.clamp(hi, fullOf("lowestExponent", -760), fullOf("highestExponent", 720))
	shift := fullOf("wholeBits", 3<<51)
	k := s.sub(s.fma(hi, s.load(fullOf("perLn2", 0x1.71547652b82fep+0)), s.load(shift)), shift)
	b := s.fnma(k, s.load(fullOf("ln2Low", -0x1.8432a1b0e2634p-43)), lo)
	h := s.fnma(k, s.load(fullOf("ln2", 0x1.62e42fefa4p-1)), hi)
	r := s.add(h, b)
	rLow := s.add(s.sub(h, r), b)
	q := s.polynomial("exponential", r, []float64{0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.11111111100dcp-7, 0x1.6c16c16c162d4p-10,
		0x1.a01a01abe7fe1p-13, 0x1.a01a01a6d889cp-16, 0x1.71de0231960ebp-19, 0x1.27e4db646b17ep-22, 0x1.af4de97ca4194p-26, 0x1.1f730349868cep-29})
	w := s.fma(s.mul(r, r), q, s.fma(rLow, r, rLow))
	one := s.load(fullOf("one", 1))
	sum := s.add(one, r)
	y := s.add(sum, s.add(w, s.add(s.sub(one, sum), r)))

	first := s.fma(k, s.load(fullOf("half", 0.5)), s.load(shift))
	second := s.add(s.sub(k, s.sub(first, shift)), shift)
	return s.mul(s.mul(y, powerOfTwo(first)), powerOfTwo(second))
}

// powerOfTwo converts x, a whole number added to 3*2^51, to that power of two.
func powerOfTwo(x reg.VecVirtual) reg.VecVirtual {
	VPSLLQ(Imm(52), x, x)
	VPADDQ(fullOfBits("one", 1023<<52), x, x)
	return x
}

// polynomial computes a polynomial by its coefficients, the constant first.
func (s *set) polynomial(name string, x reg.VecVirtual, c []float64) reg.VecVirtual {
	last := len(c) - 1
	p := s.load(fullOf(name+string(rune('a'+last)), c[last]))
	for i := last - 1; i >= 0; i-- {
		VFMADD213PD(fullOf(name+string(rune('a'+i)), c[i]), x, p)
	}
	return p
}

// fullOf is read-only memory that is full of a number.
func fullOf(name string, x float64) Mem { return fullOfBits(name, math.Float64bits(x)) }

func fullOfBits(name string, x uint64) Mem {
	return constant(name+"Wide", func() {
		for i := range 8 {
			DATA(8*i, U64(x))
		}
	})
}

func (s *set) load(x Op) reg.VecVirtual {
	r := s.vector()
	s.move(x, r)
	return r
}

func (s *set) binary(do func(...Op), a, b Op) reg.VecVirtual {
	r := s.vector()
	do(b, a, r)
	return r
}

func (s *set) add(a, b Op) reg.VecVirtual { return s.binary(VADDPD, a, b) }
func (s *set) sub(a, b Op) reg.VecVirtual { return s.binary(VSUBPD, a, b) }
func (s *set) mul(a, b Op) reg.VecVirtual { return s.binary(VMULPD, a, b) }

func (s *set) clamp(x, lo, hi Op) reg.VecVirtual {
	return s.binary(VMAXPD, s.binary(VMINPD, x, hi), lo)
}

// or sets bits of x.
func (s *set) or(bits Op, x reg.VecVirtual) {
	if s == avx512 {
		VPORQ(bits, x, x)
	} else {
		VPOR(bits, x, x)
	}
}

// fused emits an instruction that adds to its last operand.
func (s *set) fused(do func(...Op), a, b, c reg.VecVirtual) reg.VecVirtual {
	r := s.vector()
	s.move(c, r)
	do(a, b, r)
	return r
}

func (s *set) fma(a, b, c reg.VecVirtual) reg.VecVirtual  { return s.fused(VFMADD231PD, a, b, c) }  // a*b + c
func (s *set) fms(a, b, c reg.VecVirtual) reg.VecVirtual  { return s.fused(VFMSUB231PD, a, b, c) }  // a*b - c
func (s *set) fnma(a, b, c reg.VecVirtual) reg.VecVirtual { return s.fused(VFNMADD231PD, a, b, c) } // c - a*b

// roots writes square roots and roundings to whole numbers.
func roots(s *set) {
	loop := func(name string, do func(x Mem, r reg.VecVirtual)) {
		begin(name+s.name, "func(dst, src *float64, n int) uint64", "computes "+name+" of")
		s.elementwise([]string{"dst", "src"}, func(at []Mem, _ func(uint64, Op, Op)) reg.VecVirtual {
			r := s.vector()
			do(at[0], r)
			return r
		})
	}
	loop("squareRoots", func(x Mem, r reg.VecVirtual) { VSQRTPD(x, r) })
	for i, name := range []string{"floors", "ceilings"} {
		mode := Imm(uint64(i) + 9) // no exception for inexact results
		loop(name, func(x Mem, r reg.VecVirtual) {
			if s == avx512 {
				VRNDSCALEPD(mode, x, r)
			} else {
				VROUNDPD(mode, x, r)
			}
		})
	}
}
