package format

import (
	"context"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Part is one opened file of a table.
type Part interface {
	// Columns returns the file's columns, which the caller may change.
	Columns() []catalog.Column
	// Stats describes the rows, from less of the file once ctx is done.
	Stats(ctx context.Context) *catalog.Stats
	// Preview returns rows for the planner's estimates, or nil. Stats has been called before.
	Preview() *Preview
	// Chunks starts a scan of the file, whose reads end with ctx.
	Chunks(ctx context.Context, req *Request) (Chunks, error)
}

// Request is what the scan of a table asks of each of its files.
type Request struct {
	Columns []int           // the file's columns to decode, by ordinal
	Batch   int             // rows of a batch at most
	Prune   []catalog.Range // ranges outside of which no row is needed
	Passing bool            // no text is kept beyond the next batch
	Mem     *mem.Account    // is charged for unusually large buffers
	Rejects RejectList      // lines that the scan has skipped
}

// Chunks hands out the chunks of one file in order. Calls never overlap.
type Chunks interface {
	// Next returns the next chunk that may hold needed rows, or nil at the end.
	Next() (Chunk, error)
	Close() error
}

// Chunk is a run of rows that one reader decodes.
type Chunk interface {
	// Read returns the next batch of the request's columns, valid until the following call,
	// or nil at the end.
	Read() (*vec.Batch, error)
	// Path returns the path of the chunk's file, for errors.
	Path() string
	// End is called when no reader uses the chunk any more.
	End()
}

// Encoder writes batches in a format.
type Encoder interface {
	Write(b *vec.Batch) error
	// Finish writes the rows that are still held back and the end of the format.
	Finish() error
}

// Writable returns the type that a column is written with: NULL columns become text.
func Writable(t types.Type) types.Type {
	if t.ID == types.Null {
		return types.T(types.String)
	}
	return t
}

// ChunkSize is how many bytes of a file are read at once.
const ChunkSize = 1 << 20

// Sized returns n elements of arbitrary contents, in the memory of s where it is large enough.
func Sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
