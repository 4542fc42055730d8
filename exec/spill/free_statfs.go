//go:build linux || darwin

package spill

import "golang.org/x/sys/unix"

// freeBytes returns the number of bytes that are free for this process on a directory's file
// system.
func freeBytes(dir string) (n int64, known bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
