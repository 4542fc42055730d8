package planning_test

import (
	"strconv"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestBandEstimates compares the estimates of joins by bands of one and two columns with what they
// make. Zip codes lie in clusters, and those next to each other in the file are next to each other.
func TestBandEstimates(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{Dir: sqltest.Testdata("")})
	sqltest.Run(t, s, "CREATE TABLE z AS SELECT * FROM `zipcodes.csv`")
	sqltest.Run(t, s, "CREATE TABLE mixed AS SELECT * FROM z ORDER BY MD5(CONCAT(latitude, zip_code))")
	for _, from := range []string{"`zipcodes.csv`", "z", "mixed"} {
		for _, on := range []string{
			"b.latitude BETWEEN a.latitude - 0.1 AND a.latitude + 0.1 AND b.longitude BETWEEN a.longitude - 0.1 AND a.longitude + 0.1",
			"b.latitude BETWEEN a.latitude - 0.5 AND a.latitude + 0.5 AND b.longitude BETWEEN a.longitude - 0.5 AND a.longitude + 0.5",
			"b.latitude BETWEEN a.latitude - 0.02 AND a.latitude + 0.02 AND b.longitude BETWEEN a.longitude - 0.02 AND a.longitude + 0.02",
			"b.latitude BETWEEN a.latitude - 0.1 AND a.latitude + 0.1",
		} {
			query := "SELECT a.zip_code, b.zip_code FROM " + from + " a JOIN " + from + " b ON " + on
			row := sqltest.Rows(t, s, "EXPLAIN ANALYZE "+query)[0]
			expected, _ := strconv.ParseFloat(row[2], 64)
			found, _ := strconv.ParseFloat(row[4], 64)
			if !strings.Contains(row[0], "Join") || found == 0 || max(expected/found, found/expected) > 4 {
				t.Errorf("%s: %.0f rows expected, %.0f found: %s", query, expected, found, row)
			}
		}
	}
}
