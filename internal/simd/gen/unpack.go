package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in type unpacking, to which how points.
const (
	unpackShifts = 32
	unpackMask   = 64
	unpackHigh   = 72
	unpackStep   = 80
)

// unpacker holds what distributes the bits of eight values to as many lanes: the bytes with four of them are loaded to
// each half of a register, shuffled so that each value's bytes are in its lane, shifted down and masked.
type unpacker struct {
	src, high, step       reg.Register
	shuffle, shifts, mask reg.VecVirtual
}

func newUnpacker(src, how reg.Register) *unpacker {
	u := &unpacker{src: src, high: GP64(), step: GP64(), shuffle: YMM(), shifts: YMM(), mask: YMM()}
	VMOVDQU(Mem{Base: how}, u.shuffle)
	VMOVDQU(Mem{Base: how, Disp: unpackShifts}, u.shifts)
	VPBROADCASTD(Mem{Base: how, Disp: unpackMask}, u.mask)
	MOVQ(Mem{Base: how, Disp: unpackHigh}, u.high)
	MOVQ(Mem{Base: how, Disp: unpackStep}, u.step)
	return u
}

// next returns the next eight values.
func (u *unpacker) next() reg.VecVirtual {
	x := YMM()
	VMOVDQU(Mem{Base: u.src}, x.AsX())
	VINSERTI128(Imm(1), Mem{Base: u.src, Index: u.high, Scale: 1}, x, x)
	ADDQ(u.step, u.src)
	VPSHUFB(u.shuffle, x, x)
	VPSRLVD(u.shifts, x, x)
	VPAND(u.mask, x, x)
	return x
}

// unpack unpacks 32 values per iteration.
func unpack() {
	TEXT("unpackAVX2", NOSPLIT, "func(dst *int32, src *byte, n int, how *byte) uint32")
	Pragma("noescape")
	Doc("unpackAVX2 unpacks n values, a positive multiple of 32, and gives the greatest of them; how points to an unpacking.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	n, how := Load(Param("n"), GP64()), Load(Param("how"), GP64())
	u, most := newUnpacker(src, how), YMM()
	VPXOR(most, most, most)
	Label("iteration")
	for i := range 4 {
		x := u.next()
		VPMAXUD(x, most, most)
		VMOVDQU(x, Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(U32(128), dst)
	SUBQ(Imm(32), n)
	JNZ(LabelRef("iteration"))
	Store(greatest(most), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// unpackScaled is unpack for values that are multiplied by step and added to base, in size bytes.
func unpackScaled(name, typ string, size int) {
	TEXT(name, NOSPLIT, "func(dst *"+typ+", src *byte, n int, how *byte, base, step uint64)")
	Pragma("noescape")
	Doc(name + " unpacks n values, a positive multiple of 32, and sets dst to base plus their multiples of step.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	n, how := Load(Param("n"), GP64()), Load(Param("how"), GP64())
	u := newUnpacker(src, how)
	base, step := inLanes("base", size), inLanes("step", size)
	high := YMM() // half of step
	if size == 8 {
		VPSRLQ(Imm(32), step, high)
	}
	Label("iteration")
	var lanes []reg.VecVirtual
	for i := range 4 {
		x := u.next()
		if size == 8 {
			scaled64(x, step, high, base, dst, 64*i)
			continue
		}
		VPMULLD(step, x, x)
		VPADDD(base, x, x)
		lanes = append(lanes, x)
	}
	storeLow(lanes, dst, size)
	ADDQ(U32(uint32(32*size)), dst)
	SUBQ(Imm(32), n)
	JNZ(LabelRef("iteration"))
	VZEROUPPER()
	RET()
}

// inLanes returns a parameter in all lanes: of 64 bits if size is 8, otherwise of 32.
func inLanes(param string, size int) reg.VecVirtual {
	low, out := XMM(), YMM()
	VMOVQ(Load(Param(param), GP64()), low)
	if size == 8 {
		VPBROADCASTQ(low, out)
	} else {
		VPBROADCASTD(low, out)
	}
	return out
}

// scaled64 widens eight values to 64 bits, multiplies them by step, adds base and stores them.
func scaled64(x, step, high, base reg.VecVirtual, dst reg.Register, at int) {
	upper := XMM()
	VEXTRACTI128(Imm(1), x, upper)
	for i, half := range []Op{x.AsX(), upper} {
		y, z := YMM(), YMM()
		VPMOVZXDQ(half, y)
		VPMULUDQ(high, y, z)
		VPMULUDQ(step, y, y)
		VPSLLQ(Imm(32), z, z)
		VPADDQ(z, y, y)
		VPADDQ(base, y, y)
		VMOVDQU(y, Mem{Base: dst, Disp: at + 32*i})
	}
}

// storeLow stores the low bytes of four times eight 32-bit lanes, so many of each.
func storeLow(lanes []reg.VecVirtual, dst reg.Register, size int) {
	if size >= 4 {
		for i, x := range lanes {
			VMOVDQU(x, Mem{Base: dst, Disp: 32 * i})
		}
		return
	}
	mask := YMM()
	VPCMPEQD(mask, mask, mask)
	VPSRLD(Imm(uint64(32-8*size)), mask, mask)
	for _, x := range lanes {
		VPAND(mask, x, x)
	}
	// Packing works on each half of the registers: the quarters of the result are in another order.
	for i := 0; i < 4; i += 2 {
		VPACKUSDW(lanes[i+1], lanes[i], lanes[i])
		VPERMQ(Imm(0xd8), lanes[i], lanes[i])
	}
	if size == 2 {
		VMOVDQU(lanes[0], Mem{Base: dst})
		VMOVDQU(lanes[2], Mem{Base: dst, Disp: 32})
		return
	}
	VPACKUSWB(lanes[2], lanes[0], lanes[0])
	VPERMQ(Imm(0xd8), lanes[0], lanes[0])
	VMOVDQU(lanes[0], Mem{Base: dst})
}

// greatest returns the greatest of the unsigned integers in x.
func greatest(x reg.VecVirtual) reg.GPVirtual {
	half, out := XMM(), GP32()
	VEXTRACTI128(Imm(1), x, half)
	VPMAXUD(half, x.AsX(), half)
	for _, order := range []uint64{0x4e, 0xb1} { // the other half, the neighbour
		other := XMM()
		VPSHUFD(Imm(order), half, other)
		VPMAXUD(other, half, half)
	}
	VMOVD(half, out)
	return out
}
