package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in type TextRadix, to which how points.
const (
	textLeast  = 0
	textMost   = 16
	textPairs  = 32
	textFours  = 48
	textEights = 64
	textHalf   = 80
)

// textMax is the length of the longest text that has an image: see simd.TextImage.
const textMax = 15

// texts writes the loops over strings of at most 15 bytes.
func texts() {
	textBounds()
	textNumbers()
	textCandidates()
}

// textLoader loads images of texts to registers.
type textLoader struct {
	xs           reg.Register // strings
	masks, moves reg.Register // see firstBytes and bytesDown
}

func newTextLoader(xs reg.Register) *textLoader {
	l := &textLoader{xs, GP64(), GP64()}
	LEAQ(constant("firstBytes", firstBytes), l.masks)
	LEAQ(constant("bytesDown", bytesDown), l.moves)
	return l
}

// firstBytes are 16 ones and 16 zeros: a vector that begins n bytes before the zeros keeps n bytes.
func firstBytes() {
	for i, x := range []uint64{^uint64(0), ^uint64(0), 0, 0} {
		DATA(8*i, U64(x))
	}
}

// bytesDown are the positions of 16 bytes followed by 16 markers for none: a vector that begins at
// n shuffles bytes down by n.
func bytesDown() {
	for i, x := range []uint64{0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x8080808080808080, 0x8080808080808080} {
		DATA(8*i, U64(x))
	}
}

// load loads the image of the next text to image, or jumps to long if there is none. Sixteen bytes
// are read from the text's start on, unless they cross into another page: then they are read up to
// its end.
func (l *textLoader) load(image reg.VecVirtual, long string) {
	p, n, t := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: l.xs}, p)
	MOVQ(Mem{Base: l.xs, Disp: 8}, n)
	LEAQ(Mem{Base: n, Disp: -1}, t)
	CMPQ(t, Imm(textMax))
	JAE(LabelRef("none"))
	MOVL(p.As32(), t.As32())
	ANDL(U32(4095), t.As32())
	CMPL(t.As32(), U32(4096-16))
	JA(LabelRef("across"))
	VMOVDQU(Mem{Base: p}, image)
	MOVQ(l.masks, t)
	SUBQ(n, t)
	VPAND(Mem{Base: t, Disp: 16}, image, image)
	Label("loaded")
	VPINSRB(Imm(textMax), n.As32(), image, image)
	Label("imaged")
	aside(func() {
		Label("across")
		VMOVDQU(Mem{Base: p, Index: n, Scale: 1, Disp: -16}, image)
		MOVQ(l.moves, t)
		SUBQ(n, t)
		VPSHUFB(Mem{Base: t, Disp: 16}, image, image)
		JMP(LabelRef("loaded"))
		Label("none")
		TESTQ(n, n)
		JNZ(LabelRef(long))
		VPXOR(image, image, image)
		JMP(LabelRef("imaged"))
	})
}

// aside moves rare code to the end of the function: see putAsides.
func aside(code func()) { asides = append(asides, code) }

var asides []func()

func putAsides() {
	for _, code := range asides {
		code()
	}
	asides = nil
}

// textBounds computes the least and the greatest byte by byte.
func textBounds() {
	TEXT("textBoundsAVX2", NOSPLIT, "func(xs *string, n int, lo, hi *byte) int")
	Pragma("noescape")
	Doc("textBoundsAVX2 widens the bounds lo and hi by the images of the first of n > 0 texts, up to one without an image, and gives their number.")
	xs, n := Load(Param("xs"), GP64()), Load(Param("n"), GP64())
	lo, hi := Load(Param("lo"), GP64()), Load(Param("hi"), GP64())
	left := GP64()
	MOVQ(n, left)
	l := newTextLoader(xs)
	least, most, x := XMM(), XMM(), XMM()
	VMOVDQU(Mem{Base: lo}, least)
	VMOVDQU(Mem{Base: hi}, most)
	Label("iteration")
	l.load(x, "done")
	VPMINUB(x, least, least)
	VPMAXUB(x, most, most)
	ADDQ(Imm(16), xs)
	SUBQ(Imm(1), left)
	JNZ(LabelRef("iteration"))
	Label("done")
	VMOVDQU(least, Mem{Base: lo})
	VMOVDQU(most, Mem{Base: hi})
	SUBQ(left, n)
	Store(n, ReturnIndex(0))
	VZEROUPPER()
	RET()
	putAsides()
}

// textNumbers multiplies and adds neighbours until two words remain.
func textNumbers() {
	TEXT("textNumbersAVX2", NOSPLIT, "func(dst *uint64, xs *string, n int, how *byte)")
	Pragma("noescape")
	Doc("textNumbersAVX2 writes the numbers of n > 0 texts, all ones for those that have none; how points to a TextRadix.")
	dst, xs := Load(Param("dst"), GP64()), Load(Param("xs"), GP64())
	n, how := Load(Param("n"), GP64()), Load(Param("how"), GP64())
	l := newTextLoader(xs)
	load := func(at int) reg.VecVirtual {
		r := XMM()
		VMOVDQU(Mem{Base: how, Disp: at}, r)
		return r
	}
	least, most, pairs, fours, eights := load(textLeast), load(textMost), load(textPairs), load(textFours), load(textEights)
	half, outside := GP64(), GP64()
	MOVQ(Mem{Base: how, Disp: textHalf}, half)
	MOVQ(I32(-1), outside)
	x, within, number, low := XMM(), XMM(), GP64(), GP64()
	Label("iteration")
	l.load(x, "long")
	VPSUBB(least, x, x)
	VPMINUB(x, most, within)
	VPCMPEQB(x, within, within)
	inside := GP32()
	VPMOVMSKB(within, inside)
	VPMADDUBSW(pairs, x, x) // unsigned bytes times signed ones
	VPMADDWD(fours, x, x)
	odd := XMM()
	VPSRLQ(Imm(32), x, odd)
	VPMULUDQ(eights, x, x)
	VPADDQ(odd, x, x)
	VMOVQ(x, number)
	VPEXTRQ(Imm(1), x, low)
	IMULQ(half, number)
	ADDQ(low, number)
	CMPL(inside, U32(0xffff))
	CMOVQNE(outside, number)
	Label("put")
	MOVQ(number, Mem{Base: dst})
	ADDQ(Imm(16), xs)
	ADDQ(Imm(8), dst)
	SUBQ(Imm(1), n)
	JNZ(LabelRef("iteration"))
	VZEROUPPER()
	RET()
	putAsides()
	Label("long")
	MOVQ(outside, number)
	JMP(LabelRef("put"))
}
