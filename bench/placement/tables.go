package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql"
)

// step is the number of rows of a record.
const step = 1 << 20

// column makes the values of one column for the rows from from up to end.
type column func(from, end int64) arrow.Array

// fill creates a table and appends rows to it.
func fill(s *gsql.Session, table, columns string, rows int64, all ...column) error {
	ctx := context.Background()
	if _, _, err := s.Exec(ctx, "CREATE TABLE "+table+" ("+columns+")"); err != nil {
		return err
	}
	a, err := s.NewAppender(ctx, table)
	if err != nil {
		return err
	}
	for from := int64(0); from < rows; from += step {
		end := min(from+step, rows)
		fields, values := columnsOf(all, from, end)
		if err := a.AppendRecord(array.NewRecord(arrow.NewSchema(fields, nil), values, end-from)); err != nil {
			return err
		}
	}
	_, err = a.Close(ctx)
	return err
}

// columnsOf makes the columns of some rows at once.
func columnsOf(all []column, from, end int64) ([]arrow.Field, []arrow.Array) {
	fields, values := make([]arrow.Field, len(all)), make([]arrow.Array, len(all))
	var wg sync.WaitGroup
	for i, f := range all {
		wg.Go(func() {
			values[i] = f(from, end)
			fields[i] = arrow.Field{Name: strconv.Itoa(i), Type: values[i].DataType()}
		})
	}
	wg.Wait()
	return fields, values
}

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

func ints(f func(i int64) int64) column {
	return func(from, end int64) arrow.Array {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.Reserve(int(end - from))
		for i := from; i < end; i++ {
			b.UnsafeAppend(f(i))
		}
		return b.NewArray()
	}
}

func doubles(f func(i int64) float64) column {
	return func(from, end int64) arrow.Array {
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		b.Reserve(int(end - from))
		for i := from; i < end; i++ {
			b.UnsafeAppend(f(i))
		}
		return b.NewArray()
	}
}

func texts(f func(i int64) string) column {
	return func(from, end int64) arrow.Array {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for i := from; i < end; i++ {
			b.Append(f(i))
		}
		return b.NewArray()
	}
}

// keys is the number of different keys of the grid's tables s, all of which r7 has.
const keys = 10_000_000

// fillGrid creates r3 to r7 of 10^3 to 10^7 rows with unique sparse keys, and s6 to s8 of 10^6 to
// 10^8 rows with keys of r7; b5 is a copy of r5.
func fillGrid(s *gsql.Session, large bool) error {
	for n := 3; n <= 7; n++ {
		err := fill(s, fmt.Sprintf("r%d", n), "k BIGINT NOT NULL, x BIGINT NOT NULL, g INT NOT NULL, d DOUBLE NOT NULL", int64(math.Pow10(n)),
			ints(sparse), ints(func(i int64) int64 { return random(1, i, 1000000) }), ints(func(i int64) int64 { return random(2, i, 1000) }),
			doubles(func(i int64) float64 { return float64(sparse(i)) }))
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
		err := fill(s, fmt.Sprintf("s%d", n), "k BIGINT NOT NULL, x BIGINT NOT NULL, g INT NOT NULL, d DOUBLE NOT NULL", int64(math.Pow10(n)),
			ints(func(i int64) int64 { return sparse(random(3, i, keys)) }), ints(func(i int64) int64 { return random(4, i, 1000000) }),
			ints(func(i int64) int64 { return random(5, i, 1000) }), doubles(func(i int64) float64 { return float64(sparse(random(3, i, keys))) }))
		if err != nil {
			return err
		}
	}
	return nil
}

// fillH2O creates the table of the H2O group-by questions, of 100 groups.
func fillH2O(s *gsql.Session, rows int64) error {
	small := func(c int64) column {
		return texts(func(i int64) string { return fmt.Sprintf("id%03d", 1+random(c, i, 100)) })
	}
	return fill(s, "h2o", "id1 VARCHAR(10), id2 VARCHAR(10), id3 VARCHAR(16), id4 INT, id5 INT, id6 INT, v1 INT, v2 INT, v3 DOUBLE", rows,
		small(11), small(12), texts(func(i int64) string { return fmt.Sprintf("id%010d", 1+random(13, i, rows/100)) }),
		ints(func(i int64) int64 { return 1 + random(14, i, 100) }), ints(func(i int64) int64 { return 1 + random(15, i, 100) }),
		ints(func(i int64) int64 { return 1 + random(16, i, rows/100) }), ints(func(i int64) int64 { return 1 + random(17, i, 5) }),
		ints(func(i int64) int64 { return 1 + random(18, i, 15) }), doubles(func(i int64) float64 { return float64(random(19, i, 100000000)) / 1e6 }))
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
