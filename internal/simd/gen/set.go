package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// set is an instruction set with the width of its vectors.
type set struct {
	name   string
	bytes  int
	vector func() reg.VecVirtual
	half   func() reg.VecVirtual
	move   func(from, to Op)
	upper  func(from, half Op)     // the upper half of a vector
	join   func(high, low, all Op) // a vector of two halves
}

var avx2 = &set{
	name: "AVX2", bytes: 32, vector: YMM, half: XMM,
	move:  VMOVDQU,
	upper: func(from, half Op) { VEXTRACTI128(Imm(1), from, half) },
	join:  func(high, low, all Op) { VINSERTI128(Imm(1), high, low, all) },
}

var avx512 = &set{
	name: "AVX512", bytes: 64, vector: ZMM, half: YMM,
	move:  func(from, to Op) { VMOVDQU64(from, to) },
	upper: func(from, half Op) { VEXTRACTI64X4(Imm(1), from, half) },
	join:  func(high, low, all Op) { VINSERTI64X4(Imm(1), high, low, all) },
}

var sets = []*set{avx2, avx512}

// lane is a type of elements with the instructions for it.
type lane struct {
	name, goType string
	bytes        int
	ops          []operation
	masked       func(predicate uint64, x, y, k Op) // compares into a mask register
	greater      func(x, y, r Op)                   // compares into all ones and zeroes, nil where
	equal        func(x, y, r Op)                   // any supports every predicate
	any          func(predicate uint64, x, y, r Op)
}

// operation computes r of a and b, which may be in memory.
type operation struct {
	name string
	do   func(s *set, a, b Op, r reg.VecVirtual)
}

// plain is an operation of one instruction.
func plain(name string, do func(...Op)) operation {
	return operation{name, func(_ *set, a, b Op, r reg.VecVirtual) { do(b, a, r) }}
}

var lanes = []lane{
	{
		name: "Int32", goType: "int32", bytes: 4,
		ops:     []operation{plain("Add", VPADDD), plain("Sub", VPSUBD), plain("Mul", VPMULLD)},
		masked:  func(p uint64, x, y, k Op) { VPCMPD(Imm(p), y, x, k) },
		greater: func(x, y, r Op) { VPCMPGTD(y, x, r) },
		equal:   func(x, y, r Op) { VPCMPEQD(y, x, r) },
	},
	{
		name: "Int64", goType: "int64", bytes: 8,
		ops:     []operation{plain("Add", VPADDQ), plain("Sub", VPSUBQ), {"Mul", multiplyQ}, plain("MulNarrow", VPMULDQ)},
		masked:  func(p uint64, x, y, k Op) { VPCMPQ(Imm(p), y, x, k) },
		greater: func(x, y, r Op) { VPCMPGTQ(y, x, r) },
		equal:   func(x, y, r Op) { VPCMPEQQ(y, x, r) },
	},
	{
		name: "Float64", goType: "float64", bytes: 8,
		ops:    []operation{plain("Add", VADDPD), plain("Sub", VSUBPD), plain("Mul", VMULPD)},
		masked: func(p uint64, x, y, k Op) { VCMPPD(floatPredicate(p), y, x, k) },
		any:    func(p uint64, x, y, r Op) { VCMPPD(floatPredicate(p), y, x, r) },
	},
}

// floatPredicate returns the code for floats. NaN is neither less nor greater than anything.
func floatPredicate(p uint64) Op {
	switch p {
	case lessEqual:
		return Imm(10) // not greater
	case greater:
		return Imm(14)
	}
	return Imm(p)
}

// multiplyQ multiplies integers of 64 bits. AVX2 multiplies halves; the product of the upper ones
// is beyond the result.
func multiplyQ(s *set, a, b Op, r reg.VecVirtual) {
	if s == avx512 {
		VPMULLQ(b, a, r)
		return
	}
	y, ahi, bhi := YMM(), YMM(), YMM()
	if _, inMemory := b.(Mem); inMemory {
		VMOVDQU(b, y)
		b = y
	}
	VPSRLQ(Imm(32), a, ahi)
	VPSRLQ(Imm(32), b, bhi)
	VPMULUDQ(b, ahi, ahi)
	VPMULUDQ(a, bhi, bhi)
	VPADDQ(ahi, bhi, bhi)
	VPSLLQ(Imm(32), bhi, bhi)
	VPMULUDQ(b, a, r)
	VPADDQ(bhi, r, r)
}

// form specifies which operands are vectors.
type form struct {
	suffix string
	a, b   bool
}

var forms = []form{{"VV", true, true}, {"VC", true, false}, {"CV", false, true}}

// parameters writes the parameters for a function's operands.
func (f form) parameters(goType string) string {
	star := func(vector bool) string {
		if vector {
			return "*"
		}
		return ""
	}
	return "a " + star(f.a) + goType + ", b " + star(f.b) + goType + ", "
}

// input is an operand in a loop: a pointer to vectors, or a register full of a constant.
type input struct {
	s     *set
	at    reg.Register
	fixed reg.VecVirtual // if at is nil
	step  int            // bytes per element
}

// operands loads the operands.
func (f form) operands(s *set, l lane) (a, b input) {
	return loadInput(s, l, "a", f.a), loadInput(s, l, "b", f.b)
}

func loadInput(s *set, l lane, name string, vector bool) input {
	if vector {
		return input{s: s, at: Load(Param(name), GP64()), step: l.bytes}
	}
	return input{s: s, fixed: spread(s, l, name)}
}

// spread fills a register with a parameter.
func spread(s *set, l lane, param string) reg.VecVirtual {
	r := s.vector()
	if l.goType == "float64" {
		VBROADCASTSD(Load(Param(param), XMM()), r)
		return r
	}
	if l.bytes == 4 {
		VMOVD(Load(Param(param), GP32()), r.AsX())
		VPBROADCASTD(r.AsX(), r)
		return r
	}
	VMOVQ(Load(Param(param), GP64()), r.AsX())
	VPBROADCASTQ(r.AsX(), r)
	return r
}

// operand returns the i-th vector of an iteration, in memory or a register.
func (in input) operand(i int) Op {
	if in.at == nil {
		return in.fixed
	}
	return Mem{Base: in.at, Disp: in.s.bytes * i}
}

// load returns a register with the i-th vector of an iteration.
func (in input) load(i int) reg.VecVirtual {
	if in.at == nil {
		return in.fixed
	}
	x := in.s.vector()
	in.s.move(in.operand(i), x)
	return x
}

// advance moves on by so many elements.
func (in input) advance(elements int) {
	if in.at != nil {
		ADDQ(I32(int32(elements*in.step)), in.at)
	}
}

// perIteration is the number of elements per iteration of the loops over pairs, or a multiple of
// that.
const perIteration = 64

func end(n reg.Register, elements int) {
	SUBQ(Imm(uint64(elements)), n)
	JNZ(LabelRef("iteration"))
	VZEROUPPER()
	RET()
}

// constant returns read-only memory, which several functions may share.
func constant(name string, fill func()) Mem {
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		fill()
		constants[name] = m
	}
	return m
}

var constants = map[string]Mem{}
