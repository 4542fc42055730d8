// Package vfs is the part of a file system that a database directory needs: one folder with
// files, explicit syncs, and locks. Dir and MakeDir open a folder of the operating system;
// storage/vfs/crashfs keeps one in memory for tests and lets it crash.
package vfs

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// FS is one folder with files, without folders below it. It is safe for concurrent use.
type FS interface {
	// Create makes a new file, open for reading and writing. The error is fs.ErrExist if there
	// is one of that name.
	Create(name string) (File, error)
	// Open opens an existing file for reading. The error is fs.ErrNotExist if there is none.
	Open(name string) (File, error)
	// OpenWritable opens an existing file for reading and writing.
	OpenWritable(name string) (File, error)
	// Remove removes a file. Those who have it open can go on using it.
	Remove(name string) error
	// Rename gives a file another name and replaces the file that had it.
	Rename(from, to string) error
	// List returns the names of all files in order.
	List() ([]string, error)
	// SyncDir makes creations, renames and removals durable.
	SyncDir() error
	// Lock takes an advisory lock, which conflicts with those of other processes and with other
	// ones of this process, and creates the file if it is missing. An exclusive lock conflicts
	// with every other one. The error is a *LockedError if there is a conflict; Lock does not
	// wait. The lock ends when it is closed or the process ends.
	Lock(name string, exclusive bool) (io.Closer, error)
	// String returns the folder's path, for messages.
	String() string
}

// File is an open file. ReadAt, WriteAt and Size are safe for concurrent use.
type File interface {
	io.ReaderAt
	io.WriterAt
	// Size returns the file's size in bytes.
	Size() (int64, error)
	// Sync makes the file's data durable, and the metadata needed to read them. The file's name
	// is durable only after SyncDir. After an error nothing is known about what was written
	// since the last Sync: operating systems may drop the data and let another Sync succeed.
	Sync() error
	// Truncate changes the file's size; what it gains is zero.
	Truncate(size int64) error
	Close() error
	// Name returns the file's name, as given to the FS.
	Name() string
}

// StartSync makes the system begin to write a file's data, if it can, so that the Sync that follows
// takes less time. It makes nothing durable, and has no error: Sync returns it.
func StartSync(f File) {
	if s, ok := f.(interface{ startSync() }); ok {
		s.startSync()
	}
}

// syncs counts the syncs of the process.
var syncs atomic.Int64

// Syncs returns how many times this process has synced files and folders of the operating system.
func Syncs() int64 { return syncs.Load() }

// LockedError reports that a lock is held elsewhere.
type LockedError struct {
	File string // path of the lock file
	PID  int    // process that holds the lock, 0 if unknown
}

// Error names the lock file and the process that holds the lock.
func (e *LockedError) Error() string {
	switch e.PID {
	case 0:
		return fmt.Sprintf("%s is locked by another process", e.File)
	case os.Getpid():
		return fmt.Sprintf("%s is locked by this process", e.File)
	default:
		return fmt.Sprintf("%s is locked by process %d", e.File, e.PID)
	}
}
