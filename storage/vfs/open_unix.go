//go:build unix

package vfs

import "os"

// openFile opens a file.
func openFile(path string, flags int) (*os.File, error) { return os.OpenFile(path, flags, fileMode) }

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	syncs.Add(1)
	err = f.Sync()
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
