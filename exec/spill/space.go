// Package spill keeps batches of rows in temporary files while a query lacks the memory
// for them. Blocks of rows lie one behind the other in one file, as record batches in a stream
// of Apache Arrow's IPC format (Arrow Columnar Format 1.4, "Serialization and Interprocess
// Communication").
//
// Workers of an operator share one account, and a refusal of that may only mean that the others
// hold memory at the moment. An operator that can go to disk gives up where a single worker,
// beside which no other one holds rows that can be put away, does not get on. Two means see to
// that:
//
//   - Workers that run side by side until all have ended, as those that collect rows, share a
//     Room. Who lacks memory puts away what it holds, else what one that has ended has left,
//     else waits until another one put its rows away or has ended. The last one that does not
//     wait has all the memory while it tries again.
//   - Streams, which are asked for rows as somebody wants these and so must not wait for each
//     other, share Turns. Who lacks memory drops what its turn has made so far and leaves it
//     for later; streams end where there are no other turns, and the last one does those left.
//
// Who waits holds nothing that could go to disk, and who does not wait makes memory free or ends,
// so that somebody always gets on. A waiting worker stops when the query is cancelled.
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

// Space is where a query's operators may put rows, with a limit for all of them together.
// Children count for their parents too. Safe for concurrent use; nil allows no files.
type Space struct {
	parent  *Space
	dir     string
	limit   atomic.Int64 // bytes, 0 for none
	share   sync.Once    // sets limit where nobody gave one
	used    atomic.Int64 // bytes in files that are open
	written atomic.Int64 // bytes ever
	account *mem.Account // whose lack of memory puts rows here; may be nil
}

// NewSpace makes a space for files in dir, which must exist once a file is made, of limit
// bytes together; 0 means nine tenths of what is free there when the first file is made.
func NewSpace(dir string, limit int64) *Space {
	s := &Space{dir: dir}
	s.limit.Store(limit)
	return s
}

// For has garbage collected while rows are written and read, as account's limits demand, and
// returns s.
func (s *Space) For(account *mem.Account) *Space {
	s.account = account
	return s
}

// Child makes a space within s that counts what is written through it.
func (s *Space) Child() *Space {
	if s == nil {
		return nil
	}
	return &Space{parent: s, dir: s.dir, account: s.account}
}

// Written returns the bytes that were ever written, also those freed since.
func (s *Space) Written() int64 {
	if s == nil {
		return 0
	}
	return s.written.Load()
}

// Used returns the bytes of the files that are there now.
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
				WithHint("Raise gsql_temp_limit, or gsql_memory_limit so that less has to leave memory.")
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

// limitByFree keeps a query from filling the disk for everybody else.
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

// pattern is that of the names of files.
const pattern = "gsql-spill-*"

// cleared has the directories that removeOld has seen.
var cleared sync.Map

// removeOld removes, once for a directory, what processes that crashed have left there: files
// where the system does not let go of names before, and those that a crash came upon between
// their making and the loss of their name. A file that somebody has open stays or loses its
// name, as the system has it.
func removeOld(dir string) {
	if _, seen := cleared.LoadOrStore(dir, true); seen {
		return
	}
	names, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is not malformed
	for _, name := range names {
		_ = os.Remove(name) // another user's, or open
	}
}

// Create makes a file for rows of these types. Its name is removed from the directory at
// once where the system allows that, so that not even a crash leaves it behind.
// Errors: 1004 where the directory refuses.
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

// removed takes a file's name from its directory, where another process may have done so.
func removed(name string) bool {
	err := os.Remove(name)
	return err == nil || errors.Is(err, fs.ErrNotExist)
}
