package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// realFiles returns queries over unmodified real files in the folder given by -files:
// flights-3m.parquet, airports.csv and zipcodes.csv.
func realFiles(o *options) ([]query, error) {
	dir, err := filepath.Abs(o.files)
	if err != nil {
		return nil, err
	}
	ref := func(name string) string { return "{" + filepath.Join(dir, name) + "}" }
	flights, airports, zips := ref("flights-3m.parquet"), ref("airports.csv"), ref("zipcodes.csv")
	if _, err := os.Stat(filepath.Join(dir, "flights-3m.parquet")); err != nil {
		return nil, fmt.Errorf("the real files: %w", err)
	}
	return []query{
		{name: "flights: group by origin", sql: "SELECT origin, COUNT(*), AVG(delay) FROM " + flights + " GROUP BY origin"},
		{name: "flights: join airports, group", sql: "SELECT a.name, a.city, a.state, COUNT(*) AS departures FROM " + flights + " f JOIN " + airports +
			" a ON f.origin = a.iata GROUP BY a.iata, a.name, a.city, a.state ORDER BY departures DESC LIMIT 10"},
		{name: "zip codes: pairs within 0.1 degrees", sql: fmt.Sprintf("SELECT COUNT(*) FROM %[1]s a JOIN %[1]s b ON b.latitude BETWEEN a.latitude - 0.1 AND a.latitude + 0.1 "+
			"AND b.longitude BETWEEN a.longitude - 0.1 AND a.longitude + 0.1", zips)},
		into("flights: into a table", "SELECT * FROM "+flights, "SELECT COUNT(*), SUM(delay) FROM ans"),
	}, nil
}
