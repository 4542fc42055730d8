package vfs

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// startSync makes the system write what it has of the file, without waiting for it. An error is that of
// the Sync that follows: only calls that wait take it.
func (f *file) startSync() {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.SyncFileRange(int(fd), 0, 0, unix.SYNC_FILE_RANGE_WRITE) })
	}
}

// sync writes data and, unlike fsync, only those metadata that reading the data needs.
func (f *file) sync() error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		for { // a call that a signal interrupts has not failed
			if failed = unix.Fdatasync(int(fd)); !errors.Is(failed, unix.EINTR) {
				return
			}
		}
	})
	if err != nil {
		failed = fs.ErrClosed // the only reason for which the call is not made
	}
	if failed != nil {
		return &fs.PathError{Op: "fdatasync", Path: f.File.Name(), Err: failed}
	}
	return nil
}
