package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql"
)

const flightRows = 3_000_000

// fileCases measure the real files: queries over them as they lie, and loading.
func fileCases(data, tmp string) []bcase {
	path := func(name string) string { return filepath.Join(data, name) }
	flights, airports, zips := path("flights-3m.parquet"), path("airports.csv"), path("zipcodes.csv")
	csv := filepath.Join(tmp, "flights.csv")
	return []bcase{
		{
			name: "flights: scan and group by origin, from Parquet",
			sql:  fmt.Sprintf("SELECT origin, COUNT(*), AVG(delay) FROM `%s` GROUP BY origin", flights),
			rows: flightRows,
		},
		{
			name: "flights: join airports.csv, group, top 10",
			sql: fmt.Sprintf("SELECT a.name, a.city, a.state, COUNT(*) AS departures FROM `%s` f JOIN `%s` a ON f.origin = a.iata "+
				"GROUP BY a.iata, a.name, a.city, a.state ORDER BY departures DESC LIMIT 10", flights, airports),
			rows: flightRows,
		},
		{
			name: "zip codes: pairs within 0.1 degrees (band join)",
			sql: fmt.Sprintf("SELECT COUNT(*) FROM `%[1]s` a JOIN `%[1]s` b ON b.latitude BETWEEN a.latitude - 0.1 AND a.latitude + 0.1 "+
				"AND b.longitude BETWEEN a.longitude - 0.1 AND a.longitude + 0.1", zips),
			rows: 2 * 42_049,
		},
		{
			name:  "load: Parquet into a table",
			reset: "DROP TABLE IF EXISTS loaded",
			sql:   fmt.Sprintf("CREATE TABLE loaded AS SELECT * FROM `%s`", flights),
			rows:  flightRows, file: flights,
		},
		{
			name: "load: CSV into a table",
			setup: func(ctx context.Context, db *gsql.DB) error {
				s := db.NewSession()
				defer s.Close()
				_, _, err := s.Exec(ctx, fmt.Sprintf("SELECT * FROM `%s` INTO OUTFILE '%s'", flights, csv))
				return err
			},
			reset: "DROP TABLE IF EXISTS loaded",
			sql:   fmt.Sprintf("CREATE TABLE loaded AS SELECT * FROM `%s`", csv),
			rows:  flightRows, file: csv,
		},
		{
			name: "flights: group by origin, from the table",
			sql:  "SELECT origin, COUNT(*), AVG(delay) FROM loaded GROUP BY origin",
			rows: flightRows,
		},
	}
}

const (
	buildRows = 1_000_000
	probeRows = 10_000_000
)

// joinCases join a primary key of 10^6 rows with 10^7 foreign keys by each algorithm,
// for dense and sparse keys, summing a payload of the build side. The nested loop gets
// a smaller case: 10^13 pairs would take it hours.
func joinCases() []bcase {
	var cases []bcase
	for _, keys := range []string{"dense", "sparse"} {
		for _, algo := range []string{"HASH_JOIN", "RADIX_JOIN", "MERGE_JOIN"} {
			cases = append(cases, bcase{
				name:  fmt.Sprintf("PK-FK 10^6 x 10^7, %s BIGINT keys, %s", keys, algo),
				setup: tables(keys),
				sql:   fmt.Sprintf("SELECT /*+ %s(r) */ COUNT(*), SUM(r.v) FROM s_%s s JOIN r_%s r ON s.k = r.k", algo, keys, keys),
				rows:  buildRows + probeRows,
				check: countIs(probeRows),
			})
		}
	}
	return append(cases, bcase{
		name:  "nested loop 10^3 x 10^6, r.k < s.k AND r.v <> s.v, COUNT",
		setup: tables("sparse"),
		sql: "SELECT /*+ NL_JOIN(r) */ COUNT(*) FROM (SELECT * FROM s_sparse LIMIT 1000000) s " +
			"JOIN (SELECT * FROM r_sparse LIMIT 1000) r ON r.k < s.k AND r.v <> s.v",
		rows: 1_001_000,
	})
}

func countIs(want int64) func([]any) error {
	return func(row []any) error {
		if len(row) == 0 || row[0] != want {
			return fmt.Errorf("count is %v, want %d", row, want)
		}
		return nil
	}
}

// tables registers r_<keys>(k, v) with distinct keys in random order and
// s_<keys>(k, v) with keys drawn uniformly from them.
func tables(keys string) func(context.Context, *gsql.DB) error {
	return func(ctx context.Context, db *gsql.DB) error {
		rng := rand.New(rand.NewPCG(1, 2))
		pk := make([]int64, buildRows)
		for i := range pk {
			pk[i] = int64(i)
			if keys == "sparse" {
				pk[i] = int64(uint64(i+1) * 0x9E3779B97F4A7C15 >> 1) // odd multiplier: distinct, spread over 63 bits
			}
		}
		rng.Shuffle(len(pk), func(i, j int) { pk[i], pk[j] = pk[j], pk[i] })
		fk := make([]int64, probeRows)
		for i := range fk {
			fk[i] = pk[rng.IntN(len(pk))]
		}
		if err := load(ctx, db, "r_"+keys, pk); err != nil {
			return err
		}
		return load(ctx, db, "s_"+keys, fk)
	}
}

// load makes a table (k BIGINT, v BIGINT) with v the row number, unless it exists.
func load(ctx context.Context, db *gsql.DB, name string, k []int64) error {
	s := db.NewSession()
	defer s.Close()
	if rows, err := s.Query(ctx, "SELECT 1 FROM "+name+" LIMIT 1"); err == nil {
		return rows.Close()
	}
	v := make([]int64, len(k))
	for i := range v {
		v[i] = int64(i)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "v", Type: arrow.PrimitiveTypes.Int64}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{int64s(k), int64s(v)}, int64(len(k)))
	if err := db.RegisterArrow("source_"+name, schema, []arrow.Record{rec}); err != nil {
		return err
	}
	_, _, err := s.Exec(ctx, fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM source_%s", name, name))
	if err != nil {
		return err
	}
	return db.RegisterArrow("source_"+name, nil, nil)
}

func int64s(x []int64) arrow.Array {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(x, nil)
	return b.NewArray()
}
