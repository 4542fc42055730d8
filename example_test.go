package gsql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"

	"gsql"
)

func Example() {
	ctx := context.Background()
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	s := db.NewSession()
	defer s.Close()
	rows, err := s.Query(ctx, "SELECT state, COUNT(*) AS airports FROM `testdata/airports.csv` GROUP BY state ORDER BY airports DESC LIMIT 2")
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row...)
	}
	// Output:
	// AK 263
	// TX 209
}

func Example_databaseSQL() {
	db, err := sql.Open("gsql", "shop?memory_limit=1GB")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE items (id INT PRIMARY KEY, price DECIMAL(8,2)); INSERT INTO items VALUES (1, 9.99), (2, 20)"); err != nil {
		log.Fatal(err)
	}
	var total string
	if err := db.QueryRow("SELECT SUM(price) FROM items WHERE price > ?", 5).Scan(&total); err != nil {
		log.Fatal(err)
	}
	fmt.Println(total)
	// Output: 29.99
}

func ExampleSession_NewAppender() {
	ctx := context.Background()
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	s := db.NewSession()
	defer s.Close()
	if _, _, err := s.Exec(ctx, "CREATE TABLE points (x INT, y DOUBLE)"); err != nil {
		log.Fatal(err)
	}
	a, err := s.NewAppender(ctx, "points")
	if err != nil {
		log.Fatal(err)
	}
	for i := range 3 {
		if err := a.AppendRow(i, float64(i)/2); err != nil {
			log.Fatal(err)
		}
	}
	n, err := a.Close(ctx)
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExampleError() {
	db, err := sql.Open("gsql", "")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE t (a INT PRIMARY KEY); INSERT INTO t VALUES (1)"); err != nil {
		log.Fatal(err)
	}
	_, err = db.Exec("INSERT INTO t VALUES (1)")
	fmt.Println(errors.Is(err, gsql.ErrDuplicateKey))

	_, err = db.Query("SELECT a FROM u")
	var e *gsql.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code == gsql.ErrNoSuchTable, int(e.Code), e.Code.State(), e.Pos)
	}
	// Output:
	// true
	// true 1146 42S02 14
}
