package vfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// lock is a lock that is held: its open file.
type lock struct {
	f         *os.File
	exclusive bool
}

// Lock takes a lock. The file contains the process that holds the lock exclusively.
func (d dir) Lock(name string, exclusive bool) (io.Closer, error) {
	path, err := d.path("lock", name)
	if err != nil {
		return nil, err
	}
	f, err := openFile(path, os.O_RDWR|os.O_CREATE)
	if err != nil && !exclusive { // readers of a folder that they cannot write to
		if readable, again := openFile(path, os.O_RDONLY); again == nil {
			f, err = readable, nil
		}
	}
	if err != nil {
		return nil, err
	}
	taken, err := tryLock(f, exclusive)
	if err == nil && taken {
		err = writeHolder(f, exclusive)
		if err == nil {
			return &lock{f: f, exclusive: exclusive}, nil
		}
	}
	if err == nil {
		err = &LockedError{File: path, PID: readHolder(f)}
	}
	if closed := f.Close(); closed != nil {
		err = errors.Join(err, closed)
	}
	return nil, err
}

// writeHolder leaves this process's number to those that want the lock. A number that a process
// left which crashed would mislead them, so holders of shared locks remove it if they can.
func writeHolder(f *os.File, exclusive bool) error {
	if !exclusive {
		_ = f.Truncate(0)
		return nil
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(fmt.Appendln(nil, os.Getpid()), 0)
	return err
}

// readHolder returns the process that holds the lock, 0 if unknown.
func readHolder(f *os.File) int {
	var buf [32]byte
	n, err := f.ReadAt(buf[:], 0)
	if err != nil && err != io.EOF {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil {
		return 0
	}
	return pid
}

// Close releases the lock.
func (l *lock) Close() error {
	var err error
	if l.exclusive {
		err = l.f.Truncate(0)
	}
	if closed := l.f.Close(); closed != nil {
		err = closed
	}
	return err
}
