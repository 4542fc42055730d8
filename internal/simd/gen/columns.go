package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// columns writes the loops over columns of 64-bit integers and over indexes.
func columns() {
	extent("Int64", "int64", VPMINSQ, VPMAXSQ, VPCMPQ)
	extent("Uint64", "uint64", VPMINUQ, VPMAXUQ, VPCMPUQ)
	selectHashes()
	anyNegative()
	offsets()
	sumWide("Int64", VPSRAQ)
	sumWide("Uint64", VPSRLQ)
	columnsAVX2()
}

// extent keeps two least and two greatest elements per lane. Each element is compared with the next
// one, which for the last iteration is beyond its end.
func extent(name, goType string, least, greatest, compare func(...Op)) {
	TEXT("extent"+name+"AVX512", NOSPLIT, "func(xs *"+goType+", n int) (lo, hi "+goType+", falls bool)")
	Pragma("noescape")
	Doc("extent" + name + "AVX512 returns the bounds of n elements, a positive multiple of 64, and whether one of them is greater than the next.")
	xs, n := Load(Param("xs"), GP64()), Load(Param("n"), GP64())
	lo, hi := [2]reg.VecVirtual{ZMM(), ZMM()}, [2]reg.VecVirtual{ZMM(), ZMM()}
	for i := range lo {
		VPBROADCASTQ(Mem{Base: xs}, lo[i])
		VPBROADCASTQ(Mem{Base: xs}, hi[i])
	}
	falls := K()
	KXORW(falls, falls, falls)
	Label("iteration")
	for i := range perIteration / 8 {
		x, k := ZMM(), K()
		VMOVDQU64(Mem{Base: xs, Disp: 64 * i}, x)
		compare(Imm(6), Mem{Base: xs, Disp: 64*i + 8}, x, k)
		KORW(k, falls, falls)
		least(x, lo[i%2], lo[i%2])
		greatest(x, hi[i%2], hi[i%2])
	}
	ADDQ(I32(perIteration*8), xs)
	SUBQ(Imm(perIteration), n)
	JNZ(LabelRef("iteration"))
	Store(across(avx512, lo, func(x, acc reg.Register) { least(x, acc, acc) }), Return("lo"))
	Store(across(avx512, hi, func(x, acc reg.Register) { greatest(x, acc, acc) }), Return("hi"))
	any := GP8()
	KORTESTW(falls, falls)
	SETNE(any)
	Store(any, Return("falls"))
	VZEROUPPER()
	RET()
}

// murmur are the factors of MurmurHash3's finaliser.
var murmur = [2]uint64{0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53}

// selectHashes is selectRows with a condition on the finaliser of MurmurHash3. Usually nothing is
// selected.
func selectHashes() {
	TEXT("selectHashesAVX512", NOSPLIT, "func(dst *int32, xs *int64, n int, mask uint64) int")
	Pragma("noescape")
	Doc("selectHashesAVX512 selects among n integers, a positive multiple of 64; dst has room for n.")
	start, xs := Load(Param("dst"), GP64()), Load(Param("xs"), GP64())
	n := Load(Param("n"), GP64())
	dst := GP64()
	MOVQ(start, dst)
	mask, first512, second512 := spread(avx512, lanes[1], "mask"), ZMM(), ZMM()
	for i, c := range murmur {
		factor := GP64()
		MOVQ(U64(c), factor)
		VPBROADCASTQ(factor, []reg.VecVirtual{first512, second512}[i])
	}
	rows, step := YMM(), YMM()
	VPMOVZXBD(constant("positions", positions), rows)
	eight := GP32()
	MOVL(U32(8), eight)
	VPBROADCASTD(eight, step)
	Label("iteration")
	for i := range perIteration / 8 {
		x, half, k := ZMM(), ZMM(), K()
		VMOVDQU64(Mem{Base: xs, Disp: 64 * i}, x)
		for _, factor := range []reg.VecVirtual{first512, second512} {
			VPSRLQ(Imm(33), x, half)
			VPXORQ(half, x, x)
			VPMULLQ(factor, x, x)
		}
		VPSRLQ(Imm(33), x, half)
		VPXORQ(half, x, x)
		VPTESTNMQ(mask, x, k)
		bits, passed := GP32(), YMM()
		KMOVW(k, bits)
		VPCOMPRESSD_Z(rows, k, passed)
		VMOVDQU(passed, Mem{Base: dst})
		POPCNTL(bits, bits)
		LEAQ(Mem{Base: dst, Index: bits.As64(), Scale: 4}, dst)
		VPADDD(step, rows, rows)
	}
	ADDQ(I32(perIteration*8), xs)
	SUBQ(Imm(perIteration), n)
	JNZ(LabelRef("iteration"))
	SUBQ(start, dst)
	SHRQ(Imm(2), dst)
	Store(dst, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// anyNegative collects the sign bits.
func anyNegative() {
	TEXT("anyNegativeAVX2", NOSPLIT, "func(xs *int32, n int) bool")
	Pragma("noescape")
	Doc("anyNegativeAVX2 reports whether one of n elements, a positive multiple of 64, is negative.")
	xs, n := Load(Param("xs"), GP64()), Load(Param("n"), GP64())
	all := [2]reg.VecVirtual{YMM(), YMM()}
	VPXOR(all[0], all[0], all[0])
	VPXOR(all[1], all[1], all[1])
	Label("iteration")
	for i := range perIteration / 8 {
		VPOR(Mem{Base: xs, Disp: 32 * i}, all[i%2], all[i%2])
	}
	ADDQ(I32(perIteration*4), xs)
	SUBQ(Imm(perIteration), n)
	JNZ(LabelRef("iteration"))
	VPOR(all[0], all[1], all[1])
	signs, any := GP32(), GP8()
	VMOVMSKPS(all[1], signs)
	TESTL(signs, signs)
	SETNE(any)
	Store(any, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// offsets subtracts and narrows 64 elements per iteration; an iteration with an element outside the
// range is not counted.
func offsets() {
	TEXT("offsetsAVX512", NOSPLIT, "func(dst *int32, xs *int64, n int, lo, size uint64) int")
	Pragma("noescape")
	Doc("offsetsAVX512 writes how far the first of n elements, a positive multiple of 64, are from lo, until one is size or further, and gives their number, a multiple of 64.")
	dst, xs := Load(Param("dst"), GP64()), Load(Param("xs"), GP64())
	n := Load(Param("n"), GP64())
	lo, size := spread(avx512, lanes[1], "lo"), spread(avx512, lanes[1], "size")
	left := GP64()
	MOVQ(n, left)
	Label("iteration")
	outside := K()
	KXORW(outside, outside, outside)
	for i := range perIteration / 8 {
		x, k := ZMM(), K()
		VMOVDQU64(Mem{Base: xs, Disp: 64 * i}, x)
		VPSUBQ(lo, x, x)
		VPCMPUQ(Imm(5), size, x, k)
		KORW(k, outside, outside)
		VPMOVQD(x, Mem{Base: dst, Disp: 32 * i})
	}
	KORTESTW(outside, outside)
	JNZ(LabelRef("done"))
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

// sumWide adds the lower and the upper halves of elements separately, so that nothing overflows.
func sumWide(name string, upper func(...Op)) {
	TEXT("sum"+name+"AVX512", NOSPLIT, "func(xs *int64, n int) (lo uint64, hi int64)")
	Pragma("noescape")
	Doc("sum" + name + "AVX512 adds the lower halves of n elements, a positive multiple of 64, and the upper ones.")
	xs, n := Load(Param("xs"), GP64()), Load(Param("n"), GP64())
	lo, hi := [2]reg.VecVirtual{ZMM(), ZMM()}, [2]reg.VecVirtual{ZMM(), ZMM()}
	for i := range lo {
		VPXORQ(lo[i], lo[i], lo[i])
		VPXORQ(hi[i], hi[i], hi[i])
	}
	half := ZMM()
	VPTERNLOGQ(Imm(255), half, half, half)
	VPSRLQ(Imm(32), half, half)
	Label("iteration")
	for i := range perIteration / 8 {
		x, low := ZMM(), ZMM()
		VMOVDQU64(Mem{Base: xs, Disp: 64 * i}, x)
		VPANDQ(half, x, low)
		upper(Imm(32), x, x)
		VPADDQ(low, lo[i%2], lo[i%2])
		VPADDQ(x, hi[i%2], hi[i%2])
	}
	ADDQ(I32(perIteration*8), xs)
	SUBQ(Imm(perIteration), n)
	JNZ(LabelRef("iteration"))
	add := func(x, acc reg.Register) { VPADDQ(x, acc, acc) }
	Store(across(avx512, lo, add), Return("lo"))
	Store(across(avx512, hi, add), Return("hi"))
	VZEROUPPER()
	RET()
}
