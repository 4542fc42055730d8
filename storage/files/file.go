package files

import (
	"bufio"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
)

// maxInflated bounds what is unpacked in memory of compressed Parquet and Arrow files.
const maxInflated = 4 << 30

// file is a file on disk and what is wrapped around it.
type file struct {
	path string
	size int64
	comp compression
	text encoding.Encoding // of text files that are not UTF-8; nil
}

// asItIs tells whether streams give the bytes of the file, so that they can be sought in.
func (f *file) asItIs() bool { return f.comp == plain && f.text == nil }

// stream opens the file for reading from its start, unpacked and as UTF-8.
func (f *file) stream() (io.ReadCloser, error) {
	in, err := f.unpacked()
	if err == nil && f.text != nil {
		in = decoded(in, f.text)
	}
	return in, err
}

func (f *file) unpacked() (io.ReadCloser, error) {
	h, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	switch f.comp {
	case gzipped:
		z, err := gzip.NewReader(bufio.NewReaderSize(h, 1<<18))
		if err != nil {
			h.Close()
			return nil, err
		}
		return &unpacked{z, z.Close, h}, nil
	case zstandard:
		z, err := zstd.NewReader(h, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxInflated))
		if err != nil {
			h.Close()
			return nil, err
		}
		return &unpacked{z, func() error { z.Close(); return nil }, h}, nil
	}
	return h, nil
}

type unpacked struct {
	io.Reader
	closer func() error
	h      *os.File
}

// Close closes the decoder and the file under it.
func (u *unpacked) Close() error {
	err := u.closer()
	if e := u.h.Close(); err == nil {
		err = e
	}
	return err
}

// randomAccess is a file that can be read anywhere.
type randomAccess interface {
	io.ReaderAt
	io.ReadSeeker
	io.Closer
}

// open opens the file for random access; a compressed one is unpacked into memory.
func (f *file) open() (randomAccess, int64, error) {
	if f.comp == plain {
		h, err := os.Open(f.path)
		return h, f.size, err
	}
	s, err := f.stream()
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	data, err := io.ReadAll(io.LimitReader(s, maxInflated+1))
	if err != nil {
		return nil, 0, err
	}
	if len(data) > maxInflated {
		return nil, 0, corrupt(f.path, "unpacks to more than 4 GB")
	}
	return newMemory(data), int64(len(data)), nil
}
