package durable

import (
	"errors"
	"math/rand"
	"os"
	"strings"
	"syscall"
	"time"
)

// syncRate returns how often in a second the disk can write a block ahead of which there are zeros
// and sync it.
func syncRate(dir string, long time.Duration) (rate float64, err error) {
	f, err := os.CreateTemp(dir, "sync")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	const blocks = 4096
	if _, err := f.Write(make([]byte, blocks*4096)); err != nil {
		return 0, err
	}
	if err := f.Sync(); err != nil {
		return 0, err
	}
	block, n := []byte(strings.Repeat("x", 128)), 0
	start := time.Now()
	for ; time.Since(start) < long; n++ {
		if _, err := f.WriteAt(block, int64(n*128%(blocks*4096))); err != nil {
			return 0, err
		}
		if err := syscall.Fdatasync(int(f.Fd())); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(start).Seconds(), nil
}

// written is the number of megabytes that writeRate writes.
const written = 128

// writeRate returns how many megabytes the disk takes in a second, of bytes that do not compress.
func writeRate(dir string) (rate float64, err error) {
	f, err := os.CreateTemp(dir, "write")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	piece := make([]byte, 1e6)
	rand.New(rand.NewSource(1)).Read(piece)
	start := time.Now()
	for range written {
		if _, err := f.Write(piece); err != nil {
			return 0, err
		}
	}
	if err := syscall.Fdatasync(int(f.Fd())); err != nil {
		return 0, err
	}
	return written / time.Since(start).Seconds(), nil
}
