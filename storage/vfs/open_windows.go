package vfs

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openFile opens a file so that it can be removed and renamed while it is open, as on other
// systems; package os does not allow it.
func openFile(path string, flags int) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	access := uint32(windows.GENERIC_READ)
	if flags&os.O_RDWR != 0 {
		access |= windows.GENERIC_WRITE
	}
	how := uint32(windows.OPEN_EXISTING)
	switch {
	case flags&os.O_EXCL != 0:
		how = windows.CREATE_NEW
	case flags&os.O_CREATE != 0:
		how = windows.OPEN_ALWAYS
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, access, share, nil, how, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// syncFolder does nothing: Windows has no sync of folders, and NTFS keeps names in a journal.
func syncFolder(string) error { return nil }
