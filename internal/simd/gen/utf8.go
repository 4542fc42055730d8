package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Errors of two adjacent bytes of UTF-8. Three lookups, by the halves of the first byte and the
// upper half of the second, each return the errors that are still possible; the pair has those that
// all three return.
const (
	tooShort      = 1 << iota // a lead byte or ASCII where a continuation is required
	tooLong                   // a continuation after ASCII
	overlong3                 // E0 below A0
	tooLarge                  // F4 from 90 on, or F5 to FF
	surrogate                 // ED from A0 on
	overlong2                 // C0 or C1
	tooLargeOr4               // F5 to FF, or F0 below 90
	continuations             // two continuations, which must be the third or fourth byte of a character
	anyFirst      = tooShort | tooLong | continuations
)

// Lookups by half a byte.
var (
	byFirstHigh = [16]uint8{
		tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong,
		continuations, continuations, continuations, continuations,
		tooShort | overlong2, tooShort, tooShort | overlong3 | surrogate, tooShort | tooLarge | tooLargeOr4,
	}
	byFirstLow = [16]uint8{
		anyFirst | overlong3 | overlong2 | tooLargeOr4, anyFirst | overlong2, anyFirst, anyFirst,
		anyFirst | tooLarge,
		anyFirst | tooLarge | tooLargeOr4, anyFirst | tooLarge | tooLargeOr4, anyFirst | tooLarge | tooLargeOr4,
		anyFirst | tooLarge | tooLargeOr4, anyFirst | tooLarge | tooLargeOr4, anyFirst | tooLarge | tooLargeOr4,
		anyFirst | tooLarge | tooLargeOr4, anyFirst | tooLarge | tooLargeOr4,
		anyFirst | tooLarge | tooLargeOr4 | surrogate,
		anyFirst | tooLarge | tooLargeOr4, anyFirst | tooLarge | tooLargeOr4,
	}
	bySecondHigh = [16]uint8{
		tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort,
		tooLong | overlong2 | continuations | overlong3 | tooLargeOr4,
		tooLong | overlong2 | continuations | overlong3 | tooLarge,
		tooLong | overlong2 | continuations | surrogate | tooLarge,
		tooLong | overlong2 | continuations | surrogate | tooLarge,
		tooShort, tooShort, tooShort, tooShort,
	}
)

// lookup loads a table of 16 bytes into both halves of a register.
func lookup(name string, table [16]uint8) reg.VecVirtual {
	r := YMM()
	VBROADCASTI128(constant(name, func() {
		for i, x := range table {
			DATA(i, U8(x))
		}
	}), r)
	return r
}

// everyByte loads a byte to all of a register.
func everyByte(name string, x uint8) reg.VecVirtual {
	r := YMM()
	VPBROADCASTB(constant(name, func() { DATA(0, U8(x)) }), r)
	return r
}

// utf8 validates by lookups (Keiser and Lemire, Validating UTF-8 In Less Than One Instruction Per
// Byte, Software: Practice and Experience 2021, section 6).
func utf8() {
	TEXT("utf8AVX2", NOSPLIT, "func(data *byte, n int) bool")
	Pragma("noescape")
	Doc("utf8AVX2 reports whether n > 0 bytes, a multiple of 32, are UTF-8 whose last character may be incomplete.")
	data, n := Load(Param("data"), GP64()), Load(Param("n"), GP64())
	firstHigh, firstLow, secondHigh := lookup("utf8FirstHigh", byFirstHigh), lookup("utf8FirstLow", byFirstLow), lookup("utf8SecondHigh", bySecondHigh)
	half, third, fourth, top := everyByte("lowHalf", 0x0f), everyByte("utf8Third", 0xe0-0x80), everyByte("utf8Fourth", 0xf0-0x80), everyByte("topBit", 0x80)
	last, wrong := YMM(), YMM()
	VPXOR(last, last, last)
	VPXOR(wrong, wrong, wrong)
	Label("iteration")
	x, carried := YMM(), YMM()
	VMOVDQU(Mem{Base: data}, x)
	VPERM2I128(Imm(0x21), x, last, carried) // the upper half of the last block and the lower half of this one
	before := func(bytes uint64) reg.VecVirtual {
		r := YMM()
		VPALIGNR(Imm(16-bytes), carried, x, r)
		return r
	}
	halves := func(r reg.VecVirtual) (high reg.VecVirtual) {
		high = YMM()
		VPSRLW(Imm(4), r, high)
		VPAND(half, high, high)
		return high
	}
	first := before(1)
	pair, y := YMM(), YMM()
	VPSHUFB(halves(first), firstHigh, pair)
	VPAND(half, first, y)
	VPSHUFB(y, firstLow, y)
	VPAND(y, pair, pair)
	VPSHUFB(halves(x), secondHigh, y)
	VPAND(y, pair, pair)
	due, y4 := before(2), before(3) // where a third or fourth byte is required, two continuations are right
	VPSUBUSB(third, due, due)
	VPSUBUSB(fourth, y4, y4)
	VPOR(y4, due, due)
	VPAND(top, due, due)
	VPXOR(due, pair, pair)
	VPOR(pair, wrong, wrong)
	VMOVDQA(x, last)
	ADDQ(Imm(32), data)
	SUBQ(Imm(32), n)
	JNZ(LabelRef("iteration"))
	ok := GP8()
	VPTEST(wrong, wrong)
	SETEQ(ok)
	Store(ok, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
