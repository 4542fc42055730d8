package gsql_test

import (
	"context"
	"database/sql"
	"testing"

	"gsql"
)

// BenchmarkDrain reads rows of several types by database/sql.
func BenchmarkDrain(b *testing.B) {
	const rows = 100_000
	db, err := gsql.Open(gsql.Config{Workers: 2})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	pool := sql.OpenDB(gsql.NewConnector(db))
	defer pool.Close()
	pool.SetMaxOpenConns(1)
	for _, q := range []string{
		"CREATE TABLE t (k BIGINT, d DECIMAL(20,0), f DOUBLE, c VARCHAR(20))",
		"SET cte_max_recursion_depth = 100000; INSERT INTO t WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 100000) SELECT i * 7919, i * 3, i / 7e0, CONCAT('id', LPAD(i, 10, '0')) FROM s",
	} {
		if _, err := pool.Exec(q); err != nil {
			b.Fatal(err)
		}
	}
	for _, columns := range []string{"k", "d", "f", "c", "k, d, f, c"} {
		b.Run(columns, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := pool.QueryContext(context.Background(), "SELECT "+columns+" FROM t")
				if err != nil {
					b.Fatal(err)
				}
				for r.Next() {
				}
				if r.Err() != nil {
					b.Fatal(r.Err())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}
