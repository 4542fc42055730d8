package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/storage/files/format"
)

// TestSampleOfCSV checks that the sampled rows of a file are complete rows from all over the
// file, that the first quarter of the sample is, too, and that columns of long texts are omitted.
func TestSampleOfCSV(t *testing.T) {
	for _, rows := range []int{3, 300, 5000} {
		var text strings.Builder
		text.WriteString("n,twice,name,long\n")
		for i := range rows {
			fmt.Fprintf(&text, "%d,%d,row %d,%s\n", i, 2*i, i, strings.Repeat("x", 300))
		}
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		opened, err := Open(context.Background(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, findings := opened.(catalog.Sampler).Sample([]int{1, 0, 2})
		if rows < format.PreviewStretch {
			if b != nil {
				t.Errorf("%d rows of %d", b.N, rows)
			}
			continue
		}
		if b == nil || findings == nil || b.N < min(rows, format.PreviewRows)/2 || b.N > format.PreviewRows+format.PreviewStretch {
			t.Fatalf("a sample of %v of %d rows", b, rows)
		}
		least, most := rows, 0
		for i := range b.N {
			n := catalog.DatumAt(b.Cols[1], i).I64
			if twice, name := catalog.DatumAt(b.Cols[0], i).I64, catalog.DatumAt(b.Cols[2], i).Str; twice != 2*n || name != fmt.Sprint("row ", n) {
				t.Fatalf("row %d: %d, %d, %s", i, n, twice, name)
			}
			if i < b.N/4 {
				least, most = min(least, int(n)), max(most, int(n))
			}
		}
		if least > rows/8 || most < rows*7/8 {
			t.Errorf("the first quarter is from %d to %d of %d", least, most, rows)
		}
		if b, _ := opened.(catalog.Sampler).Sample([]int{3}); b != nil {
			t.Error("a column of long texts is shown")
		}
	}
}
