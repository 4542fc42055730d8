package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// hasher has the registers for hashing integers as package rowhash does.
type hasher struct {
	*set
	xor, and, or func(x, y, r Op)

	seed, factor, upperFactor, half reg.VecVirtual
}

func newHasher(s *set) *hasher {
	h := &hasher{set: s, xor: VPXOR, and: VPAND, or: VPOR}
	if s == avx512 {
		h.xor, h.and, h.or = wide(VPXORQ), wide(VPANDQ), wide(VPORQ)
	}
	h.seed, h.factor, h.upperFactor = h.fill(0xa0761d6478bd642f), h.fill(0x9e3779b97f4a7c15), h.fill(0x9e3779b9)
	h.half = h.fill(1<<32 - 1)
	return h
}

func wide(instruction func(...Op)) func(x, y, r Op) {
	return func(x, y, r Op) { instruction(x, y, r) }
}

// fill returns a register full of a word.
func (h *hasher) fill(word uint64) reg.VecVirtual {
	if h.set == avx2 {
		return everywhere(word)
	}
	w, r := GP64(), ZMM()
	MOVQ(U64(word), w)
	VPBROADCASTQ(w, r)
	return r
}

// hash folds the product of seed ^ x, of 128 bits, which is computed from those of halves.
func (h *hasher) hash(x reg.VecVirtual) reg.VecVirtual {
	upper, low, middle, high, carry := h.vector(), h.vector(), h.vector(), h.vector(), h.vector()
	h.xor(h.seed, x, x)
	VPSRLQ(Imm(32), x, upper)
	VPMULUDQ(h.factor, x, low)
	VPMULUDQ(h.upperFactor, x, middle)
	VPMULUDQ(h.factor, upper, carry)
	VPMULUDQ(h.upperFactor, upper, high)
	VPSRLQ(Imm(32), low, x)
	VPADDQ(x, carry, carry)
	h.and(h.half, carry, x)
	VPADDQ(x, middle, middle)
	VPSRLQ(Imm(32), carry, carry)
	VPADDQ(carry, high, high)
	VPSRLQ(Imm(32), middle, x)
	VPADDQ(x, high, high)
	VPSLLQ(Imm(32), middle, middle)
	h.and(h.half, low, low)
	h.or(low, middle, low)
	h.xor(low, high, high)
	return high
}

// hashDigits writes the top bits of hashes, 16 integers per iteration.
func hashDigits(s *set) {
	begin("hashDigits"+s.name, "func(dst *uint16, xs *uint64, n int, shift uint64)", "writes the hashes, shifted right, of")
	dst, xs := Load(Param("dst"), GP64()), Load(Param("xs"), GP64())
	n, shift := Load(Param("n"), GP64()), XMM()
	w := Load(Param("shift"), GP64())
	VMOVQ(w, shift)
	h := newHasher(s)
	var inOrder reg.VecVirtual
	if s == avx2 {
		inOrder = YMM()
		VMOVDQU(lanesInOrder(), inOrder)
	}
	Label("iteration")
	digits := make([]reg.VecVirtual, 128/s.bytes)
	for i := range digits {
		x := h.vector()
		h.move(Mem{Base: xs, Disp: s.bytes * i}, x)
		digits[i] = h.hash(x)
		VPSRLQ(shift, digits[i], digits[i])
		if s == avx512 {
			VPMOVQW(digits[i], Mem{Base: dst, Disp: 16 * i})
		}
	}
	if s == avx2 { // packing works on halves of registers
		VPACKUSDW(digits[1], digits[0], digits[0])
		VPACKUSDW(digits[3], digits[2], digits[2])
		VPACKUSDW(digits[2], digits[0], digits[0])
		VPERMD(digits[0], inOrder, digits[0])
		VMOVDQU(digits[0], Mem{Base: dst})
	}
	ADDQ(I32(128), xs)
	ADDQ(Imm(32), dst)
	end(n, 16)
}
