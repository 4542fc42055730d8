//go:build unix

package vfs

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes a lock that belongs to the open file, not to the process as locks of fcntl do,
// and reports whether it is free.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	how := unix.LOCK_SH | unix.LOCK_NB
	if exclusive {
		how = unix.LOCK_EX | unix.LOCK_NB
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		for {
			if failed = unix.Flock(int(fd), how); !errors.Is(failed, unix.EINTR) {
				return
			}
		}
	})
	switch {
	case err != nil:
		return false, err
	case errors.Is(failed, unix.EWOULDBLOCK):
		return false, nil
	case failed != nil:
		return false, &fs.PathError{Op: "flock", Path: f.Name(), Err: failed}
	}
	return true, nil
}
