package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lane is a type of elements with the instructions for it.
type lane struct {
	name, goType string
	bytes        int
	ops          []operation
	broadcast    func(param string) reg.VecVirtual
	compare      func(predicate uint64, x, y, k Op)
}

type operation struct {
	name string
	do   func(...Op)
}

var lanes = []lane{
	{"Int32", "int32", 4, []operation{{"add", VPADDD}, {"sub", VPSUBD}, {"mul", VPMULLD}}, spreadD,
		func(p uint64, x, y, k Op) { VPCMPD(Imm(p), y, x, k) }},
	{"Int64", "int64", 8, []operation{{"add", VPADDQ}, {"sub", VPSUBQ}, {"mul", VPMULLQ}}, spreadQ,
		func(p uint64, x, y, k Op) { VPCMPQ(Imm(p), y, x, k) }},
	{"Float64", "float64", 8, []operation{{"add", VADDPD}, {"sub", VSUBPD}, {"mul", VMULPD}}, spreadPD,
		func(p uint64, x, y, k Op) { VCMPPD(Imm(p), y, x, k) }},
}

func spreadD(param string) reg.VecVirtual {
	c, z := GP32(), ZMM()
	Load(Param(param), c)
	VPBROADCASTD(c, z)
	return z
}

func spreadQ(param string) reg.VecVirtual {
	c, z := GP64(), ZMM()
	Load(Param(param), c)
	VPBROADCASTQ(c, z)
	return z
}

func spreadPD(param string) reg.VecVirtual {
	c, z := XMM(), ZMM()
	Load(Param(param), c)
	VBROADCASTSD(c, z)
	return z
}

// form says which operands are vectors.
type form struct {
	suffix string
	a, b   bool
}

var forms = []form{{"VV", true, true}, {"VC", true, false}, {"CV", false, true}}

// turn is the number of elements of a turn of all loops here.
const turn = 64

// parameters writes those of a function's operands.
func (f form) parameters(goType string) string {
	out := ""
	for _, p := range []struct {
		name   string
		vector bool
	}{{"a", f.a}, {"b", f.b}} {
		if p.vector {
			out += p.name + " *" + goType + ", "
		} else {
			out += p.name + " " + goType + ", "
		}
	}
	return out
}

// operands loads the operands: pointers to vectors, or registers full of a constant.
func (f form) operands(l lane) (a, b input) {
	return loadInput(l, "a", f.a), loadInput(l, "b", f.b)
}

// input is an operand in a loop.
type input struct {
	at    reg.Register
	fixed reg.VecVirtual // where at is nil
	step  int            // bytes of an element
}

func loadInput(l lane, name string, vector bool) input {
	if vector {
		return input{at: Load(Param(name), GP64()), step: l.bytes}
	}
	return input{fixed: l.broadcast(name)}
}

// load gives a register with the i-th vector of a turn.
func (in input) load(i int) reg.VecVirtual {
	if in.at == nil {
		return in.fixed
	}
	x := ZMM()
	VMOVDQU64(Mem{Base: in.at, Disp: 64 * i}, x)
	return x
}

func (in input) advance() {
	if in.at != nil {
		ADDQ(I32(int32(turn*in.step)), in.at)
	}
}

func begin(name, signature, doc string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " " + doc + " n elements, a positive multiple of 64.")
}

func end(n reg.Register) {
	SUBQ(Imm(turn), n)
	JNZ(LabelRef("turn"))
	VZEROUPPER()
	RET()
}

func arithmetic(l lane, o operation, f form) {
	if f.suffix == "CV" && o.name != "sub" {
		return
	}
	name := o.name + l.name + f.suffix + "AVX512"
	begin(name, fmt.Sprintf("func(dst *%s, %sn int)", l.goType, f.parameters(l.goType)), "computes")
	dst := Load(Param("dst"), GP64())
	a, b := f.operands(l)
	n := Load(Param("n"), GP64())
	Label("turn")
	for i := range turn * l.bytes / 64 {
		r := ZMM()
		o.do(b.load(i), a.load(i), r)
		VMOVDQU64(r, Mem{Base: dst, Disp: 64 * i})
	}
	ADDQ(I32(int32(turn*l.bytes)), dst)
	a.advance()
	b.advance()
	end(n)
}

// compare writes a bit an element.
func compare(l lane, name string, predicate uint64, f form) {
	full := "compare" + name + l.name + f.suffix + "AVX512"
	begin(full, fmt.Sprintf("func(dst *uint64, %sn int)", f.parameters(l.goType)), "compares")
	dst := Load(Param("dst"), GP64())
	a, b := f.operands(l)
	n := Load(Param("n"), GP64())
	Label("turn")
	width := 64 / l.bytes // elements of a vector, bits of its mask
	for i := range turn / width {
		k := K()
		l.compare(predicate, a.load(i), b.load(i), k)
		if width == 16 {
			KMOVW(k, Mem{Base: dst, Disp: 2 * i})
		} else {
			KMOVB(k, Mem{Base: dst, Disp: i})
		}
	}
	ADDQ(Imm(turn/8), dst)
	a.advance()
	b.advance()
	end(n)
}

// remainder computes a - trunc(a/b)*b, the quotient as float64, or for factors of at most 23
// bits as float32. Both are exact: the quotient of such integers is further from the next
// greater one than rounding goes. Division by zero gives anything.
func remainder(name string, f form, small bool) {
	doc := "computes a % b of"
	if small {
		doc = "computes a % b, both below 2^23, of"
	}
	full := "rem" + name + f.suffix + "AVX512"
	begin(full, fmt.Sprintf("func(dst *int32, %sn int)", f.parameters("int32")), doc)
	dst := Load(Param("dst"), GP64())
	a, b := f.operands(lanes[0])
	n := Load(Param("n"), GP64())
	Label("turn")
	for i := range turn / 16 {
		x, y, q := a.load(i), b.load(i), ZMM()
		if small {
			fx, fy := ZMM(), ZMM()
			VCVTDQ2PS(x, fx)
			VCVTDQ2PS(y, fy)
			VDIVPS(fy, fx, fx)
			VCVTTPS2DQ(fx, q)
		} else {
			halfQuotients(x, y, q)
		}
		VPMULLD(y, q, q)
		VPSUBD(q, x, q)
		VMOVDQU64(q, Mem{Base: dst, Disp: 64 * i})
	}
	ADDQ(I32(turn*4), dst)
	a.advance()
	b.advance()
	end(n)
}

// halfQuotients divides 16 integers, 8 at a time.
func halfQuotients(x, y, q reg.VecVirtual) {
	quotient := func(x, y reg.Register) reg.VecVirtual {
		fx, fy, half := ZMM(), ZMM(), YMM()
		VCVTDQ2PD(x, fx)
		VCVTDQ2PD(y, fy)
		VDIVPD(fy, fx, fx)
		VCVTTPD2DQ(fx, half)
		return half
	}
	upper := func(z reg.VecVirtual) reg.VecVirtual {
		half := YMM()
		VEXTRACTI64X4(Imm(1), z, half)
		return half
	}
	low, high := quotient(x.AsY(), y.AsY()), quotient(upper(x), upper(y))
	VINSERTI64X4(Imm(1), high, low.AsZ(), q)
}

// sumMasked adds the elements that the mask has.
func sumMasked() {
	begin("sumMaskedAVX512", "func(xs *int64, mask *uint64, n int) int64", "adds those that mask has of")
	sum := masked(func(k reg.Register, x Mem, acc reg.VecVirtual) { VPADDQ(x, acc, k, acc) }, func(acc reg.VecVirtual) { VPXORQ(acc, acc, acc) })
	reduce(sum, func(x, y, r Op) { VPADDQ(x, y, r) })
}

// leastMasked gives the least of the elements that the mask has.
func leastMasked() {
	begin("leastMaskedAVX512", "func(xs *uint64, mask *uint64, n int) uint64", "gives the least that mask has, or all ones, of")
	least := masked(func(k reg.Register, x Mem, acc reg.VecVirtual) { VPMINUQ(x, acc, k, acc) }, func(acc reg.VecVirtual) { VPTERNLOGQ(Imm(255), acc, acc, acc) })
	reduce(least, func(x, y, r Op) { VPMINUQ(x, y, r) })
}

// masked is a loop over 64 elements a turn with two accumulators, which it gives.
func masked(add func(k reg.Register, x Mem, acc reg.VecVirtual), clear func(reg.VecVirtual)) [2]reg.VecVirtual {
	xs, mask := Load(Param("xs"), GP64()), Load(Param("mask"), GP64())
	n := Load(Param("n"), GP64())
	acc := [2]reg.VecVirtual{ZMM(), ZMM()}
	clear(acc[0])
	clear(acc[1])
	Label("turn")
	for i := range turn / 8 {
		k := K()
		KMOVB(Mem{Base: mask, Disp: i}, k)
		add(k, Mem{Base: xs, Disp: 64 * i}, acc[i%2])
	}
	ADDQ(I32(turn*8), xs)
	ADDQ(Imm(turn/8), mask)
	SUBQ(Imm(turn), n)
	JNZ(LabelRef("turn"))
	return acc
}

// reduce combines the elements of two accumulators and returns.
func reduce(acc [2]reg.VecVirtual, combine func(x, y, r Op)) {
	Store(across(acc, combine), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// across combines the elements of two accumulators.
func across(acc [2]reg.VecVirtual, combine func(x, y, r Op)) reg.GPVirtual {
	z, y, x := acc[0], YMM(), XMM()
	combine(acc[1], z, z)
	VEXTRACTI64X4(Imm(1), z, y)
	combine(y, z.AsY(), y)
	VEXTRACTI64X2(Imm(1), y, x)
	combine(x, y.AsX(), x)
	high := XMM()
	VPSHUFD(Imm(0x4e), x, high)
	combine(high, x, x)
	out := GP64()
	VMOVQ(x, out)
	return out
}
