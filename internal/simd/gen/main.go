// Command gen writes the assembly of package simd and the tables of its loops. It is a module of
// its own, which go generate runs in the package's folder.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// predicates are the predicates of VPCMPQ, by the names of the functions.
var predicates = []struct {
	name string
	code uint64
}{{"Equal", equal}, {"Less", less}, {"LessEqual", lessEqual}, {"NotEqual", notEqual}, {"GreaterEqual", greaterEqual}, {"Greater", greater}}

const (
	equal = iota
	less
	lessEqual
	_
	notEqual
	greaterEqual
	greater
)

func main() {
	tables := flag.String("tables", "", "file for the tables")
	flag.Parse()
	widen("widenAVX2", "int32", 4, VPMOVSXDQ)
	widen("widen16AVX2", "int16", 2, VPMOVSXWQ)
	widen("widen8AVX2", "int8", 1, VPMOVSXBQ)
	unpack()
	unpackScaled("unpack8AVX2", "int8", 1)
	unpackScaled("unpack16AVX2", "int16", 2)
	unpackScaled("unpack32AVX2", "int32", 4)
	unpackScaled("unpack64AVX2", "int64", 8)
	narrow("narrow8AVX2", "uint8", 1)
	narrow("narrow16AVX2", "uint16", 2)
	narrow("narrow32AVX2", "uint32", 4)
	rebases()
	columns()
	numbers()
	positionsOf()
	texts()
	utf8()
	runs()
	bloom()
	marks()
	scatter()
	scatterWords("scatter64AVX2", "uint64", 8)
	scatterWords("scatter32AVX2", "uint32", 4)
	for _, s := range sets {
		for _, l := range lanes {
			generate(s, l)
		}
		for _, f := range forms {
			remainder(s, "Rem", f, false)
			remainder(s, "RemSmall", f, true)
		}
		sumMasked(s)
		leastMasked(s)
		hashDigits(s)
		transcendental(s)
		roots(s)
	}
	writeTables(*tables)
	Generate()
}

// generate writes the loops over a type of elements.
func generate(s *set, l lane) {
	for _, o := range l.ops {
		for _, f := range forms {
			if f.a || o.name == "Sub" {
				arithmetic(s, l, o, f)
			}
		}
	}
	for _, p := range predicates {
		for _, f := range forms[:2] {
			compare(s, l, p.name, p.code, f)
		}
		selectRows(s, l, p.name, p.code)
	}
}

// widen sign-extends 16 integers of a size in bytes per iteration.
func widen(name, from string, size int, extend func(...Op)) {
	begin(name, "func(dst *int64, src *"+from+", n int)", "widens")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	Label("iteration")
	regs := make([]reg.VecVirtual, 4)
	for i := range regs {
		regs[i] = YMM()
		extend(Mem{Base: src, Disp: 4 * size * i}, regs[i])
	}
	for i, r := range regs {
		VMOVDQU(r, Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(Imm(uint64(16*size)), src)
	ADDQ(Imm(128), dst)
	SUBQ(Imm(16), n)
	JNZ(LabelRef("iteration"))
	VZEROUPPER()
	RET()
}

func begin(name, signature, doc string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " " + doc + " n elements, a positive number of whole iterations.")
}
