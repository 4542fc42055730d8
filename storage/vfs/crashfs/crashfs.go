// Package crashfs is a file system in memory for tests of crashes. It keeps what is synced apart
// from what is not, and makes file systems as they may be found after a crash following any
// operation: with none, all or some of what was not synced, in any order, and with writes torn
// between sectors. Operations can be made to fail, and bits can be flipped.
package crashfs

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"

	"gsql/storage/vfs"
)

// FS is a folder in memory. It is a vfs.FS and safe for concurrent use.
type FS struct {
	mu    sync.Mutex
	gen   generation
	ops   int
	watch func(*Point)
	names names
	locks map[string]*holders
	open  int

	faults []fault

	reads      int
	readsFail  fault
	readFailed string // the first read that has failed
	readFault  map[string]error
}

// names is the folder itself. Its maps are replaced, never changed, so that they can be shared.
type names struct {
	durable map[string]*node
	current map[string]*node
	pending []link // since the last sync, in the order in which they were made
}

// link is a change of the folder: a name that a file gets, loses or exchanges for another.
type link struct {
	file     *node
	from, to string // empty if there is none
}

// node is a file.
type node struct {
	durable content
	current content
	pending []change // since the last sync, in the order in which they were made
	lost    bool     // a failed sync has lost some changes for good
}

// change is a write or, if data is nil, a change of the size.
type change struct {
	at   int64 // place, or the new size
	data []byte
	op   int
}

// Op describes an operation that changes something.
type Op struct {
	Number int // from 1
	Action Action
	Name   string // of the file
	At     int64  // place of a write, new size of a truncated file
	Size   int    // bytes of a write
	Err    error  // why it failed, if it was made to fail
}

// Action is a kind of operation.
type Action string

// The actions.
const (
	Create   Action = "create"
	Write    Action = "write"
	Truncate Action = "truncate"
	Sync     Action = "sync"
	Remove   Action = "remove"
	Rename   Action = "rename"
	SyncDir  Action = "syncdir"
)

var _ vfs.FS = (*FS)(nil)

// New returns an empty folder.
func New() *FS {
	return &FS{gen: newGeneration(), locks: map[string]*holders{}, readFault: map[string]error{}}
}

// String returns the name of the folder that appears in messages.
func (f *FS) String() string { return "crashfs" }

// Ops returns the number of operations so far, failed ones included. Reads, opens and locks are
// not counted.
func (f *FS) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ops
}

// Handles returns the number of open files.
func (f *FS) Handles() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

// Watch has fn called after each operation, before any other one begins. fn must not use the file
// system, but it may use the point at any time.
func (f *FS) Watch(fn func(*Point)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watch = fn
}

// do counts an operation and runs it unless it is made to fail, when failed is run. f.mu is held.
func (f *FS) do(op Op, run, failed func()) error {
	f.ops++
	op.Number = f.ops
	if op.Err = f.fault(); op.Err == nil {
		run()
	} else if failed != nil {
		failed()
	}
	if f.watch != nil {
		f.watch(f.point(op))
	}
	if op.Err != nil {
		return f.fail(string(op.Action), op.Name, op.Err)
	}
	return nil
}

// fail returns the error of an operation.
func (f *FS) fail(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: path.Join(f.String(), name), Err: err}
}

// link changes the folder.
func (f *FS) link(l link) {
	f.names.current = l.apply(f.names.current)
	f.names.pending = append(f.names.pending, l)
}

// apply returns the names after a change.
func (l link) apply(before map[string]*node) map[string]*node {
	after := maps.Clone(before)
	if after == nil {
		after = map[string]*node{}
	}
	if l.from != "" {
		delete(after, l.from)
	}
	if l.to != "" {
		after[l.to] = l.file
	}
	return after
}

// Create makes a file.
func (f *FS) Create(name string) (vfs.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case !vfs.ValidName(name):
		return nil, f.fail("create", name, fs.ErrInvalid)
	case f.names.current[name] != nil:
		return nil, f.fail("create", name, fs.ErrExist)
	}
	n := &node{}
	if err := f.do(Op{Action: Create, Name: name}, func() { f.link(link{file: n, to: name}) }, nil); err != nil {
		return nil, err
	}
	return f.handle(n, name, true), nil
}

// Open opens a file for reading.
func (f *FS) Open(name string) (vfs.File, error) { return f.openFile(name, false) }

// OpenWritable opens a file for reading and writing.
func (f *FS) OpenWritable(name string) (vfs.File, error) { return f.openFile(name, true) }

func (f *FS) openFile(name string, writable bool) (vfs.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.named("open", name)
	if err == nil {
		err = f.reading("open", name)
	}
	if err != nil {
		return nil, err
	}
	return f.handle(n, name, writable), nil
}

// named returns an existing file.
func (f *FS) named(op, name string) (*node, error) {
	n := f.names.current[name]
	switch {
	case !vfs.ValidName(name):
		return nil, f.fail(op, name, fs.ErrInvalid)
	case n == nil:
		return nil, f.fail(op, name, fs.ErrNotExist)
	}
	return n, nil
}

// Remove removes a file.
func (f *FS) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.named("remove", name)
	if err != nil {
		return err
	}
	return f.do(Op{Action: Remove, Name: name}, func() { f.link(link{file: n, from: name}) }, nil)
}

// Rename renames a file. A crash finds it under one of the names.
func (f *FS) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !vfs.ValidName(to) {
		return f.fail("rename", to, fs.ErrInvalid)
	}
	n, err := f.named("rename", from)
	if err != nil {
		return err
	}
	return f.do(Op{Action: Rename, Name: from}, func() { f.link(link{file: n, from: from, to: to}) }, nil)
}

// List returns the names of the files.
func (f *FS) List() ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.reading("list", ""); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(f.names.current)), nil
}

// SyncDir makes the names durable.
func (f *FS) SyncDir() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.do(Op{Action: SyncDir}, func() { f.names.sync() }, nil)
}
