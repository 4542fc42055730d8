package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// eachRow scans all columns with one reader and calls f for each row.
func eachRow(tb testing.TB, t catalog.Table, spec catalog.ScanSpec, f func(b *vec.Batch, i int)) {
	tb.Helper()
	if spec.Columns == nil {
		for i := range t.Schema().Visible() {
			spec.Columns = append(spec.Columns, i)
		}
	}
	src, err := t.Scan(context.Background(), spec)
	if err != nil {
		tb.Fatal(err)
	}
	defer src.Close()
	r, err := src.NewReader()
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	last := int64(-1)
	for {
		b, err := r.Next()
		if err != nil {
			tb.Fatal(err)
		}
		if b == nil {
			return
		}
		if b.Morsel <= last {
			tb.Fatalf("morsel %d after %d", b.Morsel, last)
		}
		last = b.Morsel
		for i := range b.N {
			f(b, i)
		}
	}
}

// TestReadersWithinLimit opens two readers of a file under memory limits: a second chunk is read
// only if both take at most a quarter of the limit, and whoever reads, all rows are read.
func TestReadersWithinLimit(t *testing.T) {
	const rows = 4000
	var text strings.Builder
	for i := range rows {
		fmt.Fprintf(&text, "%d,%0999d\n", i, i) // about 4 MB, in chunks of 1 MB
	}
	path := filepath.Join(t.TempDir(), "wide.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	table := open(t, path, Options{})
	for _, c := range []struct {
		limit int64
		both  bool
	}{{0, true}, {64 << 20, true}, {6 << 20, false}} {
		account := mem.NewRoot("query", c.limit)
		src, err := table.Scan(t.Context(), catalog.ScanSpec{Columns: []int{0, 1}, Mem: account})
		if err != nil {
			t.Fatal(err)
		}
		n, both := 0, false
		first, second := newReader(t, src), newReader(t, src)
		n += next(t, first)
		if got := next(t, second); got > 0 {
			n, both = n+got, true
		}
		for _, r := range []catalog.Reader{first, second} {
			for got := next(t, r); got > 0; got = next(t, r) {
				n += got
			}
		}
		if n != rows || both != c.both {
			t.Errorf("limit %d: %d rows, both readers: %v, want %d and %v", c.limit, n, both, rows, c.both)
		}
		if err := errors.Join(first.Close(), second.Close(), src.Close()); err != nil {
			t.Error(err)
		}
	}
}

func newReader(t *testing.T, src catalog.Source) catalog.Reader {
	t.Helper()
	r, err := src.NewReader()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// next returns the number of rows in the reader's next batch, 0 at the end.
func next(t *testing.T, r catalog.Reader) int {
	t.Helper()
	b, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if b == nil {
		return 0
	}
	return b.N
}
