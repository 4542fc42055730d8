package files

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestRealCSV compares the real files with the results of encoding/csv: every field, formatted
// according to the column's type.
func TestRealCSV(t *testing.T) {
	for name, schema := range map[string]string{
		"airports.csv":   "iata:text name:text city:text state:text country:text latitude:double longitude:double",
		"zipcodes.csv":   "zip_code:text latitude:double longitude:double city:text state:text county:text",
		"sp500-2000.csv": "date:date open:double high:double low:double close:double adjclose:double volume:bigint",
		"weather.csv":    "location:text date:date precipitation:double temp_max:double temp_min:double wind:double weather:text",
		"birdstrikes.csv": "Airport Name:text Aircraft Make Model:text Effect Amount of damage:text Flight Date:date Aircraft Airline Operator:text " +
			"Origin State:text Phase of flight:text Wildlife Size:text Wildlife Species:text Time of day:text Cost Other:bigint Cost Repair:bigint " +
			"Cost Total $:bigint Speed IAS in knots:bigint",
	} {
		path := realFile(t, name)
		tab := open(t, path, Options{})
		if got := schemaText(tab); got != schema {
			t.Errorf("%s: got %s", name, got)
		}
		h, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(h).ReadAll()
		h.Close()
		if err != nil {
			t.Fatal(err)
		}
		row := 1
		eachRow(t, tab, catalog.ScanSpec{}, func(b *vec.Batch, i int) {
			for j, c := range b.Cols {
				got, want := catalog.DatumAt(c, i), records[row][j]
				if got.Null != (want == "") || !got.Null && got.Text() != plainNumber(c.Type, want) {
					t.Fatalf("%s row %d column %d: got %s, want %s", name, row, j, got.Text(), want)
				}
			}
			row++
		})
		if row != len(records) {
			t.Errorf("%s: %d rows, want %d", name, row-1, len(records)-1)
		}
		if s := tab.Stats(); s.Rows != int64(row-1) {
			t.Errorf("%s: statistics say %d rows of %d", name, s.Rows, row-1)
		}
	}
}

// plainNumber drops the trailing zeros after the decimal point, which a DOUBLE does not keep.
func plainNumber(t types.Type, s string) string {
	if t.ID == types.Float64 && strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// TestRealParquet compares sums over the flights with the library's own reader.
func TestRealParquet(t *testing.T) {
	path := realFile(t, "flights-3m.parquet")
	tab := open(t, path, Options{})
	if got := schemaText(tab); got != "date:datetime(6) delay:bigint distance:bigint origin:text destination:text" {
		t.Errorf("schema %s", got)
	}
	f, err := pqfile.OpenParquetFile(path, false, pqfile.WithReadProps(parquet.NewReaderProperties(memory.DefaultAllocator)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{}
	for g := range 2 { // two of eleven, to be quick
		table, err := r.RowGroup(g).ReadTable(t.Context(), []int{0, 1, 2, 3, 4})
		if err != nil {
			t.Fatal(err)
		}
		for c := range 3 {
			for _, chunk := range table.Column(c).Data().Chunks() {
				for i := range chunk.Len() {
					want[fmt.Sprint(c)] += int64At(chunk, i)
				}
			}
		}
		for _, chunk := range table.Column(3).Data().Chunks() {
			for i := range chunk.Len() {
				want[chunk.ValueStr(i)]++
			}
		}
	}
	got, rows := map[string]int64{}, 0
	eachRow(t, tab, catalog.ScanSpec{}, func(b *vec.Batch, i int) {
		if rows++; rows > 2*272727 {
			return
		}
		for c := range 3 {
			got[fmt.Sprint(c)] += b.Cols[c].I64[i]
		}
		got[catalog.DatumAt(b.Cols[3], i).Str]++
	})
	if rows != 3_000_000 {
		t.Errorf("%d rows", rows)
	}
	if len(got) != len(want) {
		t.Errorf("%d airports, want %d", len(got), len(want))
	}
	for k, n := range want {
		if got[k] != n {
			t.Errorf("%s: got %d, want %d", k, got[k], n)
		}
	}
}

func int64At(a any, i int) int64 {
	switch a := a.(type) {
	case *array.Int64:
		return a.Value(i)
	case *array.Timestamp:
		return int64(a.Value(i))
	}
	panic(fmt.Sprintf("%T", a))
}
