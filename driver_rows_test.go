package gsql_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"gsql/sql/sqlerr"
)

// numbers makes a table n of 8 << doublings rows 1, 2, 3, ...
func numbers(t *testing.T, db *sql.DB, doublings int) {
	t.Helper()
	mustExec(t, db, "CREATE TABLE n (a BIGINT)")
	mustExec(t, db, "INSERT INTO n VALUES (1),(2),(3),(4),(5),(6),(7),(8)")
	for range doublings {
		mustExec(t, db, "INSERT INTO n SELECT a + (SELECT MAX(a) FROM n) FROM n")
	}
}

func TestManyRows(t *testing.T) {
	db := open(t, "")
	numbers(t, db, 12)
	rows, err := db.Query("SELECT a, a * 2, CAST(a AS CHAR) FROM n ORDER BY a")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	want := int64(0)
	for rows.Next() {
		want++
		var a, b int64
		var s string
		if err := rows.Scan(&a, &b, &s); err != nil {
			t.Fatal(err)
		}
		if a != want || b != 2*want || len(s) == 0 {
			t.Fatalf("row %d is %d, %d, %q", want, a, b, s)
		}
	}
	if rows.Err() != nil || want != 8<<12 {
		t.Errorf("%d rows, %v", want, rows.Err())
	}
}

func TestCancelWhileReading(t *testing.T) {
	db := open(t, "")
	numbers(t, db, 8)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rows, err := db.QueryContext(ctx, "SELECT x.a FROM n x, n y, n z WHERE x.a + y.a <> z.a") // 8.6e9 rows
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for range 5000 {
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
	}
	cancel()
	start := time.Now()
	for rows.Next() {
	}
	if err := rows.Err(); !errors.Is(err, context.Canceled) && !errors.Is(err, sqlerr.QueryInterrupted) {
		t.Errorf("after the cancellation: %v", err)
	}
	if took := time.Since(start); took > 20*time.Second { // 100 ms on a quiet machine
		t.Errorf("ended %v after the cancellation", took)
	}
}

func TestRowsClosedEarly(t *testing.T) {
	db := open(t, "")
	db.SetMaxOpenConns(1)
	numbers(t, db, 8)
	for range 3 {
		rows, err := db.Query("SELECT x.a FROM n x, n y, n z")
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if !rows.Next() {
				t.Fatal(rows.Err())
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := one[int](t, db, "SELECT COUNT(*) FROM n"); n != 8<<8 {
		t.Errorf("the connection gives %d", n)
	}
}

func TestErrorInTheSecondResult(t *testing.T) {
	db := open(t, "")
	for _, second := range []string{"SELECT nope", "SELECT 9223372036854775807 + 1 FROM (SELECT 1) x"} {
		rows, err := db.Query("SELECT 1; " + second + "; SELECT 3")
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() || rows.Next() || rows.Err() != nil {
			t.Error("the first result is one row:", rows.Err())
		}
		more := rows.NextResultSet() && rows.Next()
		if more || rows.Err() == nil {
			t.Errorf("%s: more %v, %v", second, more, rows.Err())
		}
		rows.Close()
	}
	if _, err := db.Exec("CREATE TABLE a (x INT); INSERT INTO a VALUES (1); INSERT INTO nope VALUES (1); INSERT INTO a VALUES (2)"); !errors.Is(err, sqlerr.NoSuchTable) {
		t.Errorf("third statement: %v", err)
	}
	if n := one[int](t, db, "SELECT COUNT(*) FROM a"); n != 1 {
		t.Errorf("%d rows: statements before the error count, later ones do not", n)
	}
}

func TestErrorsAfterTheFirstRows(t *testing.T) {
	db := open(t, "")
	numbers(t, db, 10)
	rows, err := db.Query("SELECT 9223372036854775807 - 8000 + a FROM n")
	if err != nil {
		if errors.Is(err, sqlerr.DataOutOfRange) {
			return
		}
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
	}
	if !errors.Is(rows.Err(), sqlerr.DataOutOfRange) {
		t.Errorf("overflow in row 8001: %v", rows.Err())
	}
}

func TestScanTargets(t *testing.T) {
	db := open(t, "")
	var d string
	var f float64
	var b bool
	var when time.Time
	var n sql.NullString
	if err := db.QueryRow("SELECT CAST(1.50 AS DECIMAL(5,2)), CAST(2.25 AS DECIMAL(5,2)), 1 = 1, TIMESTAMP '2024-02-29 12:00:00', NULL").Scan(&d, &f, &b, &when, &n); err != nil {
		t.Fatal(err)
	}
	if d != "1.50" || f != 2.25 || !b || !when.Equal(time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)) || n.Valid {
		t.Errorf("%q %v %v %v %v", d, f, b, when, n)
	}
}

func TestStatementsWithoutRows(t *testing.T) {
	db := open(t, "")
	rows, err := db.Query("CREATE TABLE t (a INT)")
	if err != nil {
		t.Fatal(err)
	}
	if cols, err := rows.Columns(); err != nil || len(cols) != 0 || rows.Next() || rows.Close() != nil {
		t.Errorf("columns %v, %v", cols, err)
	}
	if _, err := db.Exec(" ; -- nothing"); !errors.Is(err, sqlerr.EmptyQuery) {
		t.Errorf("empty statement: %v", err)
	}
}
