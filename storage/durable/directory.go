package durable

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"

	"gsql/internal/mem"
	"gsql/storage/chainlog"
	"gsql/storage/segfile"
	"gsql/storage/vfs"
)

// Directory is an open database directory. Its methods are safe for concurrent use, except that
// Rotate and Log must be ordered by the caller and that there is one checkpoint at a time.
type Directory struct {
	Files *segfile.Files

	fs       vfs.FS
	lock     io.Closer
	readonly error // why nothing can be written; nil if it can
	mode     atomic.Int32

	nextFile atomic.Uint64

	wal atomic.Pointer[chainlog.Log] // nil if the directory is only read; mu orders its changes and its use

	mu      sync.Mutex
	walNo   uint64
	pending map[uint64]bool // segment files of commits that have not been logged yet
	recent  map[uint64]bool // segment files of the commits of the current log

	manifest   *chainlog.Log
	manifestNo uint64
	full       chainlog.Pos // size of the manifest after its first record
}

// Options configure Open.
type Options struct {
	Account  *mem.Account  // charged for loaded rows and columns
	Cache    int64         // bytes of columns that may stay loaded
	Sync     chainlog.Sync // what COMMIT waits for
	ReadOnly bool          // open beside a writer, and write nothing
}

// Names of files.
const (
	lockName     = "LOCK"
	readersName  = "READERS"
	manifestName = "manifest-"
	walName      = "wal-"
	segmentName  = "seg-"
)

// Kinds of logs.
const (
	manifestKind chainlog.Kind = "gsqlmani"
	walKind      chainlog.Kind = "gsql-wal"
)

func manifestFile(n uint64) string { return fmt.Sprintf("%s%08x", manifestName, n) }
func walFile(n uint64) string      { return fmt.Sprintf("%s%08x", walName, n) }

// Path returns the directory's path.
func (d *Directory) Path() string { return d.fs.String() }

// path returns the path of a file, for messages.
func (d *Directory) path(name string) string { return filepath.Join(d.fs.String(), name) }

// ReadOnly returns why the directory cannot be written, or nil.
func (d *Directory) ReadOnly() error {
	if d.readonly != nil {
		return d.readonly
	}
	return d.wal.Load().Err() // every transaction asks: no lock
}

// NewFile creates a segment file. It belongs to a commit that is not logged yet: call Keep once it
// is, or Drop if it never will be.
func (d *Directory) NewFile() (*segfile.Writer, uint64, error) {
	d.mu.Lock() // a checkpoint must not see the number in use without its protection
	n := d.nextFile.Add(1) - 1
	d.pending[n] = true
	d.mu.Unlock()
	w, err := d.Files.NewWriter(n)
	if err != nil {
		d.Keep(n)
	}
	return w, n, err
}

// NextFile returns the number of the next segment file. Later ones have higher numbers.
func (d *Directory) NextFile() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.nextFile.Load()
}

// Keep ends the protection of files that NewFile has made: whether they are needed now follows from
// the state.
func (d *Directory) Keep(files ...uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range files {
		delete(d.pending, n)
	}
}

// Logged is like Keep for the files of a commit that is logged. They are protected until the log is
// replaced: repeating its commits may need files that the state does not need, because a later commit
// has rewritten segments.
func (d *Directory) Logged(files ...uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range files {
		delete(d.pending, n)
		if d.recent == nil {
			d.recent = map[uint64]bool{}
		}
		d.recent[n] = true
	}
}

// Drop removes segment files that no commit refers to.
func (d *Directory) Drop(files ...uint64) {
	d.Keep(files...)
	for _, n := range files {
		_ = d.Files.Remove(n) // the next open removes what is left
	}
}

// SyncDir makes the names of new files durable.
func (d *Directory) SyncDir() error { return d.fs.SyncDir() }

// Ticket stands for a logged commit that may not be durable yet.
type Ticket struct {
	log *chainlog.Log
	at  chainlog.Pos
}

// Log appends a commit to the log, in the order of calls.
func (d *Directory) Log(c *Commit) (Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.readonly != nil {
		return Ticket{}, d.readonly
	}
	wal := d.wal.Load()
	at, err := wal.Append(c.Record())
	return Ticket{wal, at}, err
}

// LogBytes returns the size of the log up to the commit.
func (t Ticket) LogBytes() int64 { return int64(t.at) }

// Wait returns once the commit is durable as far as the sync mode says. After an error it may or
// may not be, and nothing can be written any more.
func (t Ticket) Wait() error {
	if t.log == nil { // nothing has been logged
		return nil
	}
	return t.log.Commit(t.at)
}

// SetSync sets what commits wait for.
func (d *Directory) SetSync(mode chainlog.Sync) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mode.Store(int32(mode))
	if wal := d.wal.Load(); wal != nil {
		wal.SetMode(mode)
	}
}

// LogBytes returns the size of the log since the last rotation.
func (d *Directory) LogBytes() int64 {
	if wal := d.wal.Load(); wal != nil {
		return int64(wal.Size())
	}
	return 0
}

// Close ends the use of the directory. Commits that were not waited for are written.
func (d *Directory) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, log := range []*chainlog.Log{d.wal.Load(), d.manifest} {
		if log != nil {
			errs = append(errs, log.Close())
		}
	}
	errs = append(errs, d.Files.Close())
	d.readonly = errors.New("the directory is closed")
	if d.lock != nil {
		errs = append(errs, d.lock.Close())
		d.lock = nil
	}
	return errors.Join(errs...)
}
