package chainlog

import (
	"io"

	"gsql/internal/mem"
	"gsql/storage/vfs"
)

// windowSize is the number of bytes that are read at once, unless a record is longer.
const windowSize = 1 << 20

// window is the part of a file that was read last.
type window struct {
	file    vfs.File
	size    int64 // of the file
	account *mem.Account
	buf     *mem.Buffer[byte]
	at      int64 // place of what was read
	n       int   // bytes that were read
}

// read returns n bytes at a place, or fewer if the file ends before. They are valid until the next
// call.
func (w *window) read(pos Pos, n int64) ([]byte, error) {
	at := int64(pos)
	if n = min(n, w.size-at); n <= 0 {
		return nil, nil
	}
	if at < w.at || at+n > w.at+int64(w.n) {
		if err := w.fill(at, n); err != nil {
			return nil, err
		}
	}
	b := w.buf.S[at-w.at : w.n]
	return b[:min(n, int64(len(b)))], nil
}

// fill moves the window to a place and makes it at least n bytes long if the file is.
func (w *window) fill(at, n int64) error {
	kept := 0
	if at >= w.at && at < w.at+int64(w.n) {
		kept = copy(w.buf.S, w.buf.S[at-w.at:w.n])
	}
	w.at, w.n = at, kept
	if err := mem.Room(w.account, &w.buf, int(max(n, min(windowSize, w.size-at)))); err != nil {
		return err
	}
	want := min(int64(len(w.buf.S)), w.size-at)
	if want <= int64(kept) {
		return nil
	}
	got, err := w.file.ReadAt(w.buf.S[kept:want], at+int64(kept))
	w.n = kept + got
	if err == io.EOF { // the file became shorter
		err = nil
	}
	return err
}

// forget makes the next read go to the file, which may have grown.
func (w *window) forget() { w.n = 0 }

// free returns the window's memory.
func (w *window) free() { w.buf.Free() }
