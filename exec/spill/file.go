package spill

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"unsafe"

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

	mu       sync.Mutex
	end      int64
	encoders sync.Pool // *encoder
}

// Block is where some rows lie.
type Block struct {
	at, size int64
	fixed    int // bytes but those of strings
	// Rows is how many there are.
	Rows int
}

// Bytes gives the size of the block in the file, which is about what its rows take in memory.
func (b Block) Bytes() int64 { return b.size }

// Place is where the block lies, which no other block of its file shares.
func (b Block) Place() int64 { return b.at }

// Write puts the rows of b, whose columns may have any form, into the file. Errors: 1021
// beyond the space's limit or on a full disk, 1026 where the disk refuses otherwise.
func (f *File) Write(b *vec.Batch) (Block, error) {
	e, ok := f.encoders.Get().(*encoder)
	if !ok {
		e = &encoder{types: f.types}
	}
	defer f.encoders.Put(e)
	block, fixed := e.encode(b)
	n := int64(len(block))
	if err := f.space.reserve(n); err != nil {
		return Block{}, err
	}
	f.mu.Lock()
	at := f.end
	f.end += n
	f.mu.Unlock()
	if _, err := f.f.WriteAt(block, at); err != nil {
		return Block{}, f.refused(err)
	}
	return Block{at, n, fixed, b.N}, nil
}

// refused gives the error for a write that the system refused.
func (f *File) refused(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return sqlerr.New(sqlerr.DiskFull, "Disk full (%s); no space for temporary files", f.space.dir).
			WithHint("Set gsql_temp_directory to a directory with more space, or raise gsql_memory_limit so that less has to leave memory.")
	}
	return sqlerr.New(sqlerr.ErrorOnWrite, "Error writing a temporary file in '%s': %v", f.space.dir, err)
}

// Reader reads blocks of a file. It is for one goroutine.
type Reader struct {
	f     *File
	words []uint64 // of the last block
	batch vec.Batch
}

// NewReader makes a Reader.
func (f *File) NewReader() *Reader {
	r := &Reader{f: f}
	for range f.types {
		r.batch.Cols = append(r.batch.Cols, &vec.Vector{})
	}
	return r
}

// Read gives the rows of a block, valid until the next call; the bytes of strings stay. The
// error is 1024 where the disk refuses.
func (r *Reader) Read(b Block) (*vec.Batch, error) {
	if need := (b.fixed + word - 1) / word; len(r.words) < need {
		r.words = make([]uint64, need)
	}
	fixed, text := bytesOf(r.words)[:b.fixed], make([]byte, int(b.size)-b.fixed)
	_, err := r.f.f.ReadAt(fixed, b.at)
	if err == nil && len(text) > 0 {
		_, err = r.f.f.ReadAt(text, b.at+int64(b.fixed))
	}
	if err != nil {
		return nil, sqlerr.New(sqlerr.ErrorOnRead, "Error reading a temporary file in '%s': %v", r.f.space.dir, err)
	}
	r.batch.N = b.Rows
	decode(r.f.types, fixed, unsafe.String(unsafe.SliceData(text), len(text)), &r.batch)
	return &r.batch, nil
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
