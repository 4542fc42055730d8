package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// runs writes the loops over runs of equal elements: an iteration stores a register full of one
// value, and the next run starts where the one before it ends, overwriting what was stored beyond.
func runs() {
	repeat("repeatAVX2", "func(dst *int32, values *int32, ends *int32, n int)",
		"repeatAVX2 writes element i of values up to ends[i], for n runs, a positive number. It writes up to 7 elements more.",
		4, func(values, _, run, at reg.Register, x reg.VecVirtual) {
			VPBROADCASTD(Mem{Base: values, Index: run, Scale: 4}, x)
		})
	repeat("repeatRowsAVX2", "func(dst *int64, values *int64, ends *int32, n int, rows *int32)",
		"repeatRowsAVX2 is repeatAVX2 of the elements of values that rows has where each run starts. It writes up to 3 elements more.",
		8, func(values, rows, run, at reg.Register, x reg.VecVirtual) {
			row := GP64()
			MOVLQSX(Mem{Base: rows, Index: at, Scale: 4}, row)
			VPBROADCASTQ(Mem{Base: values, Index: row, Scale: 8}, x)
		})
}

func repeat(name, signature, doc string, size int, value func(values, rows, run, at reg.Register, x reg.VecVirtual)) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc)
	dst, values := Load(Param("dst"), GP64()), Load(Param("values"), GP64())
	ends, n := Load(Param("ends"), GP64()), Load(Param("n"), GP64())
	rows := GP64()
	if size == 8 {
		Load(Param("rows"), rows)
	}
	run, at, end, start := GP64(), GP64(), GP64(), GP64()
	XORQ(run, run)
	XORQ(start, start)
	Label("run")
	x := YMM()
	value(values, rows, run, start, x)
	MOVLQSX(Mem{Base: ends, Index: run, Scale: 4}, end)
	MOVQ(start, at)
	Label("iteration")
	VMOVDQU(x, Mem{Base: dst, Index: at, Scale: uint8(size)})
	ADDQ(Imm(uint64(32/size)), at)
	CMPQ(at, end)
	JLT(LabelRef("iteration"))
	MOVQ(end, start)
	INCQ(run)
	CMPQ(run, n)
	JLT(LabelRef("run"))
	VZEROUPPER()
	RET()
}
