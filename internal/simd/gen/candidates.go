package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// textCandidates compares three bytes of a needle at 32 positions of a text at a time.
func textCandidates() {
	TEXT("textCandidatesAVX2", NOSPLIT, "func(dst *int64, xs *string, n int, needle *byte, m int)")
	Pragma("noescape")
	Doc("textCandidatesAVX2 writes 1 for those of n > 0 texts that may contain the needle, of m > 0 bytes: whose first, middle and last byte they have at some position, or whose end it does not look at. It writes 0 for the others.")
	dst, xs := Load(Param("dst"), GP64()), Load(Param("xs"), GP64())
	n := Load(Param("n"), GP64())
	needle, last := Load(Param("needle"), GP64()), Load(Param("m"), GP64())
	half := GP64()
	MOVQ(last, half)
	SHRQ(Imm(1), half)
	SUBQ(Imm(1), last)
	broadcast := func(at Mem) reg.VecVirtual {
		r := YMM()
		VPBROADCASTB(at, r)
		return r
	}
	a, b, c := broadcast(Mem{Base: needle}), broadcast(Mem{Base: needle, Index: half, Scale: 1}), broadcast(Mem{Base: needle, Index: last, Scale: 1})
	p, left, found, hits := GP64(), GP64(), GP64(), GP32()
	x, y := YMM(), YMM()
	compare := func() { // the 32 positions from p on
		VPCMPEQB(Mem{Base: p}, a, x)
		VPCMPEQB(Mem{Base: p, Index: half, Scale: 1}, b, y)
		VPAND(x, y, x)
		VPCMPEQB(Mem{Base: p, Index: last, Scale: 1}, c, y)
		VPAND(x, y, x)
		VPMOVMSKB(x, hits)
	}
	Label("text")
	XORL(found.As32(), found.As32())
	MOVQ(Mem{Base: xs}, p)
	MOVQ(Mem{Base: xs, Disp: 8}, left)
	SUBQ(last, left) // the number of positions
	JLE(LabelRef("put"))
	CMPQ(left, Imm(32))
	JL(LabelRef("short"))
	Label("block")
	compare()
	TESTL(hits, hits)
	JNZ(LabelRef("hit"))
	ADDQ(Imm(32), p)
	SUBQ(Imm(32), left)
	JZ(LabelRef("put"))
	CMPQ(left, Imm(32))
	JGE(LabelRef("block"))
	LEAQ(Mem{Base: p, Index: left, Scale: 1, Disp: -32}, p) // the last block overlaps the previous one
	MOVQ(I32(32), left)
	JMP(LabelRef("block"))
	// The loads of a short text pass its end, which is safe within a page.
	Label("short")
	t := GP64()
	MOVQ(p, t)
	ANDQ(U32(4095), t)
	ADDQ(last, t)
	CMPQ(t, U32(4096-32))
	JA(LabelRef("hit"))
	compare()
	MOVQ(left, reg.RCX)
	MOVL(I32(-1), t.As32())
	SHLL(reg.CL, t.As32())
	NOTL(t.As32())
	ANDL(t.As32(), hits)
	JZ(LabelRef("put"))
	Label("hit")
	MOVL(U32(1), found.As32())
	Label("put")
	MOVQ(found, Mem{Base: dst})
	ADDQ(Imm(16), xs)
	ADDQ(Imm(8), dst)
	SUBQ(Imm(1), n)
	JNZ(LabelRef("text"))
	VZEROUPPER()
	RET()
}
