package gsql_test

import (
	"context"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"gsql"
	"gsql/internal/sqltest"
)

// TestTourAnswers computes the answers of testdata/tour.sql by other means: the Arrow library's
// Parquet reader and encoding/csv, maps and nested loops.
func TestTourAnswers(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Dir: "testdata"})
	names := strings.NewReplacer("%flights", "flights.parquet", "%airports", "airports.csv", "%zips", "zipcodes.csv")

	counts := originCounts(t, "testdata/flights.parquet")
	type airport struct {
		name, city, state string
		n                 int
	}
	var want []airport
	for _, r := range sqltest.CSV(t, "testdata/airports.csv") {
		want = append(want, airport{r[1], r[2], r[3], counts[r[0]]})
	}
	sort.Slice(want, func(i, j int) bool { return want[i].n > want[j].n })
	for i, row := range sqltest.Rows(t, s, names.Replace(departures)) {
		if w := want[i]; row[0] != w.name || row[1] != w.city || row[2] != w.state || row[3] != strconv.Itoa(w.n) {
			t.Errorf("place %d: %v, want %v", i+1, row, w)
		}
	}

	if got, want := sqltest.Rows(t, s, names.Replace(nearby))[0][0], strconv.Itoa(countNearby(t, "testdata/zipcodes.csv")); got != want {
		t.Errorf("%s pairs of near zip codes, want %s", got, want)
	}
}

// originCounts counts rows by the column origin.
func originCounts(t *testing.T, path string) map[string]int {
	t.Helper()
	rdr, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer rdr.Close()
	fr, err := pqarrow.NewFileReader(rdr, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	tbl, err := fr.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer tbl.Release()
	counts := map[string]int{}
	col := tbl.Schema().FieldIndices("origin")[0]
	for _, chunk := range tbl.Column(col).Data().Chunks() {
		for i := range chunk.Len() {
			counts[stringAt(t, chunk, i)]++
		}
	}
	return counts
}

func stringAt(t *testing.T, a arrow.Array, i int) string {
	t.Helper()
	switch a := a.(type) {
	case *array.String:
		return a.Value(i)
	case *array.Dictionary:
		return a.Dictionary().(*array.String).Value(a.GetValueIndex(i))
	}
	t.Fatalf("column of type %s", a.DataType())
	return ""
}

// countNearby counts the ordered pairs of rows whose coordinates differ by at most 0.1 degrees,
// which is what the query's four comparisons express.
func countNearby(t *testing.T, path string) int {
	t.Helper()
	var lat, lon []float64
	for _, r := range sqltest.CSV(t, path) {
		x, err1 := strconv.ParseFloat(r[1], 64)
		y, err2 := strconv.ParseFloat(r[2], 64)
		if err1 != nil || err2 != nil {
			t.Fatal(r)
		}
		lat, lon = append(lat, x), append(lon, y)
	}
	n := 0
	for i := range lat {
		for j := range lat {
			if lat[j] >= lat[i]-0.1 && lat[j] <= lat[i]+0.1 && lon[j] >= lon[i]-0.1 && lon[j] <= lon[i]+0.1 {
				n++
			}
		}
	}
	return n
}
