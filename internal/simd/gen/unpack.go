package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in type unpacking, to which how points.
const (
	unpackShifts = 32
	unpackMask   = 64
	unpackHigh   = 72
	unpackStep   = 80
)

// unpack distributes the bits of 32 values per iteration, 8 at a time: the bytes with four of them
// are loaded to each half of a register, shuffled so that each value's bytes are in its lane,
// shifted down and masked.
func unpack() {
	TEXT("unpackAVX2", NOSPLIT, "func(dst *int32, src *byte, n int, how *byte) uint32")
	Pragma("noescape")
	Doc("unpackAVX2 unpacks n values, a positive multiple of 32, and gives the greatest of them; how points to an unpacking.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	n, how := Load(Param("n"), GP64()), Load(Param("how"), GP64())
	shuffle, shifts, mask, most := YMM(), YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: how}, shuffle)
	VMOVDQU(Mem{Base: how, Disp: unpackShifts}, shifts)
	VPBROADCASTD(Mem{Base: how, Disp: unpackMask}, mask)
	high, step := GP64(), GP64()
	MOVQ(Mem{Base: how, Disp: unpackHigh}, high)
	MOVQ(Mem{Base: how, Disp: unpackStep}, step)
	VPXOR(most, most, most)
	Label("iteration")
	for i := range 4 {
		x := YMM()
		VMOVDQU(Mem{Base: src}, x.AsX())
		VINSERTI128(Imm(1), Mem{Base: src, Index: high, Scale: 1}, x, x)
		ADDQ(step, src)
		VPSHUFB(shuffle, x, x)
		VPSRLVD(shifts, x, x)
		VPAND(mask, x, x)
		VPMAXUD(x, most, most)
		VMOVDQU(x, Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(U32(128), dst)
	SUBQ(Imm(32), n)
	JNZ(LabelRef("iteration"))
	Store(greatest(most), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// greatest returns the greatest of the unsigned integers in x.
func greatest(x reg.VecVirtual) reg.GPVirtual {
	half, out := XMM(), GP32()
	VEXTRACTI128(Imm(1), x, half)
	VPMAXUD(half, x.AsX(), half)
	for _, order := range []uint64{0x4e, 0xb1} { // the other half, the neighbour
		other := XMM()
		VPSHUFD(Imm(order), half, other)
		VPMAXUD(other, half, half)
	}
	VMOVD(half, out)
	return out
}
