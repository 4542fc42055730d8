package arrowvec

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// ToArray returns v as an array of type v.Type.Arrow(). It shares no memory with v and is owned
// by the caller. Views and constants are expanded. Errors: 1264 for a value out of the range of
// the narrow Arrow type, 1406 if the strings exceed 2 GB in total.
func ToArray(v *vec.Vector, alloc memory.Allocator) (arrow.Array, error) {
	c := newColumn(v.Type, v.N, alloc)
	defer c.release()
	if err := c.append(v); err != nil {
		return nil, err
	}
	return c.array(), nil
}

// Schema returns the Arrow schema of columns with these names and types, all nullable.
func Schema(names []string, ts []types.Type) *arrow.Schema {
	fields := make([]arrow.Field, len(ts))
	for i, t := range ts {
		fields[i] = arrow.Field{Name: names[i], Type: t.Arrow(), Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// Builder collects batches into records, which are cheaper to make and to pass on than a record
// per batch.
type Builder struct {
	schema *arrow.Schema
	types  []types.Type
	alloc  memory.Allocator
	cols   []*column
	rows   int
	room   int // number of rows of the largest record
}

// Limits of a record, which its last batch may exceed, so that records stay in the CPU cache.
const (
	recordRows  = 1 << 15
	recordBytes = 1 << 23 // of one column's strings
)

// NewBuilder returns a builder of records with columns of these names and types. Release frees
// its memory.
func NewBuilder(names []string, ts []types.Type, alloc memory.Allocator) *Builder {
	return &Builder{schema: Schema(names, ts), types: ts, alloc: alloc}
}

// Schema returns the schema of the records.
func (b *Builder) Schema() *arrow.Schema { return b.schema }

// Append appends a copy of a batch. It returns the errors of ToArray; after an error, b must not
// be used.
func (b *Builder) Append(in *vec.Batch) error {
	if b.cols == nil {
		for _, t := range b.types {
			b.cols = append(b.cols, newColumn(t, max(b.room, in.N), b.alloc))
		}
	}
	for i, v := range in.Cols {
		if err := b.cols[i].append(v); err != nil {
			return err
		}
	}
	b.rows += in.N
	return nil
}

// Rows returns the number of rows since the last record.
func (b *Builder) Rows() int { return b.rows }

// Full reports whether the rows so far should become a record before n more rows are appended.
func (b *Builder) Full(n int) bool {
	if b.rows > 0 && b.rows+n > recordRows {
		return true
	}
	for _, c := range b.cols {
		if c.text > recordBytes {
			return true
		}
	}
	return false
}

// Record returns the rows since the last record as a record owned by the caller.
func (b *Builder) Record() arrow.Record {
	arrays := make([]arrow.Array, len(b.types))
	for i, c := range b.cols {
		arrays[i] = c.array()
		defer arrays[i].Release()
	}
	rec := array.NewRecord(b.schema, arrays, int64(b.rows))
	b.room = max(b.room, min(b.rows, recordRows))
	b.Release()
	return rec
}

// Release frees the rows since the last record.
func (b *Builder) Release() {
	for _, c := range b.cols {
		c.release()
	}
	b.cols, b.rows = nil, 0
}
