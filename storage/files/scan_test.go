package files

import (
	"context"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// eachRow scans all columns with one reader and calls f for each row.
func eachRow(tb testing.TB, t catalog.Table, spec catalog.ScanSpec, f func(b *vec.Batch, i int)) {
	tb.Helper()
	if spec.Columns == nil {
		for i := range t.Schema().Columns {
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
