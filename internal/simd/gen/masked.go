package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fold combines elements under a mask.
type fold struct {
	clear  func(acc reg.VecVirtual)
	masked func(k reg.Register, x Mem, acc reg.VecVirtual)   // under a mask register
	signed func(m reg.VecVirtual, x Mem, acc reg.VecVirtual) // where the sign of m is set
	both   func(x, acc reg.Register)
	finish func(r reg.GPVirtual)
}

// sumMasked adds the elements that the mask has.
func sumMasked(s *set) {
	begin("sumMasked"+s.name, "func(xs *int64, mask *uint64, n int) int64", "adds those that mask has of")
	add := func(x, acc reg.Register) { VPADDQ(x, acc, acc) }
	masked(s, fold{
		clear:  func(acc reg.VecVirtual) { VPXOR(acc.AsY(), acc.AsY(), acc.AsY()) },
		masked: func(k reg.Register, x Mem, acc reg.VecVirtual) { VPADDQ(x, acc, k, acc) },
		signed: func(m reg.VecVirtual, x Mem, acc reg.VecVirtual) {
			y := YMM()
			VPMASKMOVQ(x, m, y)
			add(y, acc)
		},
		both:   add,
		finish: func(reg.GPVirtual) {},
	})
}

// leastMasked computes the least of the elements that the mask has. AVX2 compares them as signed
// integers, with the highest bit inverted.
func leastMasked(s *set) {
	begin("leastMasked"+s.name, "func(xs *uint64, mask *uint64, n int) uint64", "gives the least that mask has, or all ones, of")
	if s == avx512 {
		masked(s, fold{
			clear:  func(acc reg.VecVirtual) { VPTERNLOGQ(Imm(255), acc, acc, acc) },
			masked: func(k reg.Register, x Mem, acc reg.VecVirtual) { VPMINUQ(x, acc, k, acc) },
			both:   func(x, acc reg.Register) { VPMINUQ(x, acc, acc) },
			finish: func(reg.GPVirtual) {},
		})
		return
	}
	top := YMM()
	VPCMPEQD(top, top, top)
	VPSLLQ(Imm(63), top, top)
	masked(s, fold{
		clear: func(acc reg.VecVirtual) {
			VPCMPEQD(acc, acc, acc)
			VPSRLQ(Imm(1), acc, acc)
		},
		signed: func(m reg.VecVirtual, x Mem, acc reg.VecVirtual) {
			y, below := YMM(), YMM()
			VPXOR(x, top, y)
			VPCMPGTQ(y, acc, below)
			VPAND(m, below, below)
			VBLENDVPD(below, y, acc, acc)
		},
		both: func(x, acc reg.Register) {
			below := YMM()
			if x.Size() == 16 {
				below = XMM()
			}
			VPCMPGTQ(x, acc, below)
			VBLENDVPD(below, x, acc, acc)
		},
		finish: func(r reg.GPVirtual) { BTCQ(Imm(63), r) },
	})
}

// masked is a loop over 64 elements per iteration with two accumulators.
func masked(s *set, f fold) {
	xs, mask := Load(Param("xs"), GP64()), Load(Param("mask"), GP64())
	n := Load(Param("n"), GP64())
	acc := [2]reg.VecVirtual{s.vector(), s.vector()}
	f.clear(acc[0])
	f.clear(acc[1])
	if s == avx512 {
		Label("iteration")
		for i := range perIteration / 8 {
			k := K()
			KMOVB(Mem{Base: mask, Disp: i}, k)
			f.masked(k, Mem{Base: xs, Disp: 64 * i}, acc[i%2])
		}
	} else {
		signedIteration(f, xs, mask, acc)
	}
	ADDQ(I32(perIteration*8), xs)
	ADDQ(Imm(perIteration/8), mask)
	SUBQ(Imm(perIteration), n)
	JNZ(LabelRef("iteration"))
	reduce(s, acc, f)
}

// signedIteration begins with the last four elements, whose mask bits it moves to the signs of
// lanes; those of the others follow in groups of four.
func signedIteration(f fold, xs, mask reg.Register, acc [2]reg.VecVirtual) {
	places, m := YMM(), YMM()
	VPMOVZXBQ(constant("lanePlaces", func() { DATA(0, U32(0x00010203)) }), places)
	Label("iteration")
	VPBROADCASTQ(Mem{Base: mask}, m)
	VPSLLVQ(places, m, m)
	for i := perIteration/4 - 1; i >= 0; i-- {
		f.signed(m, Mem{Base: xs, Disp: 32 * i}, acc[i%2])
		if i > 0 {
			VPSLLQ(Imm(4), m, m)
		}
	}
}

// reduce combines the elements of two accumulators and returns.
func reduce(s *set, acc [2]reg.VecVirtual, f fold) {
	out := across(s, acc, f.both)
	f.finish(out)
	Store(out, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// across combines the elements of two accumulators.
func across(s *set, acc [2]reg.VecVirtual, both func(x, acc reg.Register)) reg.GPVirtual {
	all := acc[0]
	both(acc[1], all)
	y, x, high, out := all, XMM(), XMM(), GP64()
	if s == avx512 {
		y = YMM()
		s.upper(all, y)
		both(all.AsY(), y)
	}
	VEXTRACTI128(Imm(1), y, x)
	both(y.AsX(), x)
	VPSHUFD(Imm(0x4e), x, high)
	both(high, x)
	VMOVQ(x, out)
	return out
}
