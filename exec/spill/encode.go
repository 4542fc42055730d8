package spill

import (
	"bufio"
	"io"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/bitutil"

	"gsql/sql/arrowvec"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// The body of a message begins with everything of fixed size: for each column, the bits that mark
// which rows are not NULL, and the values or, for texts, the offsets. The bytes of the texts
// follow, column by column. Each part begins at a multiple of word bytes.
const word = 8

func roundUp(n int) int { return (n + word - 1) &^ (word - 1) }

// sizes returns the sizes in bytes of the two fixed-size buffers of a column.
func sizes(t types.Type, rows int) (valid, values int) {
	valid = int(bitutil.BytesForBits(int64(rows)))
	switch t.Kind() {
	case types.KindDec:
		return valid, 16 * rows
	case types.KindStr:
		return valid, 8 * (rows + 1)
	case types.KindNull:
		return 0, 0
	}
	return valid, 8 * rows
}

// buffersOf returns the number of buffers of a column: those of sizes, and one for the bytes of
// texts.
func buffersOf(t types.Type) int {
	switch t.Kind() {
	case types.KindNull:
		return 0
	case types.KindStr:
		return 3
	}
	return 2
}

const (
	// mostGathered is the most bytes of a message that an encoder gathers in its own memory. The texts
	// of a longer one are written from where they are.
	mostGathered = 1 << 20
	// windowBytes is the size of the buffer through which short texts of a long message pass.
	windowBytes = 256 << 10
)

// encoder makes messages from batches. It is for one goroutine at a time.
type encoder struct {
	types   []types.Type
	header  *header
	words   []uint64 // of the message, or of what precedes its texts
	window  *bufio.Writer
	cols    []*vec.Vector
	flat    []vec.Vector // scratch
	nulls   []int        // of each column
	buffers []buffer     // of all columns
}

// message is the encoded form of a batch.
type message struct {
	bytes []byte // all of it, or, if long is set, what precedes the bytes of texts
	size  int    // of the whole message
	body  int    // size of its body
	fixed int    // size of the part of the body before the bytes of texts
	long  bool
}

func newEncoder(ts []types.Type) *encoder {
	e := &encoder{types: ts, cols: make([]*vec.Vector, len(ts)), flat: make([]vec.Vector, len(ts)), nulls: make([]int, len(ts))}
	n := 0
	for _, t := range ts {
		n += buffersOf(t)
	}
	e.header, e.buffers = newHeader(len(ts), n), make([]buffer, n)
	return e
}

// encode returns the message of the rows of b, valid until the next call. It returns error 1815 if a
// column does not have its type.
func (e *encoder) encode(b *vec.Batch) (m message, err error) {
	for i, c := range b.Cols {
		if c.Type.Kind() != e.types[i].Kind() {
			return m, sqlerr.Internal("a temporary file of %s cannot hold %s in column %d", e.types[i], c.Type, i+1)
		}
		e.cols[i] = c
		if c.Type.ID != types.Null {
			e.cols[i] = c.Flatten(&e.flat[i])
		}
	}
	m.fixed, m.body = e.lay(b.N)
	start := len(e.header.bytes)
	m.size = start + m.body
	m.long = m.size > mostGathered && m.fixed < m.body
	gathered := m.size
	if m.long {
		gathered = start + m.fixed
	}
	if need := (gathered + word - 1) / word; len(e.words) < need {
		e.words = make([]uint64, need+need/4)
	}
	m.bytes = bytesOf(e.words)[:gathered]
	rest := e.buffers
	for i, v := range e.cols {
		n := buffersOf(e.types[i])
		e.nulls[i] = put(m.bytes[start:], rest[:n], v, m.long)
		rest = rest[n:]
	}
	e.header.put(m.bytes, b.N, e.nulls, e.buffers, m.body)
	return m, nil
}

// writeTexts writes the bytes of texts of a long message to w: long texts at once, from where they are.
func (e *encoder) writeTexts(w io.Writer) error {
	if e.window == nil {
		e.window = bufio.NewWriterSize(nil, windowBytes)
	}
	e.window.Reset(w)
	defer e.window.Reset(nil)
	for i, t := range e.types {
		if t.Kind() != types.KindStr {
			continue
		}
		v, n := e.cols[i], 0
		for row, s := range v.Str[:v.N] {
			if v.Null != nil && v.Null[row] {
				continue
			}
			n += len(s)
			if _, err := e.window.Write(unsafe.Slice(unsafe.StringData(s), len(s))); err != nil {
				return err
			}
		}
		if _, err := e.window.Write(make([]byte, roundUp(n)-n)); err != nil {
			return err
		}
	}
	return e.window.Flush()
}

// forget drops the references to the last batch, whose texts would stay allocated.
func (e *encoder) forget() {
	clear(e.cols)
	for i := range e.flat {
		clear(e.flat[i].Str)
	}
}

// lay computes the positions of the columns' buffers.
func (e *encoder) lay(rows int) (fixed, body int) {
	rest := e.buffers
	for _, t := range e.types {
		n := buffersOf(t)
		if n > 0 {
			valid, values := sizes(t, rows)
			rest[0], rest[1] = buffer{fixed, valid}, buffer{fixed + roundUp(valid), values}
			fixed = rest[1].at + roundUp(values)
		}
		rest = rest[n:]
	}
	rest, body = e.buffers, fixed
	for i, t := range e.types {
		n := buffersOf(t)
		if n > 2 {
			rest[2] = buffer{body, textBytes(e.cols[i])}
			body += roundUp(rest[2].size)
		}
		rest = rest[n:]
	}
	return fixed, body
}

func textBytes(v *vec.Vector) int {
	n := 0
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			n += len(s)
		}
	}
	return n
}

// put writes a column to its buffers and returns the number of NULLs. The bytes of texts are left out
// if the message is long.
func put(body []byte, to []buffer, v *vec.Vector, long bool) (nulls int) {
	if len(to) == 0 {
		return v.N
	}
	valid, values := to[0].of(body), to[1].of(body)
	if v.Null != nil {
		nulls = arrowvec.Validity(valid, v.Null[:v.N])
	} else {
		for i := range valid {
			valid[i] = 0xff
		}
	}
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		copy(values, bytesOf(v.I64))
	case types.KindF64:
		copy(values, bytesOf(v.F64))
	case types.KindDec:
		copy(values, bytesOf(v.Dec))
	case types.KindStr:
		putEnds(elements[int64](values), v)
		if !long {
			putTexts(to[2].of(body), v)
		}
	}
	return nulls
}

// of returns the buffer's memory.
func (b buffer) of(body []byte) []byte { return body[b.at : b.at+b.size] }

// putEnds writes a zero and then the end of each text. NULLs have no bytes.
func putEnds(ends []int64, v *vec.Vector) {
	ends[0] = 0
	ends = ends[1:]
	at := 0
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			at += len(s)
		}
		ends[i] = int64(at)
	}
}

// putTexts writes the bytes of the texts.
func putTexts(text []byte, v *vec.Vector) {
	at := 0
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			at += copy(text[at:], s)
		}
	}
}

// bytesOf returns the memory of values.
func bytesOf[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// elements returns memory as values.
func elements[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}
