package spill

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// File holds blocks of rows. It is a stream in Apache Arrow's IPC format without an end marker: a
// schema, then one record batch per block. Several goroutines may write and read blocks.
type File struct {
	space   *Space
	f       *os.File
	removed bool // its name has been removed from the directory
	types   []types.Type
	schema  []byte // the message at the start of the file

	mu       sync.Mutex
	end      int64
	encoders sync.Pool // *encoder
}

// Block locates some rows.
type Block struct {
	at, size int64 // of the body of its message
	fixed    int   // bytes of the body, without those of texts
	// Rows is the number of rows.
	Rows int
}

// Bytes returns the size of the block in the file without its metadata, which is about the size
// of its rows in memory.
func (b Block) Bytes() int64 { return b.size }

// Place returns the block's position, which is unique in its file.
func (b Block) Place() int64 { return b.at }

// Text returns the number of bytes of the block's texts.
func (b Block) Text() int64 { return b.size - int64(b.fixed) }

// Write appends the rows of b, whose columns may have any form. Errors: 1021 beyond the space's
// limit or on a full disk, 1026 if writing fails for other reasons.
func (f *File) Write(b *vec.Batch) (Block, error) {
	e, ok := f.encoders.Get().(*encoder)
	if !ok {
		e = newEncoder(f.types)
	}
	defer f.encoders.Put(e)
	defer e.forget()
	m, err := e.encode(b)
	if err != nil {
		return Block{}, err
	}
	at, err := f.place(m.size)
	if err != nil {
		return Block{}, err
	}
	if at == int64(len(f.schema)) {
		_, err = f.f.WriteAt(f.schema, 0)
	}
	if err == nil {
		_, err = f.f.WriteAt(m.bytes, at)
	}
	if err == nil && m.long {
		err = e.writeTexts(io.NewOffsetWriter(f.f, at+int64(len(m.bytes))))
	}
	if err != nil {
		return Block{}, f.refused(err)
	}
	f.space.account.Pace(int64(len(m.bytes)))
	return Block{at + int64(m.size-m.body), int64(m.body), m.fixed, b.N}, nil
}

// place reserves n bytes at the end of the file, after the schema, and returns their position.
// The error is 1021.
func (f *File) place(n int) (at int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at = max(f.end, int64(len(f.schema)))
	end := at + int64(n)
	if err := f.space.reserve(end - f.end); err != nil {
		return 0, err
	}
	f.end = end
	return at, nil
}

// refused returns the error for a write that failed in the operating system.
func (f *File) refused(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return sqlerr.New(sqlerr.DiskFull, "Disk full (%s); no space for temporary files", f.space.dir).
			WithHint("Set gsql_temp_directory to a directory with more space, or raise gsql_memory_limit so that less is spilled.")
	}
	return sqlerr.New(sqlerr.ErrorOnWrite, "Error writing a temporary file in '%s': %v", f.space.dir, err)
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
