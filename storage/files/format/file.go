package format

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/storage/disk"
)

// maxInflated bounds the unpacked size of compressed Parquet and Arrow files, in bytes.
const maxInflated = 4 << 30

// maxWindow bounds the distance of references in a zstd file, which its reader keeps in memory.
// It is zstd's own limit without --long.
const maxWindow = 128 << 20

// Compression is the compression of a whole file.
type Compression uint8

// The compressions supported for reading and writing.
const (
	Plain Compression = iota
	Gzip
	Zstandard
)

// File is a file on disk with its compression and encoding.
type File struct {
	Disk        *disk.Disk
	Account     *mem.Account // charged for what opening the part unpacks
	Path        string
	Size        int64 // bytes on disk
	Compression Compression
	Pipe        *disk.Pipe        // the pipe if the file is one, which can be read only once; otherwise nil
	Text        encoding.Encoding // encoding of text files that are not UTF-8; otherwise nil
}

// Seekable reports whether Stream returns the bytes of the file as they are on disk.
func (f *File) Seekable() bool { return f.Compression == Plain && f.Text == nil && f.Pipe == nil }

// Stream opens the file for reading from its start, unpacked and as UTF-8. Reads fail once ctx
// ends.
func (f *File) Stream(ctx context.Context) (io.ReadCloser, error) {
	in, err := f.unpacked(ctx)
	if err == nil && f.Text != nil {
		in = struct {
			io.Reader
			io.Closer
		}{f.Text.NewDecoder().Reader(in), in}
	}
	return in, err
}

func (f *File) unpacked(ctx context.Context) (io.ReadCloser, error) {
	h, err := f.source(ctx)
	if err != nil {
		return nil, err
	}
	switch f.Compression {
	case Gzip:
		z, err := gzip.NewReader(bufio.NewReaderSize(h, 1<<18))
		if err != nil {
			h.Close()
			return nil, Fault("it is no gzip file")
		}
		return &unpacked{z, z.Close, h}, nil
	case Zstandard:
		z, err := zstd.NewReader(h, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxInflated), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			h.Close()
			return nil, err
		}
		return &unpacked{z, func() error { z.Close(); return nil }, h}, nil
	}
	return h, nil
}

// source opens the bytes of the file.
func (f *File) source(ctx context.Context) (io.ReadCloser, error) {
	if f.Pipe != nil {
		return f.Pipe.Reader(), nil
	}
	return f.Disk.Open(ctx, f.Path)
}

// unpacked is the stream of a compressed file.
type unpacked struct {
	io.Reader
	closer func() error
	h      io.Closer
}

// Read implements io.Reader.
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF && !IsFinal(err) {
		err = errPacked
	}
	return n, err
}

// errPacked replaces the errors of the gzip and zstd decoders.
const errPacked = Fault("the compressed data is damaged")

// Close closes the decoder and the file under it.
func (u *unpacked) Close() error {
	err := u.closer()
	if e := u.h.Close(); err == nil {
		err = e
	}
	return err
}

// Unseekable returns error 1024 for a pipe whose format must be read from the end.
func Unseekable(path string) error {
	return sqlerr.New(sqlerr.ErrorOnRead, "Error reading file '%s': it is a pipe, which only text can be read from", path).
		WithHint("Write it to a file first.")
}

// RandomAccess is a file that can be read at any offset.
type RandomAccess interface {
	io.ReaderAt
	io.ReadSeeker
	io.Closer
}

// Open opens the file for random access and returns its size. A compressed file is unpacked into
// memory, which is charged to account until the file is closed. Reads fail once ctx ends.
func (f *File) Open(ctx context.Context, account *mem.Account) (RandomAccess, int64, error) {
	if f.Compression == Plain {
		h, err := f.Disk.Open(ctx, f.Path)
		if err != nil {
			return nil, 0, err
		}
		if h.Waits() {
			h.Close()
			return nil, 0, Unseekable(f.Path)
		}
		return h, f.Size, nil
	}
	s, err := f.Stream(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	m := &memoryFile{held: Hold{Account: account}}
	data, err := m.readAll(ctx, s)
	if err == nil && len(data) > maxInflated {
		err = Corrupt(f.Path, "unpacks to more than 4 GB")
	}
	if err != nil {
		m.Close()
		return nil, 0, err
	}
	m.Reader = bytes.NewReader(data)
	return m, int64(len(data)), nil
}
