package storage

import (
	"math/rand"
	"slices"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// checkPlaces reads some of a table's rows, which are all in want, by their places.
func checkPlaces(t testing.TB, rng *rand.Rand, tbl catalog.Table, want []string) {
	t.Helper()
	var columns []int
	for i := range tbl.Schema().Columns {
		columns = append(columns, i)
	}
	for _, keep := range []int{1, 2, 50} { // one row in so many
		var places []int64
		var some []string
		for i, row := range want {
			if rng.Intn(keep) == 0 {
				places, some = append(places, int64(i)), append(some, row)
			}
		}
		cols, err := tbl.(catalog.PlaceReader).ReadPlaces(bg, places, columns)
		must(t, err)
		for i, c := range cols {
			checkVector(t, c, len(places))
			if c.Type != tbl.Schema().Columns[i].Type {
				t.Fatalf("column %d has type %s", i, c.Type)
			}
		}
		if got := textRows(cols); !slices.Equal(got, some) {
			t.Fatalf("%d rows by their places: %.300v\nwant %.300v", len(places), got, some)
		}
	}
	_, err := tbl.(catalog.PlaceReader).ReadPlaces(bg, []int64{int64(len(want))}, columns)
	wantCode(t, err, sqlerr.InternalError)
}
