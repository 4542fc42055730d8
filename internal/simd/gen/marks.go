package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// markedBytes is the number of bytes that are searched for: see simd.Marks.
const markedBytes = 4

// marks writes the loops that find bytes in texts.
func marks() {
	for _, s := range sets {
		mark(s)
	}
}

// mark compares 64 bytes per iteration with each of the four.
func mark(s *set) {
	begin("mark"+s.name, "func(dst *uint64, text *byte, n int, bytes *byte)", "marks where four bytes are among")
	dst, text := Load(Param("dst"), GP64()), Load(Param("text"), GP64())
	n, bytes := Load(Param("n"), GP64()), Load(Param("bytes"), GP64())
	var sought [markedBytes]reg.VecVirtual
	for i := range sought {
		sought[i] = s.vector()
		VPBROADCASTB(Mem{Base: bytes, Disp: i}, sought[i])
	}
	Label("iteration")
	if s == avx512 {
		markMasked(dst, text, sought)
	} else {
		markSigns(dst, text, sought)
	}
	ADDQ(Imm(perIteration), text)
	ADDQ(Imm(8*markedBytes), dst)
	end(n, perIteration)
}

func markMasked(dst, text reg.Register, sought [markedBytes]reg.VecVirtual) {
	x := ZMM()
	VMOVDQU64(Mem{Base: text}, x)
	for i, b := range sought {
		k := K()
		VPCMPEQB(b, x, k)
		KMOVQ(k, Mem{Base: dst, Disp: 8 * i})
	}
}

func markSigns(dst, text reg.Register, sought [markedBytes]reg.VecVirtual) {
	x := [2]reg.VecVirtual{YMM(), YMM()}
	VMOVDQU(Mem{Base: text}, x[0])
	VMOVDQU(Mem{Base: text, Disp: 32}, x[1])
	for i, b := range sought {
		for half, v := range x {
			equal, bits := YMM(), GP32()
			VPCMPEQB(b, v, equal)
			VPMOVMSKB(equal, bits)
			MOVL(bits, Mem{Base: dst, Disp: 8*i + 4*half})
		}
	}
}
