package disk

import (
	"context"
	"io"
	"io/fs"
	"os"
	"time"

	"gsql/sql/sqlerr"
)

// maxRead bounds the bytes that a File requests from the operating system at once, so that it
// soon notices that its context is done.
const maxRead = 4 << 20

// File is a file open for reading. Once the context it was opened with is done, reads fail with
// the context's error, even while they wait for the writer of a pipe.
type File struct {
	h    *os.File
	ctx  context.Context
	info fs.FileInfo
	stop func() bool
}

// Open opens a file for reading. It waits for the writer of a pipe until ctx is done. The error
// is 1024 for devices other than standard input, which may be endless.
func (d *Disk) Open(ctx context.Context, name string) (*File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	info, err := d.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := endless(name, info); err != nil { // opening a device may have side effects
		return nil, err
	}
	h, err := d.openAtOnce(name)
	if err != nil {
		return nil, err
	}
	f := &File{h: h, ctx: ctx}
	if f.info, err = h.Stat(); err == nil {
		err = endless(name, f.info)
	}
	if err == nil && f.Waits() {
		f.stop = context.AfterFunc(ctx, func() { _ = h.SetReadDeadline(time.Unix(1, 0)) })
		err = f.awaitWriter()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// endless returns an error if a file is a device that may be endless.
func endless(name string, info fs.FileInfo) error {
	if info.Mode()&(fs.ModeDevice|fs.ModeSocket|fs.ModeIrregular) == 0 {
		return nil
	}
	if in, err := os.Stdin.Stat(); err == nil && os.SameFile(in, info) {
		return nil
	}
	return sqlerr.New(sqlerr.ErrorOnRead, "Error reading file '%s': it is a device", name).
		WithHint("Files, pipes and standard input can be read.")
}

// Waits reports whether reads may wait for a writer and consume the data, as those of pipes do.
func (f *File) Waits() bool { return f.info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0 }

// EndWith makes further reads fail once ctx is done, instead of the context with which the file
// was opened.
func (f *File) EndWith(ctx context.Context) {
	f.ctx = ctx
	if f.stop != nil {
		f.stop()
		f.stop = context.AfterFunc(ctx, func() { _ = f.h.SetReadDeadline(time.Unix(1, 0)) })
	}
}

// Info returns information about the file.
func (f *File) Info() fs.FileInfo { return f.info }

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.h.Read(p[:min(len(p), maxRead)])
	return n, f.orDone(err)
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		if err = f.ctx.Err(); err != nil {
			break
		}
		var m int
		m, err = f.h.ReadAt(p[n:min(len(p), n+maxRead)], off+int64(n))
		n += m
	}
	return n, f.orDone(err)
}

// orDone replaces the error of an interrupted read by the context's error.
func (f *File) orDone(err error) error {
	if err != nil && err != io.EOF && f.ctx.Err() != nil {
		return f.ctx.Err()
	}
	return err
}

// Seek implements io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) { return f.h.Seek(offset, whence) }

// Close implements io.Closer.
func (f *File) Close() error {
	if f.stop != nil {
		f.stop()
	}
	return f.h.Close()
}
