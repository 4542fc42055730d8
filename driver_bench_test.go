package gsql_test

import (
	"database/sql"
	"testing"
)

// prepareFor makes a few small tables and prepares a query over them.
func prepareFor(b *testing.B, text string) *sql.Stmt {
	b.Helper()
	db, err := sql.Open("gsql", "")
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	b.Cleanup(func() { db.Close() })
	for _, q := range []string{
		"CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(20), segment INT)",
		"CREATE TABLE orders (id INT PRIMARY KEY, customer INT, day DATE)",
		"CREATE TABLE item (orders INT, part INT, price DECIMAL(12,2))",
		"INSERT INTO customer WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i, CONCAT('c', i), i % 5 FROM n",
		"INSERT INTO orders SELECT id * 3, id, '2024-01-01' FROM customer UNION ALL SELECT id * 3 + 1, id, '2024-02-01' FROM customer",
		"INSERT INTO item SELECT id, id % 100, id / 7 FROM orders",
	} {
		if _, err := db.Exec(q); err != nil {
			b.Fatal(err)
		}
	}
	st, err := db.Prepare(text)
	if err != nil {
		b.Fatal(err)
	}
	return st
}

// queries runs a prepared query with other arguments each time.
func queries(b *testing.B, st *sql.Stmt, args func(i int) []any) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		rows, err := st.Query(args(i)...)
		if err != nil {
			b.Fatal(err)
		}
		for rows.Next() {
		}
		if err := rows.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPointQuery(b *testing.B) {
	st := prepareFor(b, "SELECT name, segment FROM customer WHERE id = ?")
	queries(b, st, func(i int) []any { return []any{i%1000 + 1} })
}

func BenchmarkThreeWayJoin(b *testing.B) {
	st := prepareFor(b, `SELECT c.name, o.day, SUM(i.price) FROM customer c JOIN orders o ON o.customer = c.id JOIN item i ON i.orders = o.id
		WHERE c.id = ? AND i.part < ? GROUP BY c.name, o.day`)
	queries(b, st, func(i int) []any { return []any{i%1000 + 1, 100} })
}
