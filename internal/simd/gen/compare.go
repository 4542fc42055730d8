package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// compare writes one bit per element.
func compare(s *set, l lane, name string, predicate uint64, f form) {
	full := "compare" + name + l.name + f.suffix + s.name
	begin(full, fmt.Sprintf("func(dst *uint64, %sn int)", f.parameters(l.goType)), "compares")
	dst := Load(Param("dst"), GP64())
	a, b := f.operands(s, l)
	n := Load(Param("n"), GP64())
	elements := perIteration
	if s == avx512 {
		Label("iteration")
		compareMasked(l, predicate, a, b, dst)
	} else {
		order := packOrder(l)
		Label("iteration")
		elements = comparePacked(l, predicate, a, b, order, dst)
	}
	ADDQ(Imm(uint64(elements/8)), dst)
	a.advance(elements)
	b.advance(elements)
	end(n, elements)
}

// compareMasked compares the elements of an iteration into mask registers.
func compareMasked(l lane, predicate uint64, a, b input, dst reg.Register) {
	width := avx512.bytes / l.bytes // elements of a vector, bits of its mask
	for i := range perIteration / width {
		k := K()
		l.masked(predicate, a.load(i), b.operand(i), k)
		if width == 16 {
			KMOVW(k, Mem{Base: dst, Disp: 2 * i})
		} else {
			KMOVB(k, Mem{Base: dst, Disp: i})
		}
	}
}

// flags compares the i-th vectors; if negated, with the opposite predicate.
func (l lane) flags(predicate uint64, a, b input, i int) (r reg.VecVirtual, negated bool) {
	r = YMM()
	if l.any != nil {
		l.any(predicate, a.load(i), b.operand(i), r)
		return r, false
	}
	switch predicate {
	case equal, notEqual:
		l.equal(a.load(i), b.operand(i), r)
	case greater, lessEqual:
		l.greater(a.load(i), b.operand(i), r)
	default:
		l.greater(b.load(i), a.operand(i), r)
	}
	return r, predicate == notEqual || predicate == lessEqual || predicate == greaterEqual
}

// packOrder loads the order into which comparePacked permutes bytes.
func packOrder(l lane) reg.VecVirtual {
	order := YMM()
	if l.bytes == 4 {
		VMOVDQU(lanesInOrder(), order)
		return order
	}
	VMOVDQU(constant("interleave", func() {
		for i := range 4 {
			DATA(8*i, U64([2]uint64{0x0b0a_0302_0908_0100, 0x0f0e_0706_0d0c_0504}[i%2]))
		}
	}), order)
	return order
}

// lanesInOrder returns the order that interleaves packed doublewords of both lanes of 128 bits.
func lanesInOrder() Mem {
	return constant("doublewords", func() {
		for i, k := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
			DATA(4*i, U32(k))
		}
	})
}

// comparePacked compares 32 elements, packs the results to bytes within lanes of 128 bits, permutes
// these into order and takes one bit of each.
func comparePacked(l lane, predicate uint64, a, b input, order reg.VecVirtual, dst reg.Register) (elements int) {
	packs := []func(...Op){VPACKSSDW, VPACKSSWB}
	if l.bytes == 8 {
		packs = append(packs, VPACKSSWB)
	}
	negated := false
	var packed func(from, depth int) reg.VecVirtual
	packed = func(from, depth int) (r reg.VecVirtual) {
		if depth == 0 {
			r, negated = l.flags(predicate, a, b, from)
			return r
		}
		low, high := packed(from, depth-1), packed(from+1<<(depth-1), depth-1)
		packs[depth-1](high, low, low)
		return low
	}
	r, bits := packed(0, len(packs)), GP32()
	if l.bytes == 4 {
		VPERMD(r, order, r)
	} else {
		VPERMQ(Imm(0xd8), r, r)
		VPSHUFB(order, r, r)
	}
	VPMOVMSKB(r, bits)
	if negated {
		NOTL(bits)
	}
	MOVL(bits, Mem{Base: dst})
	return 32
}
