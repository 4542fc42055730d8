package durable

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gsql/storage/chainlog"
	"gsql/storage/segfile"
	"gsql/storage/vfs"
)

// Backup is a copy of a directory that is being made in another one.
type Backup struct {
	from   *Directory
	to     vfs.FS
	lock   io.Closer // of the directory that is made
	keep   io.Closer // keeps the files of from
	next   uint64    // number of the next segment file; 0 until it is needed
	copies *segfile.Files
	done   bool
}

// BeginBackup begins to copy a directory to another one, which must be empty. Until Close, no
// segment file of d is removed.
func (d *Directory) BeginBackup(to vfs.FS) (*Backup, error) {
	b := &Backup{from: d, to: to}
	var err error
	if b.lock, err = to.Lock(lockName, true); err != nil {
		return nil, err
	}
	names, err := to.List()
	if err == nil && len(names) > 1 {
		err = fmt.Errorf("%s is not empty", to)
	}
	if err != nil {
		return nil, errors.Join(err, b.lock.Close())
	}
	if b.keep, err = d.fs.Lock(readersName, false); err != nil {
		return nil, errors.Join(err, b.remove(), b.lock.Close())
	}
	b.copies = segfile.New(to, nil, 0)
	return b, nil
}

// NewFile creates a segment file of the copy, for segments that are not in a file yet. The state that is
// copied must be known: no file that it refers to has the same number.
func (b *Backup) NewFile() (*segfile.Writer, uint64, error) {
	n := b.number()
	b.next++
	w, err := b.copies.NewWriter(n)
	return w, n, err
}

func (b *Backup) number() uint64 {
	if b.next == 0 {
		b.next = b.from.nextFile.Load()
	}
	return b.next
}

// Finish copies segment files and completes the copy with its full state.
func (b *Backup) Finish(ctx context.Context, p *Checkpoint, files []uint64) error {
	for _, n := range files {
		if err := copyFile(ctx, b.from.fs, b.to, segmentFile(n)); err != nil {
			return err
		}
		if damage := b.copies.Check(ctx, n); len(damage) > 0 {
			return errors.Join(damage...)
		}
	}
	log, err := chainlog.Create(b.to, walFile(1), walKind, chainlog.Full)
	if err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	p.Full, p.wal, p.nextFile = true, 1, b.number()
	out := &Directory{fs: b.to, Files: b.from.Files}
	if err := out.newManifest(p.encode(b.from.Files)); err != nil {
		return err
	}
	if err := out.manifest.Close(); err != nil {
		return err
	}
	b.done = true
	return nil
}

// Close ends the backup. If it is not complete, its files are removed.
func (b *Backup) Close() error {
	var err error
	if !b.done {
		err = b.remove()
	}
	return errors.Join(err, b.copies.Close(), b.keep.Close(), b.lock.Close())
}

// remove removes all files of the copy.
func (b *Backup) remove() error {
	names, err := b.to.List()
	errs := []error{err}
	for _, name := range names {
		errs = append(errs, b.to.Remove(name))
	}
	return errors.Join(errs...)
}

// copyFile copies a file and syncs the copy.
func copyFile(ctx context.Context, from, to vfs.FS, name string) (err error) {
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	buf := make([]byte, 1<<20)
	for at := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := in.ReadAt(buf, at)
		if n > 0 {
			if _, err := out.WriteAt(buf[:n], at); err != nil {
				return err
			}
			at += int64(n)
		}
		if err == io.EOF {
			return out.Sync()
		}
		if err != nil {
			return err
		}
	}
}
