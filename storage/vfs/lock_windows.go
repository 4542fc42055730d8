package vfs

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lockedAt is the place of the byte that is locked. Nobody can read a locked byte, so it lies
// far behind the number of the process that holds the lock.
const lockedAt = 1 << 30

// tryLock takes a lock that belongs to the handle and reports whether it is free.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = windows.LockFileEx(windows.Handle(fd), how, 0, 1, 0, &windows.Overlapped{Offset: lockedAt})
	})
	switch {
	case err != nil:
		return false, err
	case errors.Is(failed, windows.ERROR_LOCK_VIOLATION):
		return false, nil
	case failed != nil:
		return false, &fs.PathError{Op: "LockFileEx", Path: f.Name(), Err: failed}
	}
	return true, nil
}
