package spill

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/arrowvec"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// File has blocks of rows. Blocks may be written and read by several goroutines.
type File struct {
	space   *Space
	f       *os.File
	removed bool // the directory does not name it any more
	types   []types.Type
	schema  *arrow.Schema
	wide    []types.Type // the types as which the columns are written

	mu  sync.Mutex
	end int64
}

// Block is where some rows lie.
type Block struct {
	at, size int64
	// Rows is how many there are.
	Rows int
}

// Bytes gives the size of the block in the file, which is about what its rows take in memory.
func (b Block) Bytes() int64 { return b.size }

// setTypes keeps what rows are made of. Columns are written as the widest type of their
// kind: what expressions compute on the way need not fit the type that they end in.
func (f *File) setTypes(ts []types.Type) {
	f.types = ts
	names := make([]string, len(ts))
	for i, t := range ts {
		names[i] = strconv.Itoa(i)
		f.wide = append(f.wide, widest(t))
	}
	f.schema = arrowvec.Schema(names, f.wide)
}

func widest(t types.Type) types.Type {
	switch t.Kind() {
	case types.KindI64:
		return types.T(types.Int64)
	case types.KindU64:
		return types.T(types.Uint64)
	case types.KindF64:
		return types.T(types.Float64)
	case types.KindDec:
		return types.Dec(types.MaxPrecision, int(t.Scale))
	case types.KindStr:
		return types.T(types.Bytes)
	}
	return t
}

// Write puts the rows of b, whose columns may have any form, into the file. Errors: 1021
// beyond the space's limit, 1026 where the disk refuses.
func (f *File) Write(b *vec.Batch) (Block, error) {
	wide := &vec.Batch{N: b.N, Cols: make([]*vec.Vector, len(b.Cols))}
	for i, c := range b.Cols {
		v := *c.Flatten(nil)
		v.Type = f.wide[i]
		wide.Cols[i] = &v
	}
	var buf bytes.Buffer
	if err := f.encode(&buf, wide); err != nil {
		return Block{}, err
	}
	n := int64(buf.Len())
	if err := f.space.reserve(n); err != nil {
		return Block{}, err
	}
	f.mu.Lock()
	at := f.end
	f.end += n
	f.mu.Unlock()
	if _, err := f.f.WriteAt(buf.Bytes(), at); err != nil {
		return Block{}, sqlerr.New(sqlerr.ErrorOnWrite, "Error writing a temporary file in '%s': %v", f.space.dir, err)
	}
	return Block{at, n, b.N}, nil
}

func (f *File) encode(to io.Writer, b *vec.Batch) error {
	record, err := arrowvec.ToRecord(f.schema, b, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	defer record.Release()
	w := ipc.NewWriter(to, ipc.WithSchema(f.schema))
	if err := errors.Join(w.Write(record), w.Close()); err != nil {
		return sqlerr.Internal("spilled rows: %v", err)
	}
	return nil
}

// Read gives the rows of a block in memory of their own. The error is 1024 where the disk
// refuses.
func (f *File) Read(b Block) (*vec.Batch, error) {
	raw := make([]byte, b.size)
	if _, err := f.f.ReadAt(raw, b.at); err != nil {
		return nil, sqlerr.New(sqlerr.ErrorOnRead, "Error reading a temporary file in '%s': %v", f.space.dir, err)
	}
	r, err := ipc.NewReader(bytes.NewReader(raw), ipc.WithSchema(f.schema))
	if err != nil {
		return nil, sqlerr.Internal("spilled rows: %v", err)
	}
	defer r.Release()
	if !r.Next() {
		return nil, sqlerr.Internal("spilled rows are not there: %v", r.Err())
	}
	out := &vec.Batch{N: b.Rows, Cols: make([]*vec.Vector, len(f.types))}
	for i, t := range f.types {
		v := &vec.Vector{}
		if err := arrowvec.FromArray(r.Record().Column(i), f.wide[i], 0, b.Rows, v); err != nil {
			return nil, err
		}
		v.Type = t
		out.Cols[i] = v
	}
	return out, nil
}

// Close removes the file. It may be called on nil and more than once.
func (f *File) Close() error {
	if f == nil || f.f == nil {
		return nil
	}
	err := f.f.Close()
	if !f.removed {
		err = errors.Join(err, os.Remove(f.f.Name()))
	}
	f.space.release(f.end)
	f.f = nil
	return err
}
