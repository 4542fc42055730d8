package parquet

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/pierrec/lz4/v4"
)

func packLZ4(t *testing.T, data []byte) []byte {
	t.Helper()
	out := make([]byte, lz4.CompressBlockBound(len(data)))
	var c lz4.Compressor
	n, err := c.CompressBlock(data, out)
	if err != nil || n == 0 {
		t.Fatalf("packing gives %d bytes, %v", n, err)
	}
	return out[:n]
}

// hadoop prepends the sizes to a block.
func hadoop(t *testing.T, data []byte) []byte {
	packed := packLZ4(t, data)
	head := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	return append(binary.BigEndian.AppendUint32(head, uint32(len(packed))), packed...)
}

// TestCodecs unpacks data packed by the libraries, into buffers of the right size and of other
// sizes.
func TestCodecs(t *testing.T) {
	data := bytes.Repeat([]byte("some text, again and again; "), 300)
	half := len(data) / 2
	packed := map[string]struct {
		codec codec
		bytes []byte
	}{
		"lz4_raw":        {codecs[lz4Raw], packLZ4(t, data)},
		"hadoop":         {codecs[compress.Codecs.Lz4], append(hadoop(t, data[:half]), hadoop(t, data[half:])...)},
		"lz4 of one run": {codecs[compress.Codecs.Lz4], packLZ4(t, data)},
	}
	for _, c := range []compress.Compression{compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Zstd} {
		library, err := compress.GetCodec(c)
		if err != nil {
			t.Fatal(err)
		}
		packed[c.String()] = struct {
			codec codec
			bytes []byte
		}{codecs[c], library.Encode(nil, data)}
	}
	for name, p := range packed {
		dst := make([]byte, len(data))
		if err := p.codec(dst, p.bytes); err != nil || !bytes.Equal(dst, data) {
			t.Errorf("%s: %v, or other bytes", name, err)
		}
		for _, size := range []int{len(data) - 1, len(data) + 1} {
			if p.codec(make([]byte, size), p.bytes) == nil {
				t.Errorf("%s: %d bytes were unpacked as %d", name, len(data), size)
			}
		}
		if p.codec(dst, p.bytes[:len(p.bytes)/2]) == nil {
			t.Errorf("%s: half of the packed bytes were enough", name)
		}
	}
}

// TestCodecsLie unpacks data that claims to hold gigabytes: no memory may be allocated for them.
func TestCodecsLie(t *testing.T) {
	zstdHead := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0}, 0, 0, 0, 0, 0x10, 0, 0, 0) // 64 GB in one segment
	snappyHead := binary.AppendUvarint(nil, 1<<32-1)
	for name, c := range map[string]struct {
		codec codec
		bytes []byte
	}{
		"zstd":   {unpackZstd, append(zstdHead, 1, 0, 0)},
		"snappy": {unpackSnappy, append(snappyHead, 0, 'x')},
		"hadoop": {unpackHadoop, bytes.Repeat([]byte{0xff}, 20)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := c.codec(make([]byte, 10), c.bytes)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; err == nil || taken > 64<<20 {
			t.Errorf("%s: %v, %d bytes were taken", name, err, taken)
		}
	}
}
