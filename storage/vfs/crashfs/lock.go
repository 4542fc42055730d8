package crashfs

import (
	"io"
	"os"
	"path"
	"sync"

	"gsql/storage/vfs"
)

// holders counts the locks on a name.
type holders struct{ exclusive, shared int }

// Lock takes a lock. It makes the file as Create does if it is missing.
func (f *FS) Lock(name string, exclusive bool) (io.Closer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
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
	return &lock{release: sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		*count--
	})}, nil
}

// lock is a lock that is held.
type lock struct{ release func() }

// Close releases the lock.
func (l *lock) Close() error {
	l.release()
	return nil
}
