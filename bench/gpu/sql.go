//go:build cuda

package main

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql"
)

// The sizes of the SQL case: r has unique sparse keys, and each row of s one of them.
const (
	sqlBuild = 1 << 24
	sqlProbe = 1 << 26
)

// sqlJoins measures, for each algorithm, an aggregate over a join whose columns are on the device:
// the time from QueryContext to the last row, and the time for which the operator held the device.
func sqlJoins(b *bench) error {
	db, err := gsql.Open(gsql.Config{Variables: map[string]string{"gsql_device": "gpu", "gsql_on_fallback": "error"}})
	if err != nil {
		return err
	}
	defer db.Close()
	want, err := fillSQL(db)
	if err != nil {
		return err
	}
	pool := sql.OpenDB(gsql.NewConnector(db))
	defer pool.Close()
	for _, hint := range []string{"", "/*+ HASH_JOIN(s) */ ", "/*+ RADIX_JOIN(s) */ ", "/*+ MERGE_JOIN(s) */ "} {
		if err := sqlCase(b, pool, "SELECT "+hint+"SUM(s.x) FROM r JOIN s ON r.k = s.k", want); err != nil {
			return err
		}
	}
	return nil
}

// fillSQL creates tables r and s and returns SUM(s.x) over their join.
func fillSQL(db *gsql.DB) (want int64, err error) {
	s := db.NewSession()
	defer s.Close()
	if _, _, err := s.Exec(context.Background(), "CREATE TABLE r (k INT); CREATE TABLE s (k INT, x INT)"); err != nil {
		return 0, err
	}
	partner := randomOf(sqlBuild)
	x := func(i int64) int64 { return payload(i) >> 8 }
	if err := appendInts(s, "r", sqlBuild, sparse); err != nil {
		return 0, err
	}
	return sumAll(sqlProbe, x), appendInts(s, "s", sqlProbe, func(i int64) int64 { return sparse(partner(i)) }, x)
}

// appendInts adds n rows of INT columns to a table as Arrow records.
func appendInts(s *gsql.Session, table string, n int64, columns ...func(i int64) int64) error {
	a, err := s.NewAppender(context.Background(), table)
	if err != nil {
		return err
	}
	const step = 1 << 20
	for from := int64(0); from < n; from += step {
		fields, values := make([]arrow.Field, len(columns)), make([]arrow.Array, len(columns))
		for c, f := range columns {
			v := make([]int32, step)
			parallel(step, func(first, end int64) {
				for i := first; i < end; i++ {
					v[i] = int32(f(from + i))
				}
			})
			builder := array.NewInt32Builder(memory.DefaultAllocator)
			builder.AppendValues(v, nil)
			fields[c], values[c] = arrow.Field{Name: strconv.Itoa(c), Type: arrow.PrimitiveTypes.Int32}, builder.NewArray()
		}
		if err := a.AppendRecord(array.NewRecord(arrow.NewSchema(fields, nil), values, step)); err != nil {
			return err
		}
	}
	_, err = a.Close(context.Background())
	return err
}

// sqlCase records a query's median time by the caller's clock, and by the device's.
func sqlCase(b *bench, db *sql.DB, query string, want int64) error {
	var times []time.Duration
	for i := -warmUps(); i < repeats; i++ {
		begun := time.Now()
		got, err := rowsOf(db, query)
		took := time.Since(begun)
		if err != nil {
			return fmt.Errorf("%s: %w", query, err)
		}
		if len(got) != 1 || got[0] != strconv.FormatInt(want, 10) {
			return fmt.Errorf("%s: %v, want %d", query, got, want)
		}
		if i >= 0 {
			times = append(times, took)
		}
	}
	slices.Sort(times)
	plan, err := rowsOf(db, "EXPLAIN ANALYZE "+query)
	if err != nil {
		return err
	}
	found := onDevice.FindStringSubmatch(strings.Join(plan, "\n"))
	if found == nil {
		return fmt.Errorf("%s: no time of a device in\n%s", query, strings.Join(plan, "\n"))
	}
	device, err := strconv.ParseFloat(found[1], 64)
	b.add("SQL: "+query, times[len(times)/2].Seconds()*1e3, sqlBuild+sqlProbe, "tuples", 0, line{Bar: -(1.2*device + 1),
		Note: fmt.Sprintf("2^24 x 2^26, the caller's clock; bar: 1.2 times the %.3f ms on the device, plus 1 ms", device)})
	return err
}

var onDevice = regexp.MustCompile(`device ([0-9.]+) ms`)

// rowsOf returns a query's rows as text.
func rowsOf(db *sql.DB, query string) ([]string, error) {
	rows, err := db.QueryContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	cells, to := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range cells {
		to[i] = &cells[i]
	}
	var out []string
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		text := make([]string, len(cells))
		for i, c := range cells {
			text[i] = c.String
		}
		out = append(out, strings.Join(text, "|"))
	}
	return out, rows.Err()
}
