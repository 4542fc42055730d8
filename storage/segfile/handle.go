package segfile

import (
	"encoding/binary"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/storage/vfs"
)

// file is a segment file. It is opened when something is read from it, and closed when other files need
// its handle or nothing refers to it any more.
type file struct {
	files  *Files
	number uint64
	name   string

	mu     sync.Mutex
	handle *handle // the last one, which may be closed; nil before it is first opened
	size   int64
	ends   runtime.Cleanup // closes the handle
	closed bool

	out     atomic.Pointer[output] // that writes the file; nil once it is complete
	cached  []*column              // that are in the cache, which guards the field
	removed atomic.Bool            // from the folder
	total   atomic.Int64           // bytes, once they are known and the file is complete
}

// path names the file in messages.
func (f *file) path() string { return filepath.Join(f.files.fs.String(), f.name) }

// acquire returns the open file, which stays open until it is released. It checks the header when it
// opens the file.
func (f *file) acquire() (*handle, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files.handles.use(f.handle) {
		return f.handle, nil
	}
	if f.closed {
		return nil, readError(fs.ErrClosed, f.path(), 0)
	}
	h, err := f.files.fs.Open(f.name)
	if err != nil {
		return nil, readError(err, f.path(), 0)
	}
	if err := f.adopt(h); err != nil {
		_ = h.Close() // nothing was written
		return nil, err
	}
	return f.handle, nil
}

// adopt makes h the file's handle. The handle is closed once nothing refers to f.
func (f *file) adopt(h vfs.File) error {
	size, err := h.Size()
	if err != nil {
		return readError(err, f.path(), 0)
	}
	if err := f.checkHead(h); err != nil {
		return err
	}
	next := &handle{File: h}
	if err := f.files.handles.add(next); err != nil {
		return readError(err, f.path(), 0)
	}
	f.ends.Stop()
	f.size, f.handle = size, next
	f.ends = runtime.AddCleanup(f, f.files.handles.end, next)
	return nil
}

// retain opens the file and keeps it open for those who read it after it is removed.
func (f *file) retain() error {
	h, err := f.acquire()
	if err != nil {
		return err
	}
	defer f.files.handles.release(h)
	return f.files.handles.retain(h)
}

// close closes the file for good.
func (f *file) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.handle != nil {
		f.ends.Stop()
		f.files.handles.end(f.handle)
	}
}

func (f *file) checkHead(h vfs.File) error {
	var head [headBytes]byte
	if n, err := h.ReadAt(head[:], 0); err != nil && err != io.EOF {
		return readError(err, f.path(), int64(n))
	} else if what := checkHeader(head[:n], f.number); what != "" {
		return damaged(f.path(), 0, "%s", what)
	}
	if v := binary.LittleEndian.Uint32(head[len(headMagic):]); v != version {
		return sqlerr.New(sqlerr.NotSupportedYet, "%s has version %d of the format of segment files; this program knows version %d", f.path(), v, version)
	}
	return nil
}

// block reads a block and passes it to use without its checksum. The memory is reused afterwards. Errors
// say whose block it is.
func (f *file) block(r Ref, use func(block []byte) error) error {
	return f.files.attributed(f.readBlock(r, use), r)
}

func (f *file) readBlock(r Ref, use func(block []byte) error) error {
	if o := f.out.Load(); o != nil {
		if err := o.flush(r.Offset + r.Length); err != nil {
			return err
		}
	}
	h, err := f.acquire()
	if err != nil {
		return err
	}
	defer f.files.handles.release(h)
	if err := f.contains(h, r); err != nil {
		return err
	}
	buf, err := f.files.buffer(r.Length)
	if err != nil {
		return err
	}
	defer buf.Free()
	if n, err := h.ReadAt(buf.S, r.Offset); n < len(buf.S) {
		return readError(err, f.path(), r.Offset+int64(n))
	}
	block, ok := intact(buf.S, f.number, r.Offset)
	if !ok {
		return damaged(f.path(), r.Offset, "the checksum of a block of %d bytes is wrong", r.Length)
	}
	if err := use(block); err != nil {
		return damaged(f.path(), r.Offset, "a block of %d bytes cannot be read: %v", r.Length, err)
	}
	return nil
}

// contains checks that the file is long enough for a block. It may have grown since it was opened.
func (f *file) contains(h vfs.File, r Ref) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Offset > f.size-r.Length {
		size, err := h.Size()
		if err != nil {
			return readError(err, f.path(), r.Offset)
		}
		f.size = size
	}
	if r.Offset < headBytes || r.Length < checkBytes || r.Offset > f.size-r.Length {
		return damaged(f.path(), r.Offset, "the file has %d bytes, a block of %d is missing", f.size, r.Length)
	}
	return nil
}

// buffer returns memory for n bytes of a file.
func (f *Files) buffer(n int64) (buf *mem.Buffer[byte], err error) {
	err = f.reserve(n, func() (err error) {
		buf, err = mem.Scratch[byte](f.account, int(n))
		return err
	})
	return buf, err
}
