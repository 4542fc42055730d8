package format

import (
	"bufio"
	"context"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// measuredBytes is how much of a compressed file is unpacked to measure its ratio.
	measuredBytes = 1 << 18
	// assumedRatio is the ratio of files that cannot be measured.
	assumedRatio = 4
)

// Ratio returns how many times larger a compressed file is when unpacked, measured at its start. A
// pipe, which can be read only once, is not measured.
func (f *File) Ratio(ctx context.Context) float64 {
	ratio := float64(assumedRatio)
	if f.Pipe != nil {
		return ratio
	}
	_ = Guard(f.Path, func() error { // scans report damage
		h, err := f.source(ctx)
		if err != nil {
			return err
		}
		defer h.Close()
		packed := &countedReader{in: bufio.NewReader(h)}
		var in io.Reader
		switch f.Compression {
		case Gzip:
			in, err = gzip.NewReader(packed)
		case Zstandard:
			var z *zstd.Decoder
			if z, err = zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
				in = z
				defer z.Close()
			}
		default:
			ratio = 1
			return nil
		}
		if err != nil {
			return err
		}
		if n, _ := io.CopyN(io.Discard, in, measuredBytes); n > 0 && packed.n > 0 {
			ratio = float64(n) / float64(packed.n)
		}
		return nil
	})
	return ratio
}

// countedReader counts the bytes that are read.
type countedReader struct {
	in *bufio.Reader
	n  int64
}

// Read implements io.Reader.
func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}

// ReadByte implements io.ByteReader, so that gzip reads no further than it needs.
func (c *countedReader) ReadByte() (byte, error) {
	b, err := c.in.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}
