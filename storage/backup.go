package storage

import (
	"context"
	"errors"
	"maps"
	"slices"

	"gsql/sql/sqlerr"
	"gsql/storage/vfs"
)

// Backup copies the committed state to an empty directory, which can then be opened as a database.
// Transactions go on meanwhile. Errors: 1105 for a store in memory, 1026, and 1317 if ctx ends; the
// directory is then incomplete, and cannot be opened.
func (s *Store) Backup(ctx context.Context, to vfs.FS) (err error) {
	j := s.journal
	if j == nil {
		return sqlerr.New(sqlerr.UnknownError, "Tables in memory cannot be backed up").
			WithHint("Open the database in a folder: gsql FOLDER.")
	}
	j.running.Lock() // segments that a checkpoint has written are used again
	defer j.running.Unlock()
	b, err := j.dir.BeginBackup(to)
	if err != nil {
		return writeError(err)
	}
	defer func() { err = errors.Join(err, writeError(b.Close())) }()
	c := newCheckpointing(ctx, s, s.state.Load(), b)
	c.record.Full = true
	if err := c.write(); err != nil {
		return err
	}
	files := map[uint64]bool{}
	for _, t := range c.record.Tables {
		for _, n := range filesOf(t.Segs) {
			files[n] = true
		}
	}
	if c.file != nil {
		delete(files, c.number)
	}
	if err := b.Finish(ctx, &c.record, slices.Sorted(maps.Keys(files))); ctx.Err() != nil {
		return sqlerr.From(ctx.Err())
	} else if err != nil {
		return writeError(err)
	}
	return nil
}
