package storage

import (
	"sync"

	"gsql/sql/catalog"
	"gsql/storage/durable"
	"gsql/storage/segfile"
	"gsql/storage/segment"
)

// spool writes the segments of a transaction to files of its own, so that a load need not fit in
// memory and is not written twice. It is safe for concurrent use.
type spool struct {
	dir     *durable.Directory
	mu      sync.Mutex
	numbers []uint64
	open    []*segfile.Writer // the last one takes segments
}

// spoolBytes is the size from which a file takes no more segments. Space is freed by whole files.
const spoolBytes = 256 << 20

// spoolOf returns the transaction's spool, or nil for a store in memory.
func spoolOf(tx *Tx) *spool {
	if tx.store.journal != nil && tx.spooled == nil {
		tx.spooled = &spool{dir: tx.store.journal.dir}
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
	return out, writeError(err)
}

// writer returns the file that takes segments.
func (f *spool) writer() (*segfile.Writer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.open); n > 0 && f.open[n-1].Size() < spoolBytes {
		return f.open[n-1], nil
	}
	w, number, err := f.dir.NewFile()
	if err != nil {
		return nil, err
	}
	f.numbers, f.open = append(f.numbers, number), append(f.open, w)
	return w, nil
}

// finish makes all files and their names durable. It may be called on nil, like the following methods.
func (f *spool) finish() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.open) > 0 {
		if err := f.open[0].Finish(); err != nil {
			return writeError(err)
		}
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
