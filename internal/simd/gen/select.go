package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// selectRows compares 8 or 16 elements per iteration and writes the positions of those that pass.
// It writes all slots of the iteration; the next iteration overwrites the unused ones.
func selectRows(s *set, l lane, name string, predicate uint64) {
	begin("select"+name+l.name+s.name, fmt.Sprintf("func(dst *int32, xs *%s, n int, c %s) int", l.goType, l.goType), "selects among")
	start, xs := Load(Param("dst"), GP64()), loadInput(s, l, "xs", true)
	n := Load(Param("n"), GP64())
	c := loadInput(s, l, "c", false)
	dst := GP64()
	MOVQ(start, dst)
	var step func() (bits reg.GPVirtual)
	width := 8
	if s == avx512 {
		width = s.bytes / l.bytes
		step = compressed(l, predicate, xs, c, dst, width)
	} else {
		step = lookedUp(l, predicate, xs, c, dst)
	}
	selecting(start, dst, n, width, step, func() { xs.advance(width) })
}

// selecting processes width elements per iteration until n are done. step writes the selected
// positions to dst, which began at start, and returns one bit for each; advance moves to the next
// elements.
func selecting(start, dst, n reg.Register, width int, step func() (bits reg.GPVirtual), advance func()) {
	Label("iteration")
	bits := step()
	POPCNTL(bits, bits)
	LEAQ(Mem{Base: dst, Index: bits.As64(), Scale: 4}, dst)
	advance()
	SUBQ(Imm(uint64(width)), n)
	JNZ(LabelRef("iteration"))
	SUBQ(start, dst)
	SHRQ(Imm(2), dst)
	Store(dst, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// compressed selects with a mask register.
func compressed(l lane, predicate uint64, xs, c input, dst reg.Register, width int) func() reg.GPVirtual {
	return compressing(dst, width, func(mask reg.Register) { l.masked(predicate, xs.load(0), c.fixed, mask) })
}

// compressing writes the positions that selected puts into a mask register. It compresses them into
// a register first, because compressing to memory is slow on some processors.
func compressing(dst reg.Register, width int, selected func(mask reg.Register)) func() reg.GPVirtual {
	vector := YMM
	if width == 16 {
		vector = ZMM
	}
	rows, step, passed := vector(), vector(), vector()
	VPMOVZXBD(constant("positions", positions), rows)
	count := GP32()
	MOVL(U32(uint32(width)), count)
	VPBROADCASTD(count, step)
	return func() reg.GPVirtual {
		mask, bits := K(), GP32()
		selected(mask)
		VPCOMPRESSD_Z(rows, mask, passed)
		VMOVDQU32(passed, Mem{Base: dst})
		KMOVW(mask, bits)
		VPADDD(step, rows, rows)
		return bits
	}
}

// fromZero returns lanes of zeros.
func fromZero() reg.VecVirtual {
	base := YMM()
	VPXOR(base, base, base)
	return base
}

// lookUp writes positions for eight bits at a time, counted from the lanes of base.
func lookUp(dst reg.Register, base reg.VecVirtual) func(bits reg.GPVirtual) {
	table, step, passed := GP64(), YMM(), YMM()
	LEAQ(constant("compressions", compressions), table)
	count := GP32()
	MOVL(U32(8), count)
	VMOVD(count, step.AsX())
	VPBROADCASTD(step.AsX(), step)
	return func(bits reg.GPVirtual) {
		VPMOVZXBD(Mem{Base: table, Index: bits.As64(), Scale: 8}, passed)
		VPADDD(base, passed, passed)
		VMOVDQU(passed, Mem{Base: dst})
		VPADDD(step, base, base)
	}
}

// positions writes the positions of bits. Eight slots are written for each byte, as in selectRows.
func positionsOf() {
	begin("positionsAVX2", "func(dst *int32, mask *uint64, n int, first int32) int", "writes the positions of the bits set, counted from first, among")
	start, mask := Load(Param("dst"), GP64()), Load(Param("mask"), GP64())
	n, first := Load(Param("n"), GP64()), Load(Param("first"), GP32())
	dst, bits, base := GP64(), GP32(), YMM()
	MOVQ(start, dst)
	VMOVD(first, base.AsX())
	VPBROADCASTD(base.AsX(), base)
	write := lookUp(dst, base)
	const bytes = 4
	Label("iteration")
	for i := range bytes {
		MOVBLZX(Mem{Base: mask, Disp: i}, bits)
		write(bits)
		POPCNTL(bits, bits)
		LEAQ(Mem{Base: dst, Index: bits.As64(), Scale: 4}, dst)
	}
	ADDQ(Imm(bytes), mask)
	SUBQ(Imm(8*bytes), n)
	JNZ(LabelRef("iteration"))
	SUBQ(start, dst)
	SHRQ(Imm(2), dst)
	Store(dst, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// lookedUp finds the positions of the bits of eight elements in a table.
func lookedUp(l lane, predicate uint64, xs, c input, dst reg.Register) func() reg.GPVirtual {
	write := lookUp(dst, fromZero())
	return func() reg.GPVirtual {
		bits := GP32()
		if l.bytes == 4 {
			r, negated := l.flags(predicate, xs, c, 0)
			VMOVMSKPS(r, bits)
			complement(negated, bits)
		} else {
			low, _ := l.flags(predicate, xs, c, 0)
			high, negated := l.flags(predicate, xs, c, 1)
			upper := GP32()
			VMOVMSKPD(low, bits)
			VMOVMSKPD(high, upper)
			SHLL(Imm(4), upper)
			ORL(upper, bits)
			complement(negated, bits)
		}
		write(bits)
		return bits
	}
}

// complement negates eight bits.
func complement(negated bool, bits reg.Register) {
	if negated {
		XORL(Imm(255), bits)
	}
}

// positions are the numbers 0 to 15, one byte each.
func positions() {
	for i := range 16 {
		DATA(i, U8(uint8(i)))
	}
}

// compressions have, for each combination of eight bits, the positions of those set, one byte each.
func compressions() {
	for bits := range 256 {
		var places uint64
		n := 0
		for i := range 8 {
			if bits>>i&1 == 1 {
				places |= uint64(i) << (8 * n)
				n++
			}
		}
		DATA(8*bits, U64(places))
	}
}
