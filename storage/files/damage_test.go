package files

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func compressBytes(tb testing.TB, data []byte, ext string) []byte {
	tb.Helper()
	var buf bytes.Buffer
	if ext == ".gz" {
		z := gzip.NewWriter(&buf)
		z.Write(data)
		z.Close()
		return buf.Bytes()
	}
	z, err := zstd.NewWriter(&buf)
	if err != nil {
		tb.Fatal(err)
	}
	z.Write(data)
	z.Close()
	return buf.Bytes()
}
