package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// numbers writes loops over a column of numbers.
func numbers() {
	collect("notFiniteAVX2", "func(xs *float64, n int) uint64", "returns zero if all are finite of", func(x Mem, all reg.VecVirtual) {
		y := YMM()
		VMOVDQU(x, y)
		VSUBPD(y, y, y) // zero, or NaN
		VPOR(y, all, all)
	})
	collect("magnitudesAVX2", "func(xs *int64, n int) uint64", "gives the bits that some have beside copies of the sign of", func(x Mem, all reg.VecVirtual) {
		y, signs := YMM(), YMM()
		VPXOR(signs, signs, signs)
		VPCMPGTQ(x, signs, signs)
		VPXOR(x, signs, y)
		VPOR(y, all, all)
	})
	for _, s := range sets {
		doubles(s)
	}
}

// collect computes the bitwise or of what bits returns for each vector.
func collect(name, signature, doc string, bits func(x Mem, all reg.VecVirtual)) {
	begin(name, signature, doc)
	xs, n := Load(Param("xs"), GP64()), Load(Param("n"), GP64())
	all := [2]reg.VecVirtual{YMM(), YMM()}
	VPXOR(all[0], all[0], all[0])
	VPXOR(all[1], all[1], all[1])
	const elements = 32
	Label("iteration")
	for i := range elements / 4 {
		bits(Mem{Base: xs, Disp: 32 * i}, all[i%2])
	}
	ADDQ(I32(elements*8), xs)
	SUBQ(Imm(elements), n)
	JNZ(LabelRef("iteration"))
	Store(across(avx2, all, func(x, acc reg.Register) { VPOR(x, acc, acc) }), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// doubles converts integers. AVX2 converts halves: the lower one is put into the mantissa of 2^52,
// and the upper one, with its sign inverted, into that of 2^84. Subtracting 2^84 + 2^63 + 2^52 from
// the latter is exact, and only adding the former rounds.
func doubles(s *set) {
	begin("doubles"+s.name, "func(dst *float64, src *int64, n int)", "converts")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	var magic []reg.VecVirtual
	if s == avx2 {
		for i, bits := range []uint64{0x43300000_00000000, 0x45300000_80000000, 0x45300000_80100000} {
			r := YMM()
			VPBROADCASTQ(constant([]string{"twoTo52", "twoTo84And63", "twoTo84And63And52"}[i], func() { DATA(0, U64(bits)) }), r)
			magic = append(magic, r)
		}
	}
	const vectors = 4
	Label("iteration")
	for i := range vectors {
		from, r := Mem{Base: src, Disp: s.bytes * i}, s.vector()
		if s == avx512 {
			VCVTQQ2PD(from, r)
		} else {
			x, upper := YMM(), YMM()
			VMOVDQU(from, x)
			VPBLENDD(Imm(0x55), x, magic[0], r)
			VPSRLQ(Imm(32), x, upper)
			VPXOR(magic[1], upper, upper)
			VSUBPD(magic[2], upper, upper)
			VADDPD(r, upper, r)
		}
		s.move(r, Mem{Base: dst, Disp: s.bytes * i})
	}
	ADDQ(I32(int32(vectors*s.bytes)), src)
	ADDQ(I32(int32(vectors*s.bytes)), dst)
	end(n, vectors*s.bytes/8)
}
