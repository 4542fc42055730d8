package crashfs

import (
	"bytes"
	"io"
	"io/fs"

	"gsql/storage/vfs"
)

// handle is an open file.
type handle struct {
	fs       *FS
	node     *node
	name     string
	writable bool
	closed   bool
}

// handle opens a file. f.mu is held.
func (f *FS) handle(n *node, name string, writable bool) *handle {
	f.open++
	return &handle{fs: f, node: n, name: name, writable: writable}
}

var _ vfs.File = (*handle)(nil)

// Name returns the name with which the file was opened.
func (h *handle) Name() string { return h.name }

// usable returns why the handle cannot be used. The file system is locked.
func (h *handle) usable(op Action, write bool) error {
	switch {
	case h.closed:
		return h.fs.fail(string(op), h.name, fs.ErrClosed)
	case write && !h.writable:
		return h.fs.fail(string(op), h.name, fs.ErrPermission)
	}
	return nil
}

// ReadAt reads what was written last, synced or not.
func (h *handle) ReadAt(b []byte, at int64) (int, error) {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if err := h.usable("read", false); err != nil {
		return 0, err
	}
	if err := h.fs.reading("read", h.name); err != nil {
		return 0, err
	}
	n := h.node.current.read(b, at)
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes. A write that is made to fail leaves the first half of its sectors.
func (h *handle) WriteAt(b []byte, at int64) (int, error) {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if err := h.usable(Write, true); err != nil {
		return 0, err
	}
	n := len(b)
	err := h.fs.do(Op{Action: Write, Name: h.name, At: at, Size: len(b)}, func() { h.write(b, at) }, func() {
		n = len(b) / 2 &^ (sectorSize - 1)
		h.write(b[:n], at)
	})
	return n, err
}

// write changes the file.
func (h *handle) write(b []byte, at int64) {
	if len(b) == 0 {
		return
	}
	h.node.current.write(h.fs.gen, b, at)
	h.node.pending = append(h.node.pending, change{at: at, data: bytes.Clone(b), op: h.fs.ops})
}

// Truncate changes the file's size.
func (h *handle) Truncate(size int64) error {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if err := h.usable(Truncate, true); err != nil {
		return err
	}
	return h.fs.do(Op{Action: Truncate, Name: h.name, At: size}, func() {
		h.node.current.truncate(h.fs.gen, size)
		h.node.pending = append(h.node.pending, change{at: size, op: h.fs.ops})
	}, nil)
}

// Sync makes the file's contents durable.
func (h *handle) Sync() error {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if err := h.usable(Sync, false); err != nil {
		return err
	}
	return h.fs.do(Op{Action: Sync, Name: h.name}, func() {
		h.node.sync(h.fs.gen)
		h.fs.gen = newGeneration()
	}, func() { h.node.lose(h.fs.gen, h.fs.ops) })
}

// Size returns the file's size.
func (h *handle) Size() (int64, error) {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if err := h.usable("stat", false); err != nil {
		return 0, err
	}
	if err := h.fs.reading("stat", h.name); err != nil {
		return 0, err
	}
	return h.node.current.size, nil
}

// Close closes the file. Nothing becomes durable by it.
func (h *handle) Close() error {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if err := h.usable("close", false); err != nil {
		return err
	}
	h.closed = true
	h.fs.open--
	return nil
}
