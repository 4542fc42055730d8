package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"gsql"
	"gsql/bench/fill"
)

// mix returns a pseudo-random number (Vigna's SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// random returns a number below n for row i of a column.
func random(column, i, n int64) int64 { return int64(mix(uint64(column)<<48^uint64(i)) % uint64(n)) }

// sparse returns the i-th of unique keys below 2^32.
func sparse(i int64) int64 { return int64(uint32(uint64(i) * 2654435761)) }

// keys is the number of different keys of the grid's tables s, all of which r7 has.
const keys = 10_000_000

// fillGrid creates r3 to r7 of 10^3 to 10^7 rows with unique sparse keys, and s6 to s8 of 10^6 to
// 10^8 rows with keys of r7; b5 is a copy of r5.
func fillGrid(s *gsql.Session, large bool) error {
	for n := 3; n <= 7; n++ {
		err := fill.Table(s, fmt.Sprintf("r%d", n), "k BIGINT NOT NULL, x BIGINT NOT NULL, g INT NOT NULL, d DOUBLE NOT NULL", int64(math.Pow10(n)),
			fill.Ints(sparse), fill.Ints(func(i int64) int64 { return random(1, i, 1000000) }), fill.Ints(func(i int64) int64 { return random(2, i, 1000) }),
			fill.Doubles(func(i int64) float64 { return float64(sparse(i)) }))
		if err != nil {
			return err
		}
	}
	if _, _, err := s.Exec(context.Background(), "CREATE TABLE b5 AS SELECT * FROM r5"); err != nil {
		return err
	}
	most := 7
	if large {
		most = 8
	}
	for n := 6; n <= most; n++ {
		err := fill.Table(s, fmt.Sprintf("s%d", n), "k BIGINT NOT NULL, x BIGINT NOT NULL, g INT NOT NULL, d DOUBLE NOT NULL", int64(math.Pow10(n)),
			fill.Ints(func(i int64) int64 { return sparse(random(3, i, keys)) }), fill.Ints(func(i int64) int64 { return random(4, i, 1000000) }),
			fill.Ints(func(i int64) int64 { return random(5, i, 1000) }), fill.Doubles(func(i int64) float64 { return float64(sparse(random(3, i, keys))) }))
		if err != nil {
			return err
		}
	}
	return nil
}

// fillH2O creates the table of the H2O group-by questions, of 100 groups.
func fillH2O(s *gsql.Session, rows int64) error {
	small := func(c int64) fill.Column {
		return fill.Texts(func(i int64) string { return fmt.Sprintf("id%03d", 1+random(c, i, 100)) })
	}
	return fill.Table(s, "h2o", "id1 VARCHAR(10), id2 VARCHAR(10), id3 VARCHAR(16), id4 INT, id5 INT, id6 INT, v1 INT, v2 INT, v3 DOUBLE", rows,
		small(11), small(12), fill.Texts(func(i int64) string { return fmt.Sprintf("id%010d", 1+random(13, i, rows/100)) }),
		fill.Ints(func(i int64) int64 { return 1 + random(14, i, 100) }), fill.Ints(func(i int64) int64 { return 1 + random(15, i, 100) }),
		fill.Ints(func(i int64) int64 { return 1 + random(16, i, rows/100) }), fill.Ints(func(i int64) int64 { return 1 + random(17, i, 5) }),
		fill.Ints(func(i int64) int64 { return 1 + random(18, i, 15) }), fill.Doubles(func(i int64) float64 { return float64(random(19, i, 100000000)) / 1e6 }))
}

// fillTPCH creates the tables of TPC-H and returns its queries.
func fillTPCH(ctx context.Context, s *gsql.Session, scale float64) ([]query, error) {
	if _, _, err := s.Exec(ctx, "CALL gsql_tpch(?)", scale); err != nil {
		return nil, err
	}
	runtime.GC()
	var all []query
	for q := 1; q <= 22; q++ {
		name := fmt.Sprintf("q%02d", q)
		text, err := os.ReadFile(filepath.Join("testdata", "tpch", name+".sql"))
		if err != nil {
			return nil, err
		}
		all = append(all, query{fmt.Sprintf("SF %g %s", scale, name), string(text)})
	}
	return all, nil
}
