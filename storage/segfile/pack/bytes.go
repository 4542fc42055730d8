package pack

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"gsql/internal/mem"
)

// Compression is a general compression of bytes.
type Compression byte

// The compressions.
const (
	Plain Compression = iota
	LZ4
	Zstd
)

const (
	leastBytes  = 64       // that are compressed
	probeBytes  = 32 << 10 // compressed first, to see whether all should be
	savedPart   = 8        // of the bytes: the least that compression must save
	roomBytes   = 16       // behind unpacked bytes, which zstd uses to be faster
	mostInBytes = 1 << 31
	windowBytes = 256 << 10 // of zstd; more do not make texts of tables shorter
)

// AppendBytes appends the encoding of data, compressed if that saves an eighth.
func AppendBytes(dst, data []byte, by Compression) []byte {
	packed, by := compressed(data, by)
	dst = append(dst, byte(by))
	dst = binary.AppendUvarint(dst, uint64(len(data)))
	if by != Plain {
		dst = binary.AppendUvarint(dst, uint64(len(packed)))
	}
	return append(dst, packed...)
}

// compressed returns data compressed, or unchanged if compressing does not save enough.
func compressed(data []byte, by Compression) ([]byte, Compression) {
	if by == Plain || len(data) < leastBytes {
		return data, Plain
	}
	if probe := data[:min(probeBytes, len(data))]; len(data) >= 2*probeBytes && !saves(probe, compress(probe, by)) {
		return data, Plain
	}
	if out := compress(data, by); saves(data, out) {
		return out, by
	}
	return data, Plain
}

func saves(data, out []byte) bool { return out != nil && len(out) <= len(data)-len(data)/savedPart }

// compress returns data compressed, or nil if it does not get shorter.
func compress(data []byte, by Compression) []byte {
	if by == LZ4 {
		c := lz4Writers.Get().(*lz4.Compressor)
		defer lz4Writers.Put(c)
		out := make([]byte, len(data))
		n, err := c.CompressBlock(data, out)
		if err != nil || n == 0 {
			return nil
		}
		return out[:n]
	}
	return zstdWriter().EncodeAll(data, make([]byte, 0, len(data)/2))
}

// lz4Writers are reused because of their tables.
var lz4Writers = sync.Pool{New: func() any { return new(lz4.Compressor) }}

// zstdWriter and zstdReader are shared by all goroutines.
var (
	zstdWriter = sync.OnceValue(func() *zstd.Encoder {
		return must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithWindowSize(windowBytes)))
	})
	zstdReader = sync.OnceValue(func() *zstd.Decoder {
		return must(zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0)))
	})
)

func must[T any](x T, err error) T {
	if err != nil {
		panic(err) // the library refuses other options
	}
	return x
}

// ReadBytes reads bytes, at most limit, to new memory, which is aligned to words.
func ReadBytes(r *Reader, limit int) ([]byte, error) {
	by := Compression(r.Byte())
	n := r.Count(min(limit, mostInBytes))
	stored := n
	if by != Plain {
		stored = r.Count(len(r.src))
	}
	src := r.Take(stored)
	if r.bad {
		return nil, ErrMalformed
	}
	out := mem.Heap(n + roomBytes)[:n]
	ok := true
	switch by {
	case Plain:
		copy(out, src)
	case LZ4:
		got, err := lz4.UncompressBlock(src, out)
		ok = err == nil && got == n
	case Zstd:
		got, err := zstdReader().DecodeAll(src, out[:0:n+roomBytes])
		ok = err == nil && len(got) == n && (n == 0 || &got[0] == &out[0])
	default:
		ok = false
	}
	if !ok {
		r.fail()
		return nil, ErrMalformed
	}
	return out, nil
}
