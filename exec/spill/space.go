// Package spill keeps batches of rows in temporary files while a query lacks the memory for them.
// The blocks of rows in a file follow each other as record batches in a stream of Apache Arrow's
// IPC format (Arrow Columnar Format 1.4, "Serialization and Interprocess Communication").
//
// Workers of an operator share one account. A refusal may only mean that other workers hold the
// memory at the moment, so an operator fails only if a single worker lacks memory while no other
// worker holds rows that could spill. There are two mechanisms:
//
//   - Workers that run concurrently until all have ended, such as those that collect rows, share
//     an Arbiter. A worker that lacks memory spills its own rows, or else the rows of a worker that
//     has ended, or else waits until another worker spills or ends. The last worker that is not
//     waiting tries again with all of the memory.
//   - Streams must not wait for each other, because a consumer may never read one of them. They
//     share a Queue. A stream that lacks memory drops what its task has produced so far and
//     postpones the task. Streams end when no tasks are left, and the last stream does the
//     postponed ones.
//
// A waiting worker holds nothing that could spill, and a worker that is not waiting frees memory or
// ends, so there is always progress. Waiting ends when the query is cancelled.
package spill

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Space is the disk space of a query's operators, with one limit for all of them. Bytes written
// through a child also count for its parents. It is safe for concurrent use; a nil Space allows
// no files.
type Space struct {
	parent  *Space
	dir     string
	limit   atomic.Int64 // bytes; 0 for none
	share   sync.Once    // sets limit if it was not configured
	used    atomic.Int64 // bytes in open files
	written atomic.Int64 // bytes written in total
	account *mem.Account // whose lack of memory causes spilling; may be nil
}

// NewSpace makes a space for files in dir with a limit on their bytes in total; dir must exist
// when the first file is made. A limit of 0 means nine tenths of the space that is free there at
// that time.
func NewSpace(dir string, limit int64) *Space {
	s := &Space{dir: dir}
	s.limit.Store(limit)
	return s
}

// For lets garbage collection run while rows are written and read, as account's limits require,
// and returns s.
func (s *Space) For(account *mem.Account) *Space {
	s.account = account
	return s
}

// Child makes a space within s that also counts separately what is written through it.
func (s *Space) Child() *Space {
	if s == nil {
		return nil
	}
	return &Space{parent: s, dir: s.dir, account: s.account}
}

// Written returns the bytes written so far, including those freed since.
func (s *Space) Written() int64 {
	if s == nil {
		return 0
	}
	return s.written.Load()
}

// Used returns the bytes of the files that exist now.
func (s *Space) Used() int64 { return s.used.Load() }

// reserve counts n more bytes. The error is 1021.
func (s *Space) reserve(n int64) error {
	for x := s; x != nil; x = x.parent {
		if used, limit := x.used.Add(n), x.limit.Load(); limit > 0 && used > limit {
			for y := s; ; y = y.parent {
				y.used.Add(-n)
				if y == x {
					break
				}
			}
			return sqlerr.New(sqlerr.DiskFull, "Disk full (%s); temporary files would pass gsql_temp_limit %s", s.dir, mem.Size(limit)).
				WithHint("Raise gsql_temp_limit, or gsql_memory_limit so that less is spilled.")
		}
	}
	for x := s; x != nil; x = x.parent {
		x.written.Add(n)
	}
	return nil
}

func (s *Space) root() *Space {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// limitByFree sets the limit so that a query does not fill the disk.
func (s *Space) limitByFree() {
	if s.limit.Load() > 0 {
		return
	}
	if n, known := freeBytes(s.dir); known {
		s.limit.Store(max(n-n/10, 1))
	}
}

func (s *Space) release(n int64) {
	for x := s; x != nil; x = x.parent {
		x.used.Add(-n)
	}
}

// pattern matches the names of temporary files.
const pattern = "gsql-spill-*"

// cleared holds the directories that removeOld has visited.
var cleared sync.Map

// removeOld removes the files that crashed processes have left in a directory, once per
// directory: files on systems that do not allow removing the name of an open file, and those
// whose process crashed between creating the file and removing its name. If another process has a
// file open, it stays or loses its name, depending on the system.
func removeOld(dir string) {
	if _, seen := cleared.LoadOrStore(dir, true); seen {
		return
	}
	names, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is not malformed
	for _, name := range names {
		_ = os.Remove(name) // another user's, or open
	}
}

// Create makes a file for rows of these types. Its name is removed from the directory at once if
// the system allows that, so that not even a crash leaves it behind. It returns error 1004 if the
// directory refuses the file.
func (s *Space) Create(ts []types.Type) (*File, error) {
	s.root().share.Do(s.root().limitByFree)
	removeOld(s.dir)
	f, err := os.CreateTemp(s.dir, pattern)
	if err != nil {
		return nil, sqlerr.New(sqlerr.CantCreateFile, "Can't create a temporary file in '%s': %v", s.dir, err).
			WithHint("Set gsql_temp_directory to a directory that can be written to.")
	}
	out := &File{space: s, f: f, types: ts, removed: runtime.GOOS != "windows" && removed(f.Name())}
	if out.schema, err = schemaMessage(ts); err != nil {
		return nil, errors.Join(sqlerr.Internal("a temporary file cannot hold the rows: %v", err), out.Close())
	}
	return out, nil
}

// removed reports whether name is no longer in its directory after removing it; another process
// may have removed it already.
func removed(name string) bool {
	err := os.Remove(name)
	return err == nil || errors.Is(err, fs.ErrNotExist)
}
