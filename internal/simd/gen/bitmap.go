package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// selectBits is selectRows with a bitmap of integers as condition: bit x - lo, or bit beyond if x - lo
// is larger as an unsigned number.
func selectBits(s *set) {
	TEXT("selectBits"+s.name, NOSPLIT, "func(dst *int32, xs *int64, n int, bitmap *uint64, lo int64, beyond uint64) int")
	Pragma("noescape")
	Doc("selectBits" + s.name + " selects among n integers, a positive multiple of 8; dst has room for n.")
	start, xs := Load(Param("dst"), GP64()), Load(Param("xs"), GP64())
	n, bitmap := Load(Param("n"), GP64()), Load(Param("bitmap"), GP64())
	dst := GP64()
	MOVQ(start, dst)
	lo, beyond := spread(s, lanes[1], "lo"), spread(s, lanes[1], "beyond")
	h := &hasher{set: s}
	one := h.fill(1)
	var step func() reg.GPVirtual
	if s == avx512 {
		step = compressing(dst, 8, func(k reg.Register) {
			place, word, found, all := ZMM(), ZMM(), ZMM(), K()
			VMOVDQU64(Mem{Base: xs}, place)
			VPSUBQ(lo, place, place)
			VPMINUQ(beyond, place, place)
			VPSRLQ(Imm(6), place, word)
			VPROLVQ(place, one, place) // by its six low bits
			KXNORW(all, all, all)
			VPXORQ(found, found, found)
			VPGATHERQQ(Mem{Base: bitmap, Index: word, Scale: 8}, all, found)
			VPTESTMQ(found, place, k)
		})
	} else {
		places, sign, zero := h.fill(63), h.fill(1<<63), YMM()
		VPXOR(zero, zero, zero)
		limit, write := YMM(), lookUp(dst, fromZero())
		VPXOR(sign, beyond, limit)
		step = func() reg.GPVirtual {
			bits, upper := GP32(), GP32()
			for i, r := range []reg.Register{bits, upper} {
				place, far, word, found, all := YMM(), YMM(), YMM(), YMM(), YMM()
				VMOVDQU(Mem{Base: xs, Disp: 32 * i}, place)
				VPSUBQ(lo, place, place)
				VPXOR(sign, place, far)
				VPCMPGTQ(limit, far, far)
				VPBLENDVB(far, beyond, place, place)
				VPSRLQ(Imm(6), place, word)
				VPAND(places, place, place)
				VPSLLVQ(place, one, place)
				VPXOR(found, found, found)
				VPCMPEQQ(all, all, all)
				VPGATHERQQ(all, Mem{Base: bitmap, Index: word, Scale: 8}, found)
				VPAND(place, found, found)
				VPCMPEQQ(zero, found, found)
				VMOVMSKPD(found, r)
			}
			SHLL(Imm(4), upper)
			ORL(upper, bits)
			XORL(Imm(255), bits) // the lanes that are zero have no bit
			write(bits)
			return bits
		}
	}
	selecting(start, dst, n, 8, step, func() { ADDQ(I32(64), xs) })
}
