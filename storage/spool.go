package storage

import (
	"context"
	"slices"
	"sync"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/storage/durable"
	"gsql/storage/segfile"
	"gsql/storage/segment"
)

// spool writes the segments of a transaction to files of its own, so that a load need not fit in
// memory and is not written twice. It is safe for concurrent use.
type spool struct {
	dir     *durable.Directory
	most    int64 // size from which a file takes no more segments
	mu      sync.Mutex
	numbers []uint64
	open    []*spooling // those that are not finished
}

// spooling is a file that is being written.
type spooling struct {
	*segfile.Writer
	adding int // segments that are being added
}

// spoolBytes is the size from which a file takes no more segments. Space is freed by whole files.
const spoolBytes = 256 << 20

// spoolOf returns the transaction's spool, or nil for a store in memory.
func spoolOf(tx *Tx) *spool {
	if tx.store.journal != nil && tx.spooled == nil {
		tx.spooled = &spool{dir: tx.store.journal.dir, most: spoolBytes}
	}
	return tx.spooled
}

// add writes a segment and returns the same one loaded from the file.
func (f *spool) add(schema *catalog.Schema, s *segment.Segment) (*segment.Segment, error) {
	w, err := f.writer()
	if err != nil {
		return nil, writeError(err)
	}
	out, err := w.Add(schema, s)
	if ended := f.added(w); err == nil {
		err = ended
	}
	return out, writeError(err)
}

// writer returns a file that takes a segment.
func (f *spool) writer() (*spooling, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.open {
		if w.Size() < f.most {
			w.adding++
			return w, nil
		}
	}
	w, number, err := f.dir.NewFile()
	if err != nil {
		return nil, err
	}
	x := &spooling{Writer: w, adding: 1}
	f.numbers, f.open = append(f.numbers, number), append(f.open, x)
	return x, nil
}

// added finishes a file that is full.
func (f *spool) added(w *spooling) error {
	f.mu.Lock()
	if w.adding--; w.adding > 0 || w.Size() < f.most {
		f.mu.Unlock()
		return nil
	}
	f.open = slices.DeleteFunc(f.open, func(x *spooling) bool { return x == w })
	f.mu.Unlock()
	err := w.Finish()
	if err != nil { // it is to be dropped
		f.mu.Lock()
		f.open = append(f.open, w)
		f.mu.Unlock()
	}
	return err
}

// finish makes all files and their names durable. It may be called on nil, like the following methods.
func (f *spool) finish(ctx context.Context, w *Writing) error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.open {
		w.expect(x.Size())
	}
	for len(f.open) > 0 {
		if err := ctx.Err(); err != nil {
			return sqlerr.From(err)
		}
		if err := f.open[0].Finish(); err != nil {
			return writeError(err)
		}
		w.add(f.open[0].Size())
		f.open = f.open[1:]
	}
	if len(f.numbers) == 0 {
		return nil
	}
	return writeError(f.dir.SyncDir())
}

// keep leaves the files to the state and the log that now refer to them.
func (f *spool) keep() {
	if f != nil {
		f.dir.Logged(f.numbers...)
		f.numbers = nil
	}
}

// drop removes the files, which nothing refers to.
func (f *spool) drop() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.open {
		_ = w.Abort() // the next open removes what is left
	}
	f.dir.Drop(f.numbers...)
	f.numbers, f.open = nil, nil
}
