package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Permissions of what is created, before the process's mask.
const (
	dirMode  = 0o750
	fileMode = 0o640
)

// dir is a folder of the operating system, given by its absolute path.
type dir string

// Dir returns an existing folder.
func Dir(path string) (FS, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNoFolder}
	}
	return dir(path), nil
}

var errNoFolder = errors.New("not a folder")

// MakeDir returns a folder and creates it, but not those above it, if it is missing. Its name is
// durable when MakeDir returns.
func MakeDir(path string) (FS, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	err = os.Mkdir(path, dirMode)
	existed := errors.Is(err, fs.ErrExist)
	if err != nil && !existed {
		return nil, err
	}
	d, err := Dir(path)
	if err != nil {
		return nil, err
	}
	// An existing folder may have been created by a process that ended before it synced the
	// parent. If the parent cannot be read, then this folder was not created by this program.
	err = syncFolder(filepath.Dir(path))
	if err != nil && !(existed && errors.Is(err, fs.ErrPermission)) {
		return nil, err
	}
	return d, nil
}

// String returns the folder's path.
func (d dir) String() string { return string(d) }

// ValidName reports whether a name can be that of a file in a folder, on any system.
func ValidName(name string) bool {
	return name != "." && filepath.IsLocal(name) && !strings.ContainsAny(name, `/\:`)
}

// path returns the path of one of the folder's files.
func (d dir) path(op, name string) (string, error) {
	if !ValidName(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return filepath.Join(string(d), name), nil
}

// open opens a file with flags of package os.
func (d dir) open(name string, flags int) (File, error) {
	path, err := d.path("open", name)
	if err != nil {
		return nil, err
	}
	f, err := openFile(path, flags)
	if err != nil {
		return nil, err
	}
	return &file{File: f, name: name}, nil
}

// Create makes a new file.
func (d dir) Create(name string) (File, error) { return d.open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL) }

// Open opens a file for reading.
func (d dir) Open(name string) (File, error) { return d.open(name, os.O_RDONLY) }

// OpenWritable opens a file for reading and writing.
func (d dir) OpenWritable(name string) (File, error) { return d.open(name, os.O_RDWR) }

// Remove removes a file.
func (d dir) Remove(name string) error {
	path, err := d.path("remove", name)
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// Rename renames a file.
func (d dir) Rename(from, to string) error {
	old, err := d.path("rename", from)
	if err != nil {
		return err
	}
	path, err := d.path("rename", to)
	if err != nil {
		return err
	}
	return os.Rename(old, path)
}

// List returns the names of the folder's files.
func (d dir) List() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// SyncDir makes the names of files durable.
func (d dir) SyncDir() error { return syncFolder(string(d)) }

// file is a file of the operating system. Its errors name the file's path.
type file struct {
	*os.File
	name string
}

// Sync is that of package os, except on Linux: it uses F_FULLFSYNC on macOS, where fsync leaves data in the disk's cache.
func (f *file) Sync() error {
	syncs.Add(1)
	return f.sync()
}

// Name returns the name without the folder.
func (f *file) Name() string { return f.name }

// Size returns the file's size.
func (f *file) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
