package spill

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// A block begins with a byte a column that tells whether it has NULLs. Then come the values
// of each column as they lie in memory, of strings their lengths, with the NULL flags behind
// them; all of these begin at multiples of word bytes. The bytes of strings come last, column
// by column.
const word = 8

func roundUp(n int) int { return (n + word - 1) &^ (word - 1) }

// width gives the bytes a row of a type's values.
func width(t types.Type) int {
	switch t.Kind() {
	case types.KindDec:
		return 16
	case types.KindStr:
		return 4
	case types.KindNull:
		return 0
	}
	return 8
}

// encoder makes blocks. It is for one goroutine at a time.
type encoder struct {
	types []types.Type
	words []uint64     // of the block
	flat  []vec.Vector // scratch
	cols  []*vec.Vector
}

// encode gives the block of the rows of b, valid until the next call, and the size of all but
// the bytes of strings.
func (e *encoder) encode(b *vec.Batch) (block []byte, fixed int) {
	fixed = roundUp(len(b.Cols))
	text := 0
	e.cols = e.cols[:0]
	if e.flat == nil {
		e.flat = make([]vec.Vector, len(b.Cols))
	}
	for i, c := range b.Cols {
		v := c
		if c.Type.ID != types.Null {
			v = c.Flatten(&e.flat[i])
		}
		e.cols = append(e.cols, v)
		fixed += roundUp(width(e.types[i]) * b.N)
		if hasNulls(v) {
			fixed += roundUp(b.N)
		}
		text += textBytes(v)
	}
	if need := (fixed + text + word - 1) / word; len(e.words) < need {
		e.words = make([]uint64, need+need/4)
	}
	block = bytesOf(e.words)[:fixed+text]
	at, textAt := roundUp(len(b.Cols)), fixed
	for i, v := range e.cols {
		block[i] = 0
		n := width(e.types[i]) * b.N
		textAt += putValues(block[at:at+n], block[textAt:], v)
		at += roundUp(n)
		if hasNulls(v) {
			block[i] = 1
			putNulls(block[at:at+b.N], v)
			at += roundUp(b.N)
		}
	}
	return block, fixed
}

func hasNulls(v *vec.Vector) bool { return v.Type.ID == types.Null || v.Null != nil }

func textBytes(v *vec.Vector) int {
	n := 0
	for i, s := range texts(v) {
		if v.Null == nil || !v.Null[i] {
			n += len(s)
		}
	}
	return n
}

// texts gives the strings of a column that has any.
func texts(v *vec.Vector) []string {
	if v.Type.Kind() != types.KindStr {
		return nil
	}
	return v.Str[:v.N]
}

// putValues writes the values of a column, and gives the bytes of strings that it wrote.
// NULLs of strings have none.
func putValues(to, text []byte, v *vec.Vector) int {
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		copy(to, bytesOf(v.I64))
	case types.KindF64:
		copy(to, bytesOf(v.F64))
	case types.KindDec:
		copy(to, bytesOf(v.Dec))
	case types.KindStr:
		lengths, at := elements[uint32](to), 0
		for i, s := range texts(v) {
			if v.Null != nil && v.Null[i] {
				s = ""
			}
			lengths[i] = uint32(len(s))
			at += copy(text[at:], s)
		}
		return at
	}
	return 0
}

func putNulls(to []byte, v *vec.Vector) {
	if v.Type.ID == types.Null {
		for i := range to {
			to[i] = 1
		}
		return
	}
	copy(to, bytesOf(v.Null))
}

// decode makes b the rows of a block whose bytes of strings are text. They share its memory.
func decode(ts []types.Type, fixed []byte, text string, b *vec.Batch) {
	at := roundUp(len(ts))
	for i, t := range ts {
		v := b.Cols[i]
		n := width(t) * b.N
		values := fixed[at : at+n]
		at += roundUp(n)
		str := v.Str
		*v = vec.Vector{Type: t, N: b.N}
		switch t.Kind() {
		case types.KindI64, types.KindU64:
			v.I64 = elements[int64](values)
		case types.KindF64:
			v.F64 = elements[float64](values)
		case types.KindDec:
			v.Dec = elements[decimal128.Num](values)
		case types.KindStr:
			v.Str, text = cut(str, elements[uint32](values), text)
		}
		if fixed[i] != 0 {
			if t.Kind() != types.KindNull {
				v.Null = elements[bool](fixed[at : at+b.N])
			}
			at += roundUp(b.N)
		}
	}
}

// cut cuts strings of these lengths off text, and gives what is left of it.
func cut(buf []string, lengths []uint32, text string) (strs []string, rest string) {
	if cap(buf) < len(lengths) {
		buf = make([]string, len(lengths))
	}
	buf = buf[:len(lengths)]
	for i, n := range lengths {
		buf[i], text = text[:n], text[n:]
	}
	return buf, text
}

// bytesOf gives the memory of values.
func bytesOf[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// elements gives memory as values.
func elements[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}
