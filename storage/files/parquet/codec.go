package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"gsql/storage/files/format"
)

// codec unpacks src into dst, whose length is the unpacked size. No codec allocates memory
// according to sizes stated in src.
type codec func(dst, src []byte) error

// Codec numbers of Parquet for which the library has no name.
const lz4Raw = compress.Compression(7)

// codecs maps the compressions of column chunks to their codecs; nil means uncompressed.
var codecs = map[compress.Compression]codec{
	compress.Codecs.Uncompressed: nil,
	compress.Codecs.Snappy:       unpackSnappy,
	compress.Codecs.Gzip:         unpackGzip,
	compress.Codecs.Brotli: func(dst, src []byte) error {
		return fillFrom(brotli.NewReader(bytes.NewReader(src)), dst)
	},
	compress.Codecs.Zstd: unpackZstd,
	compress.Codecs.Lz4:  unpackHadoop,
	lz4Raw:               unpackLZ4,
}

// codecName returns the name of a compression, or its number.
func codecName(c compress.Compression) string {
	if c == compress.Codecs.Lzo {
		return "LZO"
	}
	return fmt.Sprintf("number %d", c)
}

var errPageSize = format.Fault("the size of a page differs from its header")

func unpackSnappy(dst, src []byte) error {
	if n, err := s2.DecodedLen(src); err != nil || n != len(dst) {
		return errPageSize
	}
	_, err := s2.Decode(dst, src)
	return err
}

func unpackLZ4(dst, src []byte) error {
	if n, err := lz4.UncompressBlock(src, dst); err != nil || n != len(dst) {
		return errPageSize
	}
	return nil
}

// unpackHadoop unpacks the older kind of LZ4: blocks preceded by their two sizes, or, from some
// writers, a single block without sizes.
func unpackHadoop(dst, src []byte) error {
	const head = 8
	out, in := dst, src
	for len(in) >= head {
		size, packed := binary.BigEndian.Uint32(in), binary.BigEndian.Uint32(in[4:])
		if uint64(size) > uint64(len(out)) || uint64(packed) > uint64(len(in)-head) ||
			unpackLZ4(out[:size], in[head:head+packed]) != nil {
			return unpackLZ4(dst, src)
		}
		out, in = out[size:], in[head+packed:]
	}
	if len(out) > 0 || len(in) > 0 {
		return unpackLZ4(dst, src)
	}
	return nil
}

// zstdDecoder is shared by all goroutines.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
})

func unpackZstd(dst, src []byte) error {
	d, err := zstdDecoder()
	if err != nil {
		return err
	}
	out, err := d.DecodeAll(src, dst[:0:len(dst)])
	if err == nil && len(out) != len(dst) {
		err = errPageSize
	}
	return err
}

var gzipReaders sync.Pool

func unpackGzip(dst, src []byte) error {
	z, _ := gzipReaders.Get().(*gzip.Reader)
	if z == nil {
		z = new(gzip.Reader)
	}
	defer gzipReaders.Put(z)
	if err := z.Reset(bytes.NewReader(src)); err != nil {
		return err
	}
	return fillFrom(z, dst)
}

// fillFrom reads all of r into dst. The lengths must match exactly.
func fillFrom(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return errPageSize
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || err != nil && err != io.EOF {
		return errPageSize
	}
	return nil
}
