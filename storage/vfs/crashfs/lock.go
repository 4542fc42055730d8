package crashfs

import (
	"io"
	"io/fs"
	"os"
	"path"

	"gsql/storage/vfs"
)

// holders counts the locks on a name.
type holders struct{ exclusive, shared int }

// Lock takes a lock. It makes the file as Create does if it is missing.
func (f *FS) Lock(name string, exclusive bool) (io.Closer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !vfs.ValidName(name) {
		return nil, f.fail("lock", name, fs.ErrInvalid)
	}
	if f.names.current[name] == nil {
		err := f.do(Op{Action: Create, Name: name}, func() { f.link(link{file: &node{}, to: name}) }, nil)
		if err != nil {
			return nil, err
		}
	}
	h := f.locks[name]
	if h == nil {
		h = &holders{}
		f.locks[name] = h
	}
	count := &h.shared
	if exclusive {
		count = &h.exclusive
	}
	if h.exclusive > 0 || exclusive && h.shared > 0 {
		return nil, &vfs.LockedError{File: path.Join(f.String(), name), PID: os.Getpid()}
	}
	*count++
	return &lock{fs: f, name: name, count: count}, nil
}

// lock is a lock that is held.
type lock struct {
	fs    *FS
	name  string
	count *int // nil once it is released
}

// Close releases the lock.
func (l *lock) Close() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	if l.count == nil {
		return l.fs.fail("unlock", l.name, fs.ErrClosed)
	}
	*l.count--
	l.count = nil
	return nil
}
