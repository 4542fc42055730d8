package segfile

import (
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"weak"

	"gsql/internal/mem"
	"gsql/storage/vfs"
)

// Files are the segment files of a directory: their open handles, and the cache of the columns that
// are loaded. Safe for concurrent use.
type Files struct {
	fs      vfs.FS
	account *mem.Account
	cache   cache
	owner   func(r Ref) string

	mu     sync.Mutex
	known  map[uint64]weak.Pointer[file] // by number: those that something refers to, and some others
	closed bool

	handles handles

	relieving sync.Mutex // held while memory is freed for a reservation
}

// New returns the segment files in a folder. Loaded columns are charged to account. The cache holds
// at most limit bytes of them, or as much as the account allows if limit is 0.
func New(fs vfs.FS, account *mem.Account, limit int64) *Files {
	if account == nil {
		account = mem.NewRoot("segment files", 0)
	}
	return &Files{fs: fs, account: account, cache: cache{limit: limit}, known: map[uint64]weak.Pointer[file]{}, handles: handles{most: mostHandles}}
}

// SetOwner sets a function that says what a block is, as "column 'a' of table 'd.t'", or "" if it does
// not know. Errors of reading the block say so. It must be called before anything is read.
func (f *Files) SetOwner(owner func(r Ref) string) { f.owner = owner }

// file returns the file with a number, which need not exist.
func (f *Files) file(number uint64) *file {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.known[number].Value()
	if x == nil {
		x = &file{files: f, number: number, name: fileName(number)}
		f.known[number] = weak.Make(x)
		runtime.AddCleanup(x, f.unknown, number)
	}
	return x
}

// unknown forgets a number once nothing refers to its file.
func (f *Files) unknown(number uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p, ok := f.known[number]; ok && p.Value() == nil {
		delete(f.known, number)
	}
}

// ErrInUse is why a file is not removed.
var ErrInUse = errors.New("the file is still read, as are many that are removed already")

// Remove removes a file to which no state of the database refers any more. Snapshots that do can
// still read it. Each such file takes an open handle, so that only some are removed: the error of others is
// ErrInUse, and they can be removed when the garbage collector has found the snapshots unreachable.
func (f *Files) Remove(number uint64) error {
	f.mu.Lock()
	x := f.known[number].Value()
	f.mu.Unlock()
	if x == nil {
		return f.delete(fileName(number))
	}
	x.removed.Store(true)
	f.cache.purge(x)
	// If it cannot be opened, those who read it later get that error.
	if errors.Is(x.retain(), errMany) {
		return ErrInUse
	}
	return f.unlink(x)
}

// Size returns the bytes of a file that is complete.
func (f *Files) Size(number uint64) (int64, error) {
	x := f.file(number)
	if n := x.total.Load(); n > 0 {
		return n, nil
	}
	h, err := x.acquire()
	if err != nil {
		return 0, err
	}
	defer f.handles.release(h)
	n, err := h.Size()
	if err != nil {
		return 0, readError(err, x.path(), 0)
	}
	x.total.Store(n)
	return n, nil
}

// unlink removes a file, and its columns from the cache.
func (f *Files) unlink(x *file) error {
	f.forget(x)
	x.removed.Store(true)
	f.cache.purge(x)
	return f.delete(x.name)
}

func (f *Files) delete(name string) error {
	if err := f.fs.Remove(name); err != nil {
		return writeError(err, filepath.Join(f.fs.String(), name))
	}
	return nil
}

// forget makes later uses of the number mean another file.
func (f *Files) forget(x *file) {
	f.mu.Lock()
	delete(f.known, x.number)
	f.mu.Unlock()
}

// Close closes all files, also those that are removed. Nothing can be loaded afterwards.
func (f *Files) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	if err := f.handles.close(); err != nil {
		return readError(err, f.fs.String(), 0)
	}
	return nil
}

// Relieve evicts part of the cache and makes the garbage collector free it. An account calls it
// before it refuses memory: see mem.Account.OnFull.
func (f *Files) Relieve() {
	if f.cache.shrink(0) > 0 {
		f.account.Collect()
	}
}

// SetLimit changes the number of bytes that the cache may hold; 0 means as many as the account
// allows.
func (f *Files) SetLimit(limit int64) {
	c := &f.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limit = limit; limit > 0 {
		c.evict(c.used - limit)
	}
}

// Cached returns the bytes of the columns in the cache.
func (f *Files) Cached() int64 {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	return f.cache.used
}

// hold charges n bytes to the account.
func (f *Files) hold(n int64) (h *mem.Holding, err error) {
	err = f.reserve(n, func() (err error) {
		h, err = f.account.Hold(n)
		return err
	})
	return h, err
}

// reserve takes n bytes of memory. If the account refuses them, it evicts columns for them. One
// goroutine at a time does so: otherwise one would take what another has evicted and collected.
func (f *Files) reserve(n int64, take func() error) error {
	err := take()
	if err == nil {
		return nil
	}
	f.relieving.Lock()
	defer f.relieving.Unlock()
	for evicted := true; err != nil && evicted; {
		evicted = f.cache.shrink(n) > 0
		f.account.Collect() // also what was evicted before
		err = take()
	}
	return err
}
