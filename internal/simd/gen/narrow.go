package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// narrow stores the low bytes of 32 differences per iteration, size of each.
func narrow(name, typ string, size int) {
	TEXT(name, NOSPLIT, "func(dst *"+typ+", src *int64, n int, bias int64)")
	Pragma("noescape")
	Doc(name + " sets dst to the low bits of the first n elements of src, a positive multiple of 32, minus bias.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	n, bias := Load(Param("n"), GP64()), inLanes("bias", 8)
	Label("iteration")
	var lanes []reg.VecVirtual
	for i := range 4 {
		x, y := YMM(), YMM()
		VMOVDQU(Mem{Base: src, Disp: 64 * i}, x)
		VMOVDQU(Mem{Base: src, Disp: 64*i + 32}, y)
		VPSUBQ(bias, x, x)
		VPSUBQ(bias, y, y)
		VSHUFPS(Imm(0x88), y, x, x) // the lower halves of two of x, two of y, two of x, two of y
		VPERMQ(Imm(0xd8), x, x)
		lanes = append(lanes, x)
	}
	storeLow(lanes, dst, size)
	ADDQ(U32(32*8), src)
	ADDQ(U32(uint32(32*size)), dst)
	SUBQ(Imm(32), n)
	JNZ(LabelRef("iteration"))
	VZEROUPPER()
	RET()
}
