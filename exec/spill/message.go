package spill

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"

	"gsql/sql/types"
)

// schemaOf returns the schema of a file. Columns have the types in which vectors compute, so that
// values have the same layout as in memory. Offsets of texts have 64 bits, because a block's
// texts may be long.
func schemaOf(ts []types.Type) *arrow.Schema {
	fields := make([]arrow.Field, len(ts))
	for i, t := range ts {
		fields[i] = arrow.Field{Name: strconv.Itoa(i), Type: arrowType(t), Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

func arrowType(t types.Type) arrow.DataType {
	switch t.Kind() {
	case types.KindI64:
		return arrow.PrimitiveTypes.Int64
	case types.KindU64:
		return arrow.PrimitiveTypes.Uint64
	case types.KindF64:
		return arrow.PrimitiveTypes.Float64
	case types.KindDec:
		return &arrow.Decimal128Type{Precision: types.MaxPrecision, Scale: int32(t.Scale)}
	case types.KindStr:
		return arrow.BinaryTypes.LargeBinary
	}
	return arrow.Null
}

// schemaMessage returns the message at the start of a file for rows of these types.
func schemaMessage(ts []types.Type) ([]byte, error) {
	const end = 8 // bytes of the message that ends the stream
	var out output
	err := ipc.NewWriter(&out, ipc.WithSchema(schemaOf(ts))).Close()
	return out[:max(len(out)-end, 0)], err
}

// output is memory used as a writer.
type output []byte

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	*o = append(*o, b...)
	return len(b), nil
}

// buffer is the position of a buffer in a message's body.
type buffer struct{ at, size int }

// Constants of Arrow's format: Message.fbs and Schema.fbs.
const (
	metadataV5        = 4
	headerRecordBatch = 3
	pairBytes         = 16 // of a FieldNode and of a Buffer
)

// header is what precedes the body in the message of a record batch: a mark, the size of the
// metadata, and the metadata. The metadata are a FlatBuffers table that differs between the
// batches of a file only in some numbers. The library's writer would need arrays and a record
// first, then build the table and copy the body, which for small blocks is ten times the work.
type header struct {
	bytes []byte
	// Positions of the numbers: of rows, of the body's size, of rows and NULLs for each column,
	// and of the places of the buffers.
	rows, body, nodes, buffers int
}

func newHeader(columns, buffers int) *header {
	const always = -1 // a value that tables never omit as a default
	b := flatbuffers.NewBuilder(1 << 10)
	vector := func(n int) (v, at flatbuffers.UOffsetT) {
		b.StartVector(pairBytes, n, word)
		for range n {
			b.Prep(word, pairBytes)
			b.PrependInt64(0)
			b.PrependInt64(0)
		}
		at = b.Offset()
		return b.EndVector(n), at
	}
	bufferVector, buffersAt := vector(buffers)
	nodeVector, nodesAt := vector(columns)
	b.StartObject(5)
	b.PrependInt64Slot(0, 0, always)
	rowsAt := b.Offset()
	b.PrependUOffsetTSlot(1, nodeVector, 0)
	b.PrependUOffsetTSlot(2, bufferVector, 0)
	batch := b.EndObject()
	b.StartObject(5)
	b.PrependInt64Slot(3, 0, always)
	bodyAt := b.Offset()
	b.PrependUOffsetTSlot(2, batch, 0)
	b.PrependInt16Slot(0, metadataV5, 0)
	b.PrependByteSlot(1, headerRecordBatch, 0)
	b.Finish(b.EndObject())
	meta := b.FinishedBytes() // its length is a multiple of the size of its largest number
	h := &header{bytes: binary.LittleEndian.AppendUint32(nil, math.MaxUint32)}
	h.bytes = append(binary.LittleEndian.AppendUint32(h.bytes, uint32(len(meta))), meta...)
	place := func(fromEnd flatbuffers.UOffsetT) int { return len(h.bytes) - int(fromEnd) }
	h.rows, h.body, h.nodes, h.buffers = place(rowsAt), place(bodyAt), place(nodesAt), place(buffersAt)
	return h
}

// put writes the header of a message.
func (h *header) put(message []byte, rows int, nulls []int, buffers []buffer, body int) {
	copy(message, h.bytes)
	number := func(at, x int) { binary.LittleEndian.PutUint64(message[at:], uint64(x)) }
	number(h.rows, rows)
	number(h.body, body)
	for i, n := range nulls {
		number(h.nodes+i*pairBytes, rows)
		number(h.nodes+i*pairBytes+word, n)
	}
	for i, b := range buffers {
		number(h.buffers+i*pairBytes, b.at)
		number(h.buffers+i*pairBytes+word, b.size)
	}
}
