package segfile

import (
	"errors"
	"io/fs"
	"sync"

	"gsql/storage/vfs"
)

// mostHandles is the number of files that stay open. More are open only while as many are read at once.
// Systems allow a process 256 or more.
const mostHandles = 128

// handles bounds the number of open files. It closes those that have not been used since the hand of the
// clock passed them last.
type handles struct {
	mu       sync.Mutex
	most     int
	ring     []*handle
	hand     int
	retained int // handles of files that are removed, which stay open
	closed   bool
}

// handle is an open file. handles.mu guards its fields but the first.
type handle struct {
	vfs.File
	at       int // in the ring; -1 if it is closed
	users    int
	hot      bool // used since the hand passed
	retained bool
}

// errMany is why a file is not retained.
var errMany = errors.New("many removed files are open")

// add makes h one of the open files, in use, and closes another one if there are too many.
func (x *handles) add(h *handle) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return fs.ErrClosed
	}
	x.evict()
	h.at, h.users, h.hot = len(x.ring), 1, true
	x.ring = append(x.ring, h)
	return nil
}

// use reports whether h is still open, and keeps it so until release.
func (x *handles) use(h *handle) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if h == nil || h.at < 0 {
		return false
	}
	h.users++
	h.hot = true
	return true
}

func (x *handles) release(h *handle) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if h.users--; h.users == 0 && len(x.ring) > x.most {
		x.evict()
	}
}

// retain keeps h, which is in use, open for good, unless that would leave too few for others.
func (x *handles) retain(h *handle) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if h.retained {
		return nil
	}
	if 2*x.retained >= x.most {
		return errMany
	}
	x.retained++
	h.retained = true
	return nil
}

// evict closes a file if there are too many for another one. mu is held.
func (x *handles) evict() {
	for looked := 0; len(x.ring) >= x.most && looked < 2*len(x.ring)+1; looked++ {
		if x.hand >= len(x.ring) {
			x.hand = 0
		}
		h := x.ring[x.hand]
		switch {
		case h.users > 0 || h.retained:
			x.hand++
		case h.hot:
			h.hot = false
			x.hand++
		default:
			_ = x.drop(h) // nothing was written
		}
	}
}

// drop closes an open file. mu is held.
func (x *handles) drop(h *handle) error {
	last := x.ring[len(x.ring)-1]
	x.ring[h.at], last.at = last, h.at
	x.ring[len(x.ring)-1] = nil
	x.ring = x.ring[:len(x.ring)-1]
	h.at = -1
	if h.retained {
		x.retained--
	}
	return h.Close()
}

// end closes a file to which nothing refers.
func (x *handles) end(h *handle) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if h.at >= 0 {
		_ = x.drop(h) // nothing was written
	}
}

// close closes all files, and those opened later.
func (x *handles) close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	var errs []error
	for len(x.ring) > 0 {
		errs = append(errs, x.drop(x.ring[len(x.ring)-1]))
	}
	return errors.Join(errs...)
}
