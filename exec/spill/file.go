package spill

import (
	"errors"
	"os"
	"sync"
	"syscall"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// File has blocks of rows: it is a stream of Apache Arrow's IPC format, a schema and a record
// batch a block, that has no end yet. Blocks may be written and read by several goroutines.
type File struct {
	space   *Space
	f       *os.File
	removed bool // the directory does not name it any more
	types   []types.Type
	schema  []byte // the message that the file begins with

	mu       sync.Mutex
	end      int64
	encoders sync.Pool // *encoder
}

// Block is where some rows lie.
type Block struct {
	at, size int64 // of the body of its message
	fixed    int   // bytes of the body but those of texts
	// Rows is how many there are.
	Rows int
}

// Bytes returns the size of the block in the file but for its metadata, which is about what its
// rows take in memory.
func (b Block) Bytes() int64 { return b.size }

// Place is where the block lies, which no other block of its file shares.
func (b Block) Place() int64 { return b.at }

// Write puts the rows of b, whose columns may have any form, into the file. Errors: 1021
// beyond the space's limit or on a full disk, 1026 where the disk refuses otherwise.
func (f *File) Write(b *vec.Batch) (Block, error) {
	e, ok := f.encoders.Get().(*encoder)
	if !ok {
		e = newEncoder(f.types)
	}
	defer f.encoders.Put(e)
	message, body, fixed, err := e.encode(b)
	if err != nil {
		return Block{}, err
	}
	at, err := f.place(len(message))
	if err != nil {
		return Block{}, err
	}
	if at == int64(len(f.schema)) {
		_, err = f.f.WriteAt(f.schema, 0)
	}
	if err == nil {
		_, err = f.f.WriteAt(message, at)
	}
	if err != nil {
		return Block{}, f.refused(err)
	}
	f.space.account.Pace(int64(len(message)))
	return Block{at + int64(len(message)-body), int64(body), fixed, b.N}, nil
}

// place reserves n bytes at the end of the file, behind the schema, and returns where they begin.
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

// refused returns the error for a write that the system refused.
func (f *File) refused(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return sqlerr.New(sqlerr.DiskFull, "Disk full (%s); no space for temporary files", f.space.dir).
			WithHint("Set gsql_temp_directory to a directory with more space, or raise gsql_memory_limit so that less has to leave memory.")
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
