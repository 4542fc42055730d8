package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// handle is the open file as SQLite sees it. It implements fs.File, fs.FileInfo and io.Seeker.
type handle struct {
	file *oneFile
	at   int64
}

// Read implements io.Reader.
func (h *handle) Read(p []byte) (int, error) {
	if h.at >= h.file.size {
		return 0, io.EOF
	}
	n, err := h.file.file.ReadAt(p[:min(int64(len(p)), h.file.size-h.at)], h.at)
	h.at += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// Seek implements io.Seeker.
func (h *handle) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart || offset < 0 {
		return 0, fs.ErrInvalid
	}
	h.at = offset
	return offset, nil
}

// Stat implements fs.File.
func (h *handle) Stat() (fs.FileInfo, error) { return h, nil }

// Close implements fs.File. The statement owns the file.
func (h *handle) Close() error { return nil }

// Name implements fs.FileInfo.
func (h *handle) Name() string { return "db" }

// Size implements fs.FileInfo.
func (h *handle) Size() int64 { return h.file.size }

// Mode implements fs.FileInfo.
func (h *handle) Mode() fs.FileMode { return 0o400 }

// ModTime implements fs.FileInfo.
func (h *handle) ModTime() time.Time { return time.Time{} }

// IsDir implements fs.FileInfo.
func (h *handle) IsDir() bool { return false }

// Sys implements fs.FileInfo.
func (h *handle) Sys() any { return nil }
