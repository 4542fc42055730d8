package segfile

import (
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
	open   map[uint64]*file                // by number; files that are removed are not among them
	gone   map[weak.Pointer[file]]struct{} // removed files that snapshots may still read
	closed bool

	relieving sync.Mutex // held while memory is freed for a reservation
}

// New returns the segment files in a folder. Loaded columns are charged to account. The cache holds
// at most limit bytes of them, or as much as the account allows if limit is 0.
func New(fs vfs.FS, account *mem.Account, limit int64) *Files {
	if account == nil {
		account = mem.NewRoot("segment files", 0)
	}
	return &Files{fs: fs, account: account, cache: cache{limit: limit}, open: map[uint64]*file{}, gone: map[weak.Pointer[file]]struct{}{}}
}

// SetOwner sets a function that says what a block is, as "column 'a' of table 'd.t'", or "" if it does
// not know. Errors of reading the block say so. It must be called before anything is read.
func (f *Files) SetOwner(owner func(r Ref) string) { f.owner = owner }

// file returns the file with a number, which need not exist.
func (f *Files) file(number uint64) *file {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.open[number]
	if x == nil {
		x = &file{files: f, number: number, name: fileName(number), closed: f.closed}
		f.open[number] = x
	}
	return x
}

// Remove removes a file to which no state of the database refers any more. Snapshots that do can
// still read it.
func (f *Files) Remove(number uint64) error {
	x := f.file(number)
	_, _ = x.open() // for those who read it later; if it cannot be opened, they get that error
	return f.unlink(x)
}

// unlink removes a file, and its columns from the cache.
func (f *Files) unlink(x *file) error {
	f.forget(x)
	f.noteGone(x)
	x.removed.Store(true)
	f.cache.purge(x)
	if err := f.fs.Remove(x.name); err != nil {
		return writeError(err, x.path())
	}
	return nil
}

// noteGone keeps a removed file for Close, as long as it can be read.
func (f *Files) noteGone(x *file) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for p := range f.gone {
		if p.Value() == nil {
			delete(f.gone, p)
		}
	}
	f.gone[weak.Make(x)] = struct{}{}
}

// forget makes later uses of the number mean another file.
func (f *Files) forget(x *file) {
	f.mu.Lock()
	delete(f.open, x.number)
	f.mu.Unlock()
}

// Close closes all files, also those that are removed. Nothing can be loaded afterwards.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	var first error
	end := func(x *file) {
		if err := x.close(); err != nil && first == nil {
			first = err
		}
	}
	for _, x := range f.open {
		end(x)
	}
	for p := range f.gone {
		if x := p.Value(); x != nil {
			end(x)
		}
	}
	clear(f.open)
	clear(f.gone)
	return first
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
