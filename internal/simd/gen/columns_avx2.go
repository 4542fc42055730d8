package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// columnsAVX2 writes the loops over columns with AVX2. It compares integers of 64 bits only as
// signed ones, so the first bit of unsigned ones is inverted.
func columnsAVX2() {
	extentAVX2("Int64", "int64", false)
	extentAVX2("Uint64", "uint64", true)
	selectHashesAVX2()
	offsetsAVX2()
	sumWideAVX2("Int64", true)
	sumWideAVX2("Uint64", false)
}

// everywhere fills a register with a constant.
func everywhere(x uint64) reg.VecVirtual {
	word, r := GP64(), YMM()
	MOVQ(U64(x), word)
	VMOVQ(word, r.AsX())
	VPBROADCASTQ(r.AsX(), r)
	return r
}

const firstBit = 1 << 63

// like returns a register as wide as another one.
func like(r reg.Register) reg.VecVirtual {
	if r.Size() == 32 {
		return YMM()
	}
	return XMM()
}

func leastQ(x, acc reg.Register) {
	less := like(acc)
	VPCMPGTQ(x, acc, less)
	VBLENDVPD(less, x, acc, acc)
}

func greatestQ(x, acc reg.Register) {
	greater := like(acc)
	VPCMPGTQ(acc, x, greater)
	VBLENDVPD(greater, x, acc, acc)
}

// extentAVX2 is extent.
func extentAVX2(name, goType string, unsigned bool) {
	TEXT("extent"+name+"AVX2", NOSPLIT, "func(xs *"+goType+", n int) (lo, hi "+goType+", falls bool)")
	Pragma("noescape")
	Doc("extent" + name + "AVX2 returns the bounds of n elements, a positive multiple of 64, and whether one of them is greater than the next.")
	xs, n := Load(Param("xs"), GP64()), Load(Param("n"), GP64())
	lo, hi := [2]reg.VecVirtual{YMM(), YMM()}, [2]reg.VecVirtual{YMM(), YMM()}
	sign := everywhere(firstBit)
	load := func(at int) reg.VecVirtual {
		x := YMM()
		if unsigned {
			VPXOR(Mem{Base: xs, Disp: at}, sign, x)
		} else {
			VMOVDQU(Mem{Base: xs, Disp: at}, x)
		}
		return x
	}
	first, falls := load(0), YMM()
	for i := range lo {
		VMOVDQA(first, lo[i])
		VMOVDQA(first, hi[i])
	}
	VPXOR(falls, falls, falls)
	Label("iteration")
	for i := range perIteration / 4 {
		x, next := load(32*i), load(32*i+8)
		VPCMPGTQ(next, x, next)
		VPOR(next, falls, falls)
		leastQ(x, lo[i%2])
		greatestQ(x, hi[i%2])
	}
	ADDQ(I32(perIteration*8), xs)
	SUBQ(Imm(perIteration), n)
	JNZ(LabelRef("iteration"))
	least, most := across(avx2, lo, leastQ), across(avx2, hi, greatestQ)
	if unsigned {
		BTCQ(Imm(63), least)
		BTCQ(Imm(63), most)
	}
	Store(least, Return("lo"))
	Store(most, Return("hi"))
	bits, any := GP32(), GP8()
	VMOVMSKPD(falls, bits)
	TESTL(bits, bits)
	SETNE(any)
	Store(any, Return("falls"))
	VZEROUPPER()
	RET()
}

// selectHashesAVX2 is selectHashes, with products computed from those of halves.
func selectHashesAVX2() {
	TEXT("selectHashesAVX2", NOSPLIT, "func(dst *int32, xs *int64, n int, mask uint64) int")
	Pragma("noescape")
	Doc("selectHashesAVX2 selects among n integers, a positive multiple of 64; dst has room for n.")
	start, xs := Load(Param("dst"), GP64()), Load(Param("xs"), GP64())
	n := Load(Param("n"), GP64())
	dst := GP64()
	MOVQ(start, dst)
	mask, zero := spread(avx2, lanes[1], "mask"), YMM()
	VPXOR(zero, zero, zero)
	var factors, uppers [2]reg.VecVirtual
	for i, c := range murmur {
		factors[i], uppers[i] = everywhere(c), everywhere(c>>32)
	}
	write := lookUp(dst, fromZero())
	hashed := func(at int) reg.GPVirtual {
		x, half, low, bits := YMM(), YMM(), YMM(), GP32()
		VMOVDQU(Mem{Base: xs, Disp: at}, x)
		for i := range murmur {
			VPSRLQ(Imm(33), x, half)
			VPXOR(half, x, x)
			VPSRLQ(Imm(32), x, half)
			VPMULUDQ(factors[i], half, half)
			VPMULUDQ(uppers[i], x, low)
			VPADDQ(low, half, half)
			VPSLLQ(Imm(32), half, half)
			VPMULUDQ(factors[i], x, x)
			VPADDQ(half, x, x)
		}
		VPSRLQ(Imm(33), x, half)
		VPXOR(half, x, x)
		VPAND(mask, x, x)
		VPCMPEQQ(zero, x, x)
		VMOVMSKPD(x, bits)
		return bits
	}
	step := func() reg.GPVirtual {
		low, high := hashed(0), hashed(32)
		SHLL(Imm(4), high)
		ORL(high, low)
		write(low)
		return low
	}
	selecting(start, dst, n, 8, step, func() { ADDQ(I32(64), xs) })
}

// offsetsAVX2 is offsets.
func offsetsAVX2() {
	TEXT("offsetsAVX2", NOSPLIT, "func(dst *int32, xs *int64, n int, lo, size uint64) int")
	Pragma("noescape")
	Doc("offsetsAVX2 writes how far the first of n elements, a positive multiple of 64, are from lo, until one is size or further, and gives their number, a multiple of 64.")
	dst, xs := Load(Param("dst"), GP64()), Load(Param("xs"), GP64())
	n := Load(Param("n"), GP64())
	lo, size, sign := spread(avx2, lanes[1], "lo"), spread(avx2, lanes[1], "size"), everywhere(firstBit)
	VPXOR(sign, size, size)
	left := GP64()
	MOVQ(n, left)
	Label("iteration")
	inside := YMM()
	VPCMPEQQ(inside, inside, inside)
	offset := func(at int) reg.VecVirtual {
		x, within := YMM(), YMM()
		VMOVDQU(Mem{Base: xs, Disp: at}, x)
		VPSUBQ(lo, x, x)
		VPXOR(sign, x, within)
		VPCMPGTQ(within, size, within)
		VPAND(within, inside, inside)
		return x
	}
	for i := range perIteration / 8 {
		x, y := offset(64*i), offset(64*i+32)
		VSHUFPS(Imm(0x88), y, x, x) // the lower halves of two of x, two of y, two of x, two of y
		VPERMQ(Imm(0xd8), x, x)
		VMOVDQU(x, Mem{Base: dst, Disp: 32 * i})
	}
	bits := GP32()
	VMOVMSKPD(inside, bits)
	CMPL(bits, U32(15))
	JNE(LabelRef("done"))
	ADDQ(I32(perIteration*8), xs)
	ADDQ(I32(perIteration*4), dst)
	SUBQ(Imm(perIteration), left)
	JNZ(LabelRef("iteration"))
	Label("done")
	SUBQ(left, n)
	Store(n, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// sumWideAVX2 is sumWide. A constant is added to signed numbers, so that none is negative.
func sumWideAVX2(name string, signed bool) {
	TEXT("sum"+name+"AVX2", NOSPLIT, "func(xs *int64, n int) (lo uint64, hi int64)")
	Pragma("noescape")
	Doc("sum" + name + "AVX2 adds the lower halves of n elements, a positive multiple of 64, and the upper ones.")
	xs, n := Load(Param("xs"), GP64()), Load(Param("n"), GP64())
	lo, hi := [2]reg.VecVirtual{YMM(), YMM()}, [2]reg.VecVirtual{YMM(), YMM()}
	for i := range lo {
		VPXOR(lo[i], lo[i], lo[i])
		VPXOR(hi[i], hi[i], hi[i])
	}
	half, sign, more := everywhere(1<<32-1), everywhere(firstBit), GP64()
	MOVQ(n, more)
	Label("iteration")
	for i := range perIteration / 4 {
		x, low := YMM(), YMM()
		if signed {
			VPXOR(Mem{Base: xs, Disp: 32 * i}, sign, x)
		} else {
			VMOVDQU(Mem{Base: xs, Disp: 32 * i}, x)
		}
		VPAND(half, x, low)
		VPSRLQ(Imm(32), x, x)
		VPADDQ(low, lo[i%2], lo[i%2])
		VPADDQ(x, hi[i%2], hi[i%2])
	}
	ADDQ(I32(perIteration*8), xs)
	SUBQ(Imm(perIteration), n)
	JNZ(LabelRef("iteration"))
	add := func(x, acc reg.Register) { VPADDQ(x, acc, acc) }
	Store(across(avx2, lo, add), Return("lo"))
	upper := across(avx2, hi, add)
	if signed {
		SHLQ(Imm(31), more)
		SUBQ(more, upper)
	}
	Store(upper, Return("hi"))
	VZEROUPPER()
	RET()
}
