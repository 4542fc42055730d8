// Package disk opens the files that statements name: any file, or only files below some folders,
// even if links, names or races lead elsewhere.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"gsql/sql/sqlerr"
)

// Disk is the part of the file system that statements may use. A nil Disk is the whole file
// system. It is safe for concurrent use.
//
// A confined Disk reaches files only through handles of its folders. It therefore does not follow
// a link that another process substitutes for a file or folder while it is being opened. Links
// are followed as long as they lead to places below the folders. Anything outside is refused in
// the same way whether it exists or not.
type Disk struct{ folders []folder }

// folder is an open folder below which files may be accessed.
type folder struct {
	name string // absolute, as requested
	real string // the same folder without links in its name
	root *os.Root
}

// maxLinks bounds the number of links on the way to a file, as operating systems do.
const maxLinks = 40

// Below opens the part of the file system below the given folders. It is empty if there are no
// folders. The caller must close it.
func Below(folders []string) (*Disk, error) {
	d := &Disk{}
	for _, name := range folders {
		f, err := openFolder(name)
		if err != nil {
			d.Close()
			return nil, err
		}
		d.folders = append(d.folders, f)
	}
	return d, nil
}

func openFolder(name string) (f folder, err error) {
	if f.name, err = filepath.Abs(name); err != nil {
		return f, err
	}
	if f.real, err = filepath.EvalSymlinks(f.name); err != nil {
		return f, err
	}
	f.root, err = os.OpenRoot(f.real)
	return f, err
}

// Close closes the folders. Files opened below them stay open.
func (d *Disk) Close() error {
	if d == nil {
		return nil
	}
	var first error
	for _, f := range d.folders {
		if err := f.root.Close(); first == nil {
			first = err
		}
	}
	return first
}

// Confined reports whether d is less than the whole file system.
func (d *Disk) Confined() bool { return d != nil }

// Folders returns the absolute names of the folders of a confined Disk.
func (d *Disk) Folders() []string {
	if d == nil {
		return nil
	}
	names := make([]string, len(d.folders))
	for i, f := range d.folders {
		names[i] = f.name
	}
	return names
}

// Stat returns information about a file. It follows links.
func (d *Disk) Stat(name string) (fs.FileInfo, error) {
	if d == nil {
		return os.Stat(name)
	}
	f, rel, err := d.locate(name)
	if err != nil {
		return nil, err
	}
	info, err := f.root.Stat(rel)
	return info, d.checked(err)
}

// ReadDir lists a directory sorted by name.
func (d *Disk) ReadDir(name string) ([]fs.DirEntry, error) {
	if d == nil {
		return os.ReadDir(name)
	}
	f, rel, err := d.locate(name)
	if err != nil {
		return nil, err
	}
	h, err := f.root.OpenFile(rel, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, d.checked(err)
	}
	defer h.Close()
	entries, err := h.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// Dir opens a directory in which to create files. The caller must close it.
func (d *Disk) Dir(name string) (*os.Root, error) {
	if d == nil {
		return os.OpenRoot(name)
	}
	f, rel, err := d.locate(name)
	if err != nil {
		return nil, err
	}
	r, err := f.root.OpenRoot(rel)
	return r, d.checked(err)
}

// openAtOnce opens a file for reading without waiting for the writer of a pipe.
func (d *Disk) openAtOnce(name string) (*os.File, error) {
	if d == nil {
		return os.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	}
	f, rel, err := d.locate(name)
	if err != nil {
		return nil, err
	}
	h, err := f.root.OpenFile(rel, os.O_RDONLY|nonBlocking, 0)
	return h, d.checked(err)
}

// locate returns the folder that contains a file, and the file's name relative to it, which
// contains no links unless another process is creating them.
func (d *Disk) locate(name string) (*folder, string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, "", err
	}
	for range maxLinks {
		f, rel := d.below(path)
		if f == nil {
			return nil, "", d.refused()
		}
		next, err := f.throughLink(rel)
		if err != nil {
			return nil, "", d.checked(err)
		}
		if next == "" {
			return f, rel, nil
		}
		path = next
	}
	return nil, "", &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
}

// below returns the folder that contains an absolute path, and the path relative to it.
func (d *Disk) below(path string) (*folder, string) {
	for i := range d.folders {
		f := &d.folders[i]
		for _, name := range []string{f.name, f.real} {
			if rel, err := filepath.Rel(name, path); err == nil && filepath.IsLocal(rel) {
				return f, rel
			}
		}
	}
	return nil, ""
}

// throughLink resolves the first link on a path and returns the result, or "" if there are no
// links.
func (f *folder) throughLink(rel string) (string, error) {
	parts := strings.Split(rel, string(filepath.Separator))
	for i := range parts {
		at := filepath.Join(parts[:i+1]...)
		info, err := f.root.Lstat(at)
		if err != nil {
			return "", nil // opening it will report the error
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		target, err := f.root.Readlink(at)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(f.real, filepath.Join(parts[:i]...), target)
		}
		return filepath.Join(target, filepath.Join(parts[i+1:]...)), nil
	}
	return "", nil
}

// checked turns errors of os.Root that do not come from the operating system into a refusal: a
// link has appeared since locate looked.
func (d *Disk) checked(err error) error {
	var system syscall.Errno
	if err == nil || errors.As(err, &system) {
		return err
	}
	return d.refused()
}

// refused returns error 1290.
func (d *Disk) refused() error {
	e := sqlerr.New(sqlerr.OptionPreventsStatement, "The gsql server is running with the --secure-file-priv option so it cannot execute this statement")
	if len(d.folders) == 0 {
		return e.WithHint("Statements may not read or write files here. Config.FileAccess or gsql --files allows them when the database is opened.")
	}
	return e.WithHint("Files must be below %s, after following links. Config.FileAccess or gsql --files allows others when the database is opened.", strings.Join(d.Folders(), " or "))
}
