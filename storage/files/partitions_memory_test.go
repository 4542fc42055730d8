package files

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestPartitionsCount writes 40 files at a time, whose rows and buffers take several times the memory
// limit: the files write their rows early, and a limit that the buffers alone exceed is error 1037.
func TestPartitionsCount(t *testing.T) {
	const files, batches, rows = 40, 20, 400
	cols := []catalog.Column{{Name: "k", Type: types.T(types.Int64)}, {Name: "s", Type: types.T(types.String)}}
	write := func(path string, limit int64) (peak int64, err error) {
		account := mem.NewRoot("statement", limit)
		w, err := NewWriter(path+"?partition=k", cols, WriteOptions{Mem: account})
		if err != nil {
			return 0, err
		}
		defer w.Abort()
		for n := range batches {
			b := &vec.Batch{N: rows, Cols: []*vec.Vector{vec.NewFlat(cols[0].Type, rows), vec.NewFlat(cols[1].Type, rows)}}
			for i := range rows {
				b.Cols[0].I64[i], b.Cols[1].Str[i] = int64(i%files), strings.Repeat(fmt.Sprint(n*rows+i, " "), 400)
			}
			if err := w.Write(b); err != nil {
				return account.Peak(), err
			}
		}
		err = w.Close()
		if account.Used() != 0 {
			t.Errorf("%s: %d bytes are held after the end", path, account.Used())
		}
		return account.Peak(), err
	}
	for _, ext := range []string{".parquet", ".arrow", ".csv"} {
		dir := t.TempDir()
		const limit = 16 << 20
		peak, err := write(filepath.Join(dir, "x"+ext), limit)
		if err != nil || peak < files*writeBuffer || peak > limit {
			t.Errorf("%s: %d bytes of %d are charged (%v)", ext, peak, limit, err)
		}
		if got := count(t, open(t, "**/*"+ext, Options{Dir: dir}), 1, catalog.ScanSpec{Columns: []int{0}}); got != batches*rows {
			t.Errorf("%s: %d rows", ext, got)
		}
		if _, err := write(filepath.Join(dir, "y"+ext), 4<<20); !errors.Is(err, sqlerr.OutOfMemory) {
			t.Errorf("%s: 4 MB for the buffers of %d files: %v", ext, files, err)
		}
	}
}
