package durable

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"gsql/internal/mem"
	"gsql/storage/chainlog"
	"gsql/storage/segfile"
	"gsql/storage/vfs"
)

// Opened is what Open found.
type Opened struct {
	*Directory
	Catalog  *Catalog
	Warnings []string // what was repaired
}

// Open opens a directory, or makes a new database in one that is empty. A writer locks out other
// writers; the error is then a *vfs.LockedError. A log that is damaged in the middle opens for
// reading only, with the commits before the damage; Directory.ReadOnly says why.
func Open(fs vfs.FS, o Options) (*Opened, error) {
	d := &Directory{fs: fs, Files: segfile.New(fs, o.Account, o.Cache), pending: map[uint64]bool{}}
	d.mode.Store(int32(o.Sync))
	if err := d.takeLock(o.ReadOnly); err != nil {
		return nil, err
	}
	r, err := d.recover(o)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &Opened{d, r.catalog, r.warnings}, nil
}

// Rereads of a directory in which a writer replaces logs meanwhile.
const (
	rereads     = 8
	rereadAfter = 5 * time.Millisecond
	lockTries   = 2000
)

// recover reads a directory. What a reader finds may not fit together because the writer goes on
// meanwhile: it reads everything again then.
func (d *Directory) recover(o Options) (*recovery, error) {
	for tries := 1; ; tries++ {
		r := &recovery{d: d, catalog: newCatalog(d.Files, o.Account), options: o, used: map[uint64]bool{}, missing: map[uint64]bool{}}
		err := r.run()
		if err == nil && len(r.damages) == 0 || !o.ReadOnly || tries == rereads {
			return r, err
		}
		time.Sleep(time.Duration(tries) * rereadAfter)
	}
}

// Reload reads a directory that was opened for reading again, as a writer in another process has left
// it.
func (d *Directory) Reload(account *mem.Account) (*Catalog, error) {
	r, err := d.recover(Options{Account: account, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	return r.catalog, errors.Join(r.damages...)
}

// errReader is why a directory opened beside a writer is not written.
var errReader = errors.New("the directory was opened for reading only")

func (d *Directory) takeLock(readonly bool) (err error) {
	if readonly {
		d.readonly = errReader
		for tries := 1; ; tries++ {
			var locked *vfs.LockedError
			d.lock, err = d.fs.Lock(readersName, false)
			if !errors.As(err, &locked) || tries == lockTries {
				return err
			}
			time.Sleep(rereadAfter) // the writer removes files
		}
	}
	d.lock, err = d.fs.Lock(lockName, true)
	return err
}

// recovery is the state of opening a directory.
type recovery struct {
	d        *Directory
	options  Options
	catalog  *Catalog
	warnings []string
	notes    []string // ends of logs that are not complete
	last     Checkpoint

	manifestEnd int64 // offset behind the last checkpoint

	files   map[string][]uint64 // numbers of the files of each kind, ascending
	damages []error             // of logs, and segment files that are missing
	used    map[uint64]bool     // segment files that the checkpoint or the commits since refer to
	missing map[uint64]bool     // those of them that tables need and that are not there
}

func (r *recovery) run() error {
	if err := r.list(); err != nil {
		return err
	}
	found, err := r.readManifest()
	switch {
	case err != nil:
		return err
	case !found:
		return r.create()
	}
	r.use()
	return r.replay()
}

// list finds the files.
func (r *recovery) list() error {
	names, err := r.d.fs.List()
	if err != nil {
		return err
	}
	r.files = map[string][]uint64{}
	for _, name := range names {
		switch kind, n, ok := parseName(name); {
		case ok:
			r.files[kind] = append(r.files[kind], n)
		case name != lockName && name != readersName && r.d.readonly == nil:
			return fmt.Errorf("%s is not a database directory: it has the file %s", r.d.fs, name)
		}
	}
	for _, list := range r.files {
		slices.Sort(list)
	}
	return nil
}

// damaged notes damage of a log and reports whether err is that.
func (r *recovery) damaged(err error) bool {
	var damage *chainlog.Damaged
	if !errors.As(err, &damage) {
		return false
	}
	r.damages = append(r.damages, err)
	return true
}

// use notes the segment files that the catalog refers to. Those of the checkpoint are needed until
// the next one: if a log turned out to be damaged, they would be read again.
func (r *recovery) use() {
	for _, t := range r.catalog.Tables {
		for i := range t.Segs {
			for _, n := range segfile.Numbers(t.Segs[i].Segment) {
				r.used[n] = true
			}
		}
	}
}

// create makes a new database. A crash before the manifest is complete leaves a directory that
// the next open takes for empty: there is at most one manifest and one log, and neither has a
// record.
func (r *recovery) create() error {
	d := r.d
	if d.readonly != nil {
		return fmt.Errorf("%s has no database", d.fs)
	}
	if err := r.unused(); err != nil {
		return err
	}
	for kind, list := range r.files {
		for _, n := range list {
			if err := d.fs.Remove(fmt.Sprintf("%s%08x", kind, n)); err != nil {
				return err
			}
		}
	}
	wal, err := chainlog.Create(d.fs, walFile(1), walKind, r.options.Sync)
	if err != nil {
		return err
	}
	d.wal.Store(wal)
	d.walNo = 1
	d.nextFile.Store(1)
	r.catalog.NextTable = 1
	first := &Checkpoint{Full: true, NextTable: 1, wal: 1, nextFile: 1}
	return d.newManifest(first.encode(d.Files))
}

// unused returns an error if the directory has had a database whose manifest is lost.
func (r *recovery) unused() error {
	used := len(r.files[segmentName]) > 0
	for _, n := range slices.Concat(r.files[manifestName], r.files[walName]) {
		used = used || n > 1
	}
	if len(r.files[walName]) > 0 && !used {
		_, err := chainlog.Scan(r.d.fs, walFile(1), walKind, func(chainlog.Pos, []byte) error {
			used = true
			return nil
		})
		if err != nil {
			return err
		}
	}
	if used {
		return &chainlog.Damaged{File: r.d.path(manifestFile(max(1, last(r.files[manifestName])))), Reason: "the manifest has no checkpoint, but there are commits or tables"}
	}
	return nil
}

func last(list []uint64) uint64 {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1]
}

// readManifest applies the checkpoints of the newest complete manifest. If it is damaged, those before the
// damage, or those of an older manifest, are all that is known.
func (r *recovery) readManifest() (found bool, err error) {
	d := r.d
	for _, n := range slices.Backward(r.files[manifestName]) {
		end, err := chainlog.Scan(d.fs, manifestFile(n), manifestKind, func(at chainlog.Pos, record []byte) error {
			p, err := decodeCheckpoint(record, d.Files, r.options.Account)
			if err != nil {
				return fmt.Errorf("%s, record that ends at %d: %w", manifestFile(n), at, err)
			}
			if !found {
				found, d.full = true, at
				if !p.Full {
					return fmt.Errorf("%s begins without a full checkpoint", manifestFile(n))
				}
			}
			r.catalog.become(p)
			r.last = *p
			return nil
		})
		if err != nil && !r.damaged(err) {
			return found, err
		}
		if !found {
			continue // a crash interrupted its creation, and the one before is complete, or it is damaged
		}
		r.noteEnd(manifestFile(n), end)
		r.manifestEnd = int64(end.Pos)
		d.manifestNo = n
		d.nextFile.Store(r.last.nextFile)
		if d.readonly != nil || len(r.damages) > 0 {
			return true, nil
		}
		d.manifest, err = chainlog.Continue(d.fs, manifestFile(n), end, chainlog.Full)
		return true, err
	}
	return false, errors.Join(r.damages...)
}

// noteEnd notes what a crash has left behind the last record of a log.
func (r *recovery) noteEnd(name string, end chainlog.End) {
	if end.Torn > 0 {
		r.notes = append(r.notes, fmt.Sprintf("the last %d bytes of %s are not complete records", end.Torn, r.d.path(name)))
	}
}

// replay repeats the commits of the logs since the last checkpoint and opens the last one with
// commits for more. A log that was created but not used yet is no reason for the one before to be
// complete.
func (r *recovery) replay() error {
	d := r.d
	r.catalog.startReplay()
	active, end, err := r.replayLogs()
	err = errors.Join(err, r.catalog.settle())
	d.walNo = active
	r.use()
	r.numberFiles()
	if err != nil && !r.damaged(err) {
		return err
	}
	if err := r.findMissing(); err != nil {
		return err
	}
	if len(r.damages) > 0 {
		r.endWriting()
	}
	if d.readonly != nil {
		return nil
	}
	if end.Torn > 0 {
		r.warnings = append(r.warnings, fmt.Sprintf("the last %d bytes of %s, a commit that was not finished, are dropped", end.Torn, walFile(active)))
	}
	if err := r.removeUnused(active); err != nil {
		return err
	}
	wal, err := chainlog.Continue(d.fs, walFile(active), end, r.options.Sync)
	if err != nil {
		return err
	}
	d.wal.Store(wal)
	return r.removeRest()
}

// endWriting makes a damaged directory read only and warns.
func (r *recovery) endWriting() {
	for _, err := range r.damages {
		r.warnings = append(r.warnings, fmt.Sprintf("%v; the database can only be read, as it was after commit %d", err, r.catalog.Sequence))
	}
	if r.d.readonly == nil {
		r.d.readonly = errors.Join(r.damages...)
	}
}

// removeUnused removes the log and the manifest that a crash has left before they were used.
func (r *recovery) removeUnused(active uint64) error {
	for _, n := range r.files[walName] {
		if n > active {
			if err := r.d.fs.Remove(walFile(n)); err != nil {
				return err
			}
		}
	}
	for _, n := range r.files[manifestName] {
		if n > r.d.manifestNo {
			if err := r.d.fs.Remove(manifestFile(n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// replayLogs repeats the commits of all logs. active is the last log with commits, or the first
// one if there are none, and end is its end.
func (r *recovery) replayLogs() (active uint64, end chainlog.End, err error) {
	if !slices.Contains(r.files[walName], r.last.wal) {
		// A later checkpoint has removed the log, but the manifest ends before that, or the log is lost.
		if len(r.damages) == 0 {
			r.damages = append(r.damages, &chainlog.Damaged{File: r.d.path(manifestFile(r.d.manifestNo)), Offset: r.manifestEnd,
				Reason: fmt.Sprintf("no checkpoint follows, but %s, which the last one names, is missing", walFile(r.last.wal))})
		}
		return r.last.wal, end, nil
	}
	for n := r.last.wal; n == r.last.wal || slices.Contains(r.files[walName], n); n++ {
		before := r.catalog.Sequence
		e, err := r.replayLog(n)
		r.noteEnd(walFile(n), e)
		if n > r.last.wal && r.catalog.Sequence == before && err == nil {
			continue
		}
		if n > r.last.wal && end.Torn > 0 {
			return active, end, &chainlog.Damaged{File: r.d.path(walFile(active)), Offset: int64(end.Pos), Reason: "the log ends early, but a later one has commits"}
		}
		active, end = n, e
		if errors.Is(err, errGap) && len(r.damages) > 0 {
			return active, end, nil
		}
		if err != nil {
			return active, end, err
		}
	}
	return active, end, nil
}

func (r *recovery) replayLog(n uint64) (chainlog.End, error) {
	name := walFile(n)
	return chainlog.ScanBatches(r.d.fs, name, walKind, r.catalog.replay.divide, func(_ []chainlog.Record, spans []span) error {
		if at, err := r.catalog.repeat(spans); err != nil {
			return fmt.Errorf("%s, record that ends at %d: %w", name, at, err)
		}
		return nil
	})
}

// numberFiles finds the next free file number. Backups of a directory that is only read need it, too.
func (r *recovery) numberFiles() {
	for _, list := range [][]uint64{r.files[segmentName], slices.Collect(maps.Keys(r.used))} {
		for _, n := range list {
			r.d.nextFile.Store(max(r.d.nextFile.Load(), n+1))
		}
	}
}

// removeRest removes the files that a crash has left.
func (r *recovery) removeRest() error {
	_ = r.d.clean(r.last.wal, func(n uint64) bool { return r.used[n] }) // the next checkpoint removes what is left
	return nil
}
