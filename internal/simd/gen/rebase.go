package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// signed are the operations on signed integers, by their size in bytes.
var signed = map[int]struct {
	least, greatest, subtract func(...Op)
	spread                    func(...Op)
}{
	1: {VPMINSB, VPMAXSB, VPSUBB, VPBROADCASTB},
	2: {VPMINSW, VPMAXSW, VPSUBW, VPBROADCASTW},
	4: {VPMINSD, VPMAXSD, VPSUBD, VPBROADCASTD},
}

// rebases writes the loops from integers of each size to unsigned ones of that size and of smaller ones.
func rebases() {
	for _, from := range []int{1, 2, 4} {
		for to := 1; to <= from; to *= 2 {
			rebase(from, to)
		}
	}
}

// rebase stores the low bytes of 128 differences per iteration. It keeps a least and a greatest element per lane,
// which it stores, because the caller combines few of them.
func rebase(from, to int) {
	const elements = 128
	name := fmt.Sprintf("rebase%dTo%dAVX2", 8*from, 8*to)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *uint%d, src *int%d, n int, bias int64, least, greatest *int%d)", 8*to, 8*from, 8*from))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s sets dst to the low bits of the first n elements of src, a positive multiple of %d, minus bias. least and greatest receive bounds of the elements in each lane of %d.",
		name, elements, 32/from))
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	op := signed[from]
	bias := YMM()
	low := XMM()
	MOVQ(Load(Param("bias"), GP64()), low)
	op.spread(low, bias)
	lo, hi := YMM(), YMM()
	VMOVDQU(Mem{Base: src}, lo)
	VMOVDQU(lo, hi)
	Label("iteration")
	read := 0
	next := func() reg.VecVirtual { // the differences of the next lanes
		x := YMM()
		VMOVDQU(Mem{Base: src, Disp: read}, x)
		read += 32
		op.least(x, lo, lo)
		op.greatest(x, hi, hi)
		op.subtract(bias, x, x)
		return x
	}
	for written := 0; written < elements*to; written += 32 {
		VMOVDQU(packed(next, from, to), Mem{Base: dst, Disp: written})
	}
	ADDQ(U32(uint32(elements*from)), src)
	ADDQ(U32(uint32(elements*to)), dst)
	SUBQ(I32(elements), n)
	JNZ(LabelRef("iteration"))
	VMOVDQU(lo, Mem{Base: Load(Param("least"), GP64())})
	VMOVDQU(hi, Mem{Base: Load(Param("greatest"), GP64())})
	VZEROUPPER()
	RET()
}

// packed returns 32 bytes of elements of size to, cut from those of size from that next returns.
func packed(next func() reg.VecVirtual, from, to int) reg.VecVirtual {
	if from == to {
		return next()
	}
	a, b := packed(next, from, 2*to), packed(next, from, 2*to)
	pack, bits := VPACKUSDW, uint64(16)
	if to == 1 {
		pack, bits = VPACKUSWB, 8
	}
	// Packing saturates, so that only the low bits may be set.
	shiftUp, shiftDown := VPSLLD, VPSRLD
	if to == 1 {
		shiftUp, shiftDown = VPSLLW, VPSRLW
	}
	for _, x := range []reg.VecVirtual{a, b} {
		shiftUp(Imm(bits), x, x)
		shiftDown(Imm(bits), x, x)
	}
	pack(b, a, a) // the first half of a, of b, the second half of a, of b
	VPERMQ(Imm(0xd8), a, a)
	return a
}
