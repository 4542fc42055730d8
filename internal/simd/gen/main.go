// Command gen writes the assembly of package simd; it is a module of its own, which go generate
// runs in the package's folder.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// predicates are those of VPCMPQ, by the names of the functions.
var predicates = []struct {
	name string
	code uint64
}{{"Equal", 0}, {"Less", 1}, {"LessEqual", 2}, {"NotEqual", 4}, {"GreaterEqual", 5}, {"Greater", 6}}

func main() {
	widen()
	for _, p := range predicates {
		selectRows(p.name, p.code)
	}
	for _, l := range lanes {
		for _, o := range l.ops {
			for _, f := range forms {
				arithmetic(l, o, f)
			}
		}
		for _, p := range predicates {
			for _, f := range forms[:2] {
				compare(l, p.name, p.code, f)
			}
		}
	}
	for _, f := range forms {
		remainder("Int32", f, false)
		remainder("Small", f, true)
	}
	unpack()
	columns()
	sumMasked()
	leastMasked()
	Generate()
}

// widen sign-extends 16 integers a turn.
func widen() {
	TEXT("widenAVX2", NOSPLIT, "func(dst *int64, src *int32, n int)")
	Pragma("noescape")
	Doc("widenAVX2 widens n integers, a positive multiple of 16.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	Label("turn")
	regs := make([]reg.VecVirtual, 4)
	for i := range regs {
		regs[i] = YMM()
		VPMOVSXDQ(Mem{Base: src, Disp: 16 * i}, regs[i])
	}
	for i, r := range regs {
		VMOVDQU(r, Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(Imm(64), src)
	ADDQ(Imm(128), dst)
	SUBQ(Imm(16), n)
	JNZ(LabelRef("turn"))
	VZEROUPPER()
	RET()
}

// selectRows compares 8 integers a turn and writes the positions of those that pass: all 8
// slots of the turn, of which the next turn overwrites what did not pass. Compressing to a
// register first, because to memory it is slow on some processors.
func selectRows(name string, predicate uint64) {
	TEXT("select"+name+"AVX512", NOSPLIT, "func(dst *int32, xs *int64, n int, c int64) int")
	Pragma("noescape")
	Doc(fmt.Sprintf("select%sAVX512 selects among n integers, a positive multiple of 8; dst has room for n.", name))
	start, xs := Load(Param("dst"), GP64()), Load(Param("xs"), GP64())
	n := Load(Param("n"), GP64())
	c := GP64()
	Load(Param("c"), c)
	dst := GP64()
	MOVQ(start, dst)
	constant, rows, step, passed := ZMM(), YMM(), YMM(), YMM()
	VPBROADCASTQ(c, constant)
	VMOVDQU(first(), rows)
	eight := GP32()
	MOVL(U32(8), eight)
	VPBROADCASTD(eight, step)
	Label("turn")
	mask, bits := K(), GP32()
	x := ZMM()
	VMOVDQU64(Mem{Base: xs}, x)
	VPCMPQ(Imm(predicate), constant, x, mask)
	VPCOMPRESSD_Z(rows, mask, passed)
	VMOVDQU(passed, Mem{Base: dst})
	KMOVW(mask, bits)
	POPCNTL(bits, bits)
	LEAQ(Mem{Base: dst, Index: bits.As64(), Scale: 4}, dst)
	VPADDD(step, rows, rows)
	ADDQ(Imm(64), xs)
	SUBQ(Imm(8), n)
	JNZ(LabelRef("turn"))
	SUBQ(start, dst)
	SHRQ(Imm(2), dst)
	Store(dst, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

var table Mem

// first gives the numbers 0 to 7.
func first() Mem {
	if table.Base == nil {
		table = GLOBL("rows", RODATA|NOPTR)
		for i := range 8 {
			DATA(4*i, U32(uint32(i)))
		}
	}
	return table
}
