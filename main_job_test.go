package gsql_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// realData returns the folder of real files next to the checkout, or skips the test.
func realData(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../shared/data")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "flights-3m.parquet")); err != nil {
		t.Skip("skipped: the real files are not beside the checkout (../shared/data)")
	}
	return dir
}

const departures = "SELECT a.name, a.city, a.state, COUNT(*) AS departures FROM `%flights` f JOIN `%airports` a ON f.origin = a.iata " +
	"GROUP BY a.iata, a.name, a.city, a.state ORDER BY departures DESC LIMIT 5"

// mostDepartures and nearbyPairs are the answers over the real files.
var mostDepartures = [][]string{
	{"Chicago O'Hare International", "Chicago", "IL", "166341"},
	{"Dallas-Fort Worth International", "Dallas-Fort Worth", "TX", "157162"},
	{"William B Hartsfield-Atlanta Intl", "Atlanta", "GA", "124711"},
	{"Los Angeles International", "Los Angeles", "CA", "115245"},
	{"Phoenix Sky Harbor International", "Phoenix", "AZ", "93036"},
}

const nearbyPairs = "1029039"

const nearby = "SELECT COUNT(*) AS pairs FROM `%zips` a JOIN `%zips` b ON b.latitude BETWEEN a.latitude - 0.1 AND a.latitude + 0.1 " +
	"AND b.longitude BETWEEN a.longitude - 0.1 AND a.longitude + 0.1"

// TestMainJob runs the two queries of the README over the real files. The expected
// rows were computed by independent programs: a count by origin read with another
// Parquet implementation, and a sweep over the sorted latitudes.
func TestMainJob(t *testing.T) {
	dir := realData(t)
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	names := strings.NewReplacer("%flights", "flights-3m.parquet", "%airports", "airports.csv", "%zips", "zipcodes.csv")

	sql := names.Replace(departures)
	if got := sqltest.Rows(t, s, sql); !reflect.DeepEqual(got, mostDepartures) {
		t.Errorf("most departures: %v", got)
	}
	if plan := sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN "+sql)); !strings.Contains(plan, "Join") || !strings.Contains(plan, "cpu") || !strings.Contains(plan, "TopN") {
		t.Errorf("EXPLAIN shows\n%s", plan)
	}

	sql = names.Replace(nearby)
	if got := sqltest.Rows(t, s, sql); got[0][0] != nearbyPairs {
		t.Errorf("%s pairs of near zip codes, want %s", got[0][0], nearbyPairs)
	}
	// Counting pairs without building them is cheaper than a join of a million rows.
	if plan := sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN "+sql)); !strings.Contains(plan, "GroupJoin") || !strings.Contains(plan, "range_join") {
		t.Errorf("EXPLAIN shows\n%s", plan)
	}
	sql = strings.Replace(sql, "COUNT(*) AS pairs", "a.zip_code, b.zip_code", 1)
	if plan := sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN ANALYZE "+sql)); !strings.Contains(plan, "RangeJoin") || !strings.Contains(plan, nearbyPairs) {
		t.Errorf("EXPLAIN ANALYZE does not show the actual rows:\n%s", plan)
	}
}
