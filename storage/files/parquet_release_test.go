package files

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"gsql/sql/catalog"
)

// TestParquetGroupsEnd: a row group's memory goes back as soon as it has been read, not when
// the file has.
func TestParquetGroupsEnd(t *testing.T) {
	tab := variedTable(rand.New(rand.NewPCG(3, 4)), 2000, false, false)
	f := open(t, writeParquet(t, tab, 500, parquet.WithCompression(compress.Codecs.Snappy)), Options{})
	source, err := f.Scan(t.Context(), catalog.ScanSpec{Columns: []int{0, 1}, BatchSize: 100})
	if err != nil {
		t.Fatal(err)
	}
	r, err := source.NewReader()
	if err != nil {
		t.Fatal(err)
	}
	var groups []*rowGroup
	for {
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			break
		}
		g := r.(*reader).chunk.(*piece).group
		if len(groups) == 0 || groups[len(groups)-1] != g {
			groups = append(groups, g)
		}
		for _, old := range groups[:len(groups)-1] {
			if len(old.lent.bufs) > 0 {
				t.Fatalf("row group %d still has memory while row group %d is read", old.num, g.num)
			}
		}
		if len(g.lent.bufs) == 0 {
			t.Fatal("no memory is lent to the row group that is read")
		}
	}
	if len(groups) != 4 {
		t.Errorf("%d row groups, want 4", len(groups))
	}
	if err := source.Close(); err != nil {
		t.Fatal(err)
	}
}
