package files

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"
)

// TestArrowAsksForMuch checks that a damaged file whose buffers claim half a terabyte each
// results in an error and does not end the process.
func TestArrowAsksForMuch(t *testing.T) {
	data := small(t, "x.arrow")
	path := tempFile(t, "x.arrow", "")
	refused := 0
	for at := 0; at+8 <= len(data); at += 8 {
		if n := binary.LittleEndian.Uint64(data[at:]); n == 0 || n > 1<<16 {
			continue // not a length
		}
		bad := bytes.Clone(data)
		bad[at+4] = 0x80
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readAll(path, Options{}); err != nil && strings.Contains(err.Error(), "bytes of memory") {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no file asked for much memory")
	}
}
