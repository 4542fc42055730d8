package pack

import (
	"encoding/binary"
	"slices"
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
	if by != Plain && len(data) >= leastBytes {
		var ok bool
		if dst, ok = appendCompressed(dst, data, by); ok {
			return dst
		}
	}
	dst = binary.AppendUvarint(append(dst, byte(Plain)), uint64(len(data)))
	return append(dst, data...)
}

// appendCompressed appends the encoding of data compressed. It appends nothing if that does not save enough.
func appendCompressed(dst, data []byte, by Compression) ([]byte, bool) {
	most := len(data) - len(data)/savedPart
	out := slices.Grow(dst, 1+2*binary.MaxVarintLen64+most)
	out = binary.AppendUvarint(append(out, byte(by)), uint64(len(data)))
	var length [binary.MaxVarintLen64]byte
	gap := binary.PutUvarint(length[:], uint64(most)) // for the size, which is known once the bytes are behind it
	at := len(out) + gap
	room := out[at : at+most]
	if probe := data[:min(probeBytes, len(data))]; len(data) >= 2*probeBytes && compress(room[:len(probe)-len(probe)/savedPart], probe, by) == 0 {
		return out[:len(dst)], false
	}
	n := compress(room, data, by)
	if n == 0 {
		return out[:len(dst)], false
	}
	out = append(out, length[:binary.PutUvarint(length[:], uint64(n))]...)
	return append(out, room[:n]...), true
}

// compress compresses data into dst and returns the number of bytes, or 0 if there is not enough room.
func compress(dst, data []byte, by Compression) int {
	if by == LZ4 {
		c := lz4Writers.Get().(*lz4.Compressor)
		defer lz4Writers.Put(c)
		n, err := c.CompressBlock(data, dst)
		if err != nil {
			return 0
		}
		return n
	}
	out := zstdWriter().EncodeAll(data, dst[:0:len(dst)])
	if len(out) > len(dst) {
		return 0
	}
	return copy(dst, out) // it has its own memory if the encoder wanted more while it worked
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
