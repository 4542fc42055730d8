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
	// Columns returns the file's columns. The caller may change the slice.
	Columns() []catalog.Column
	// Stats describes the rows, based on less of the file if ctx is done.
	Stats(ctx context.Context) *catalog.Stats
	// Preview returns about rows rows for the planner's estimates, or nil. The first call decides
	// how many. It must be called after Stats, and calls must not overlap.
	Preview(rows int) *Preview
	// Held returns about how many bytes the part retains between scans.
	Held() int64
	// Chunks starts a scan of the file. Its reads fail once ctx ends.
	Chunks(ctx context.Context, req *Request) (Chunks, error)
}

// Request describes the scan of a table to each of its files.
type Request struct {
	Columns []int           // ordinals of the file's columns to decode
	Batch   int             // largest number of rows in a batch
	Prune   []catalog.Range // rows outside of any of these ranges are not needed
	// Bound returns a range that narrows during the scan, as that of catalog.ScanSpec does. May be nil.
	Bound   func() (r catalog.Range, nulls, ok bool)
	Passing bool         // no text is kept beyond the next batch
	Mem     *mem.Account // charged for unusually large buffers
	Rejects RejectList   // lines that the scan has skipped
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
	// Size returns about how many bytes of memory a reader of the chunk needs.
	Size() int64
	// End is called once no reader uses the chunk any more.
	End()
}

// LateChunk is a Chunk that reads the columns of a batch one by one, on request. Callers use Advance
// and Column instead of Read.
type LateChunk interface {
	Chunk
	// Advance moves to the next batch and returns its number of rows, 0 at the end.
	Advance() (n int, err error)
	// Column returns column i of the request for the rows of the batch, valid until the next
	// Advance. It must be called at most once for a column and batch.
	Column(i int) (*vec.Vector, error)
}

// Encoder writes batches in a format.
type Encoder interface {
	Write(b *vec.Batch) error
	// Finish writes any buffered rows and the end of the format.
	Finish() error
}

// Writable returns the type with which a column is written: NULL columns become text.
func Writable(t types.Type) types.Type {
	if t.ID == types.Null {
		return types.T(types.String)
	}
	return t
}

// ChunkSize is the number of bytes read from a file at once.
const ChunkSize = 1 << 20

// Sized returns n elements with undefined contents, in the memory of s if it is large enough.
func Sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
