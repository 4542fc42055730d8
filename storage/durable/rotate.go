package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"

	"gsql/storage/chainlog"
	"gsql/storage/segfile"
)

// Rotation is a log that is ready to take the place of the current one.
type Rotation struct {
	next   *chainlog.Log
	nextNo uint64
}

// BeginRotation creates the next log.
func (d *Directory) BeginRotation() (*Rotation, error) {
	if err := d.ReadOnly(); err != nil {
		return nil, err
	}
	n := d.walNo + 1
	log, err := d.createLog(walFile(n), walKind, chainlog.Sync(d.mode.Load()))
	if err != nil {
		return nil, err
	}
	return &Rotation{log, n}, nil
}

// createLog creates a log in place of the one that a failed attempt may have left. Numbers of logs
// have no gaps, so the next attempt must use the same one.
func (d *Directory) createLog(name string, kind chainlog.Kind, mode chainlog.Sync) (*chainlog.Log, error) {
	log, err := chainlog.Create(d.fs, name, kind, mode)
	if !errors.Is(err, fs.ErrExist) {
		return log, err
	}
	if err := d.fs.Remove(name); err != nil {
		return nil, err
	}
	return chainlog.Create(d.fs, name, kind, mode)
}

// Rotate makes later commits go to the new log. No commit may be logged meanwhile. Those logged
// before are on stable storage when it returns: a commit must not survive those that it follows.
func (d *Directory) Rotate(r *Rotation) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.wal.Load()
	if err := old.Sync(); err != nil {
		return errors.Join(err, r.next.Close())
	}
	d.wal.Store(r.next)
	d.walNo, d.recent = r.nextNo, nil
	return old.Close()
}

// Protected returns the segment files of commits that have not been logged yet or are in the current
// log.
func (d *Directory) Protected() map[uint64]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := maps.Clone(d.pending)
	maps.Copy(out, d.recent)
	return out
}

// growth is the size of the manifest, relative to the state's, at which a new one replaces it.
const growth = 4

// minManifest is the size below which a manifest is not replaced.
const minManifest = 1 << 20

// WantsFull reports whether the next checkpoint should describe all tables, because the manifest
// consists mostly of what is outdated or takes no more records.
func (d *Directory) WantsFull() bool {
	if d.manifest.Err() != nil {
		return true
	}
	size := d.manifest.Size()
	return size > minManifest && size > growth*d.full
}

// Checkpoint records a state whose segments are all in files, from which on the log that r
// created is replayed. It removes older logs. Files that are in use are those of the state and of
// later commits; keep reports them. After an error the manifest may have the record or not, so that
// the next checkpoint must be a full one.
func (d *Directory) Checkpoint(p *Checkpoint, r *Rotation, keep func(file uint64) bool) error {
	p.wal, p.nextFile = r.nextNo, d.nextFile.Load()
	if err := d.fs.SyncDir(); err != nil {
		return err
	}
	record := p.encode(d.Files)
	var err error
	if p.Full {
		err = d.newManifest(record)
	} else {
		err = addRecord(d.manifest, record)
	}
	if err != nil {
		return err
	}
	// The checkpoint is complete, and the next one removes what is left. keep knows commits that may
	// not be durable: without them, files that they no longer need are needed.
	if d.syncLog() == nil {
		_ = d.clean(r.nextNo, keep)
	}
	return nil
}

// syncLog makes all commits that are logged durable, whatever the mode.
func (d *Directory) syncLog() error {
	return d.wal.Load().Sync()
}

func addRecord(log *chainlog.Log, record []byte) error {
	if _, err := log.Append(record); err != nil {
		return err
	}
	return log.Sync()
}

// newManifest replaces the manifest. The old one stays until the new one is durable.
func (d *Directory) newManifest(record []byte) error {
	n := d.manifestNo + 1
	log, err := d.createLog(manifestFile(n), manifestKind, chainlog.Full)
	if err != nil {
		return err
	}
	if err := addRecord(log, record); err != nil {
		return errors.Join(err, log.Close())
	}
	old := d.manifest
	d.manifest, d.manifestNo, d.full = log, n, log.Size()
	if old != nil {
		_ = old.Close() // it is not needed any more
	}
	return nil
}

// clean removes the logs before first, the manifests before the current one and the segment files
// that are not in use. Readers in other processes keep them all.
func (d *Directory) clean(first uint64, keep func(file uint64) bool) error {
	readers, err := d.fs.Lock(readersName, true)
	if err != nil {
		return nil // there are readers: a later checkpoint cleans up
	}
	defer readers.Close()
	names, err := d.fs.List()
	if err != nil {
		return err
	}
	var errs []error
	var inUse []uint64
	for _, name := range names {
		kind, n, ok := parseName(name)
		switch {
		case !ok:
		case kind == walName && n < first, kind == manifestName && n < d.manifestNo:
			errs = append(errs, d.fs.Remove(name))
		case kind == segmentName && !keep(n):
			if err := d.Files.Remove(n); errors.Is(err, segfile.ErrInUse) {
				inUse = append(inUse, n)
			} else {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(append(errs, d.removeLater(inUse))...)
}

// removeLater removes files that something may still refer to, as far as the garbage collector finds that
// nothing does. A later checkpoint removes the others.
func (d *Directory) removeLater(files []uint64) error {
	if len(files) == 0 {
		return nil
	}
	runtime.GC()
	var errs []error
	for _, n := range files {
		if err := d.Files.Remove(n); !errors.Is(err, segfile.ErrInUse) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// parseName returns the kind and the number of one of a directory's files.
func parseName(name string) (kind string, n uint64, ok bool) {
	for _, kind := range []string{manifestName, walName, segmentName} {
		rest, found := strings.CutPrefix(name, kind)
		if !found {
			continue
		}
		if _, err := fmt.Sscanf(rest, "%x", &n); err == nil && slices.Contains([]string{manifestFile(n), walFile(n), segmentFile(n)}, name) {
			return kind, n, true
		}
	}
	return "", 0, false
}

func segmentFile(n uint64) string { return fmt.Sprintf("%s%016x", segmentName, n) }
