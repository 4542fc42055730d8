package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The buffers of a partition: groups of 16 codes and of their rows.
const (
	groupRows  = 16
	groupBytes = groupRows * (8 + 4)
)

// scatter writes the loop that distributes codes and rows to partitions through groups, which are
// written past the caches when they are full. A group is aligned to its size, so the first one of a
// partition may begin with rows of another partition: these are skipped.
func scatter() {
	TEXT("scatterAVX2", NOSPLIT, "func(codes *uint64, rows *int32, digits *uint16, n int, next *int32, start *int32, groups *uint64, dst *uint64, dstRows *int32)")
	Pragma("noescape")
	Doc("scatterAVX2 deals out n codes, a positive number.")
	codes, rows := Load(Param("codes"), GP64()), Load(Param("rows"), GP64())
	digits, n := Load(Param("digits"), GP64()), Load(Param("n"), GP64())
	next, groups := Load(Param("next"), GP64()), Load(Param("groups"), GP64())
	i := GP64()
	XORQ(i, i)
	Label("row")
	x, at, group, place, code, row := GP64(), GP64(), GP64(), GP64(), GP64(), GP32()
	MOVWQZX(Mem{Base: digits, Index: i, Scale: 2}, x)
	MOVL(Mem{Base: next, Index: x, Scale: 4}, at.As32())
	MOVQ(Mem{Base: codes, Index: i, Scale: 8}, code)
	MOVL(Mem{Base: rows, Index: i, Scale: 4}, row)
	LEAQ(Mem{Base: x, Index: x, Scale: 2}, group)
	SHLQ(Imm(6), group)
	ADDQ(groups, group)
	MOVL(at.As32(), place.As32())
	ANDL(Imm(groupRows-1), place.As32())
	INCL(at.As32())
	MOVL(at.As32(), Mem{Base: next, Index: x, Scale: 4})
	MOVQ(code, Mem{Base: group, Index: place, Scale: 8})
	MOVL(row, Mem{Base: group, Disp: 8 * groupRows, Index: place, Scale: 4})
	INCQ(i)
	CMPL(place.As32(), Imm(groupRows-1))
	JEQ(LabelRef("full"))
	CMPQ(i, n)
	JLT(LabelRef("row"))
	JMP(LabelRef("end"))

	Label("full")
	dst, dstRows := Load(Param("dst"), GP64()), Load(Param("dstRows"), GP64())
	start := Load(Param("start"), GP64())
	SUBL(Imm(groupRows), at.As32())
	CMPL(at.As32(), Mem{Base: start, Index: x, Scale: 4})
	JLT(LabelRef("first"))
	values := make([]reg.VecVirtual, groupBytes/32)
	for k := range values {
		values[k] = YMM()
		VMOVDQU(Mem{Base: group, Disp: 32 * k}, values[k])
	}
	for k, v := range values {
		to := Mem{Base: dst, Index: at, Scale: 8, Disp: 32 * k}
		if k >= 4 {
			to = Mem{Base: dstRows, Index: at, Scale: 4, Disp: 32 * (k - 4)}
		}
		VMOVNTDQ(v, to)
	}
	CMPQ(i, n)
	JLT(LabelRef("row"))
	JMP(LabelRef("end"))

	Label("first")
	from := GP64()
	MOVL(Mem{Base: start, Index: x, Scale: 4}, from.As32())
	MOVL(from.As32(), place.As32())
	ANDL(Imm(groupRows-1), place.As32())
	Label("element")
	MOVQ(Mem{Base: group, Index: place, Scale: 8}, code)
	MOVL(Mem{Base: group, Disp: 8 * groupRows, Index: place, Scale: 4}, row)
	MOVQ(code, Mem{Base: dst, Index: from, Scale: 8})
	MOVL(row, Mem{Base: dstRows, Index: from, Scale: 4})
	INCL(from.As32())
	INCL(place.As32())
	CMPL(place.As32(), Imm(groupRows))
	JLT(LabelRef("element"))
	CMPQ(i, n)
	JLT(LabelRef("row"))

	Label("end")
	SFENCE()
	VZEROUPPER()
	RET()
}

// lineBytes is the size of a cache line, which is a partition's buffer in scatterWords.
const lineBytes = 64

// scatterWords writes the loop that distributes words of a size to partitions in the same way, a cache line at a time.
func scatterWords(name, word string, size int) {
	TEXT(name, NOSPLIT, fmt.Sprintf("func(words *%s, digits *uint16, n int, next *int32, start *int32, lines *%s, dst *%s)", word, word, word))
	Pragma("noescape")
	Doc(name + " deals out n words, a positive number.")
	words, digits, n := Load(Param("words"), GP64()), Load(Param("digits"), GP64()), Load(Param("n"), GP64())
	next, lines := Load(Param("next"), GP64()), Load(Param("lines"), GP64())
	start, dst := Load(Param("start"), GP64()), Load(Param("dst"), GP64())
	move, scale, perLine := MOVQ, uint8(size), lineBytes/size
	w := GP64()
	var word64, word32 Op = w, w.As32()
	element := word64
	if size == 4 {
		move, element = MOVL, word32
	}
	i := GP64()
	XORQ(i, i)
	Label("row")
	x, at, line, place := GP64(), GP64(), GP64(), GP64()
	MOVWQZX(Mem{Base: digits, Index: i, Scale: 2}, x)
	MOVL(Mem{Base: next, Index: x, Scale: 4}, at.As32())
	move(Mem{Base: words, Index: i, Scale: scale}, element)
	MOVQ(x, line)
	SHLQ(Imm(6), line)
	ADDQ(lines, line)
	MOVL(at.As32(), place.As32())
	ANDL(Imm(uint64(perLine-1)), place.As32())
	INCL(at.As32())
	MOVL(at.As32(), Mem{Base: next, Index: x, Scale: 4})
	move(element, Mem{Base: line, Index: place, Scale: scale})
	INCQ(i)
	CMPL(place.As32(), Imm(uint64(perLine-1)))
	JEQ(LabelRef("full"))
	CMPQ(i, n)
	JLT(LabelRef("row"))
	JMP(LabelRef("end"))

	Label("full")
	SUBL(Imm(uint64(perLine)), at.As32())
	CMPL(at.As32(), Mem{Base: start, Index: x, Scale: 4})
	JLT(LabelRef("first"))
	low, high := YMM(), YMM()
	VMOVDQU(Mem{Base: line}, low)
	VMOVDQU(Mem{Base: line, Disp: 32}, high)
	VMOVNTDQ(low, Mem{Base: dst, Index: at, Scale: scale})
	VMOVNTDQ(high, Mem{Base: dst, Index: at, Scale: scale, Disp: 32})
	CMPQ(i, n)
	JLT(LabelRef("row"))
	JMP(LabelRef("end"))

	Label("first")
	from := GP64()
	MOVL(Mem{Base: start, Index: x, Scale: 4}, from.As32())
	MOVL(from.As32(), place.As32())
	ANDL(Imm(uint64(perLine-1)), place.As32())
	Label("element")
	move(Mem{Base: line, Index: place, Scale: scale}, element)
	move(element, Mem{Base: dst, Index: from, Scale: scale})
	INCL(from.As32())
	INCL(place.As32())
	CMPL(place.As32(), Imm(uint64(perLine)))
	JLT(LabelRef("element"))
	CMPQ(i, n)
	JLT(LabelRef("row"))

	Label("end")
	SFENCE()
	VZEROUPPER()
	RET()
}
