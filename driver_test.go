package gsql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"
	"time"

	"gsql"
	"gsql/sql/sqlerr"
)

func open(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("gsql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func mustExec(t *testing.T, db interface {
	Exec(string, ...any) (sql.Result, error)
}, text string, args ...any) sql.Result {
	t.Helper()
	res, err := db.Exec(text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return res
}

func TestDriverRoundTripsEveryType(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, `CREATE TABLE v (i TINYINT, b BIGINT, u BIGINT UNSIGNED, f FLOAT, d DOUBLE, n DECIMAL(20,4), s VARCHAR(20),
		x VARBINARY(8), dt DATE, ts DATETIME(6), tm TIME, yes BOOL)`)
	when := time.Date(2024, 2, 29, 23, 59, 58, 123456000, time.UTC)
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	res := mustExec(t, db, "INSERT INTO v VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
		-128, int64(math.MinInt64), uint64(math.MaxUint64), float32(1.5), math.Pi, "12345678901234.5678", "naïve", []byte{0, 1, 255}, day, when, "-25:00:01", true)
	if n, err := res.RowsAffected(); n != 1 || err != nil {
		t.Errorf("affected %d, %v", n, err)
	}
	mustExec(t, db, "INSERT INTO v (i) VALUES (NULL)")
	rows, err := db.Query("SELECT * FROM v WHERE b IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	want := []any{int64(-128), int64(math.MinInt64), uint64(math.MaxUint64), 1.5, math.Pi, "12345678901234.5678", "naïve", []byte{0, 1, 255}, day, when, "-25:00:01", int64(1)}
	got, ptr := make([]any, len(want)), make([]any, len(want))
	for i := range got {
		ptr[i] = &got[i]
	}
	if !rows.Next() {
		t.Fatal("no row:", rows.Err())
	}
	if err := rows.Scan(ptr...); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("column %d: %#v, want %#v", i, got[i], want[i])
		}
	}
	if rows.Next() {
		t.Error("a second row")
	}
	var nulls int
	if err := db.QueryRow("SELECT COUNT(*) FROM v WHERE i IS NULL AND u IS NULL AND ts IS NULL AND x IS NULL").Scan(&nulls); err != nil || nulls != 1 {
		t.Errorf("%d rows of NULLs, %v", nulls, err)
	}
}

func TestDriverColumnTypes(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE c (a INT NOT NULL, b DECIMAL(12,3), s VARCHAR(7), t TEXT, d DATETIME(3), u INT UNSIGNED)")
	rows, err := db.Query("SELECT a, b, s, t, d, u FROM c")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	cols, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range cols {
		names = append(names, c.DatabaseTypeName())
	}
	if want := []string{"INT", "DECIMAL", "VARCHAR", "TEXT", "DATETIME", "UNSIGNED INT"}; !reflect.DeepEqual(names, want) {
		t.Errorf("type names %v, want %v", names, want)
	}
	if null, ok := cols[0].Nullable(); !ok || null {
		t.Error("a is NOT NULL")
	}
	if p, s, ok := cols[1].DecimalSize(); !ok || p != 12 || s != 3 {
		t.Errorf("decimal size %d, %d, %v", p, s, ok)
	}
	if n, ok := cols[2].Length(); !ok || n != 7 {
		t.Errorf("length %d, %v", n, ok)
	}
	if st := cols[4].ScanType(); st != reflect.TypeFor[time.Time]() {
		t.Errorf("scan type of DATETIME is %v", st)
	}
	if st := cols[5].ScanType(); st != reflect.TypeFor[uint64]() {
		t.Errorf("scan type of INT UNSIGNED is %v", st)
	}
}

func TestDriverPrepareAndMultipleResults(t *testing.T) {
	db := open(t, "")
	st, err := db.Prepare("SELECT ? + ?, ?")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for i := range 3 {
		var sum int
		var text sql.NullString
		if err := st.QueryRow(i, 10, nil).Scan(&sum, &text); err != nil || sum != i+10 || text.Valid {
			t.Errorf("run %d gave %d, %v: %v", i, sum, text, err)
		}
	}
	if _, err := st.Query(1); err == nil {
		t.Error("too few parameters must fail")
	}
	rows, err := db.Query("SELECT 1; SELECT 2, 'x'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var a, b int
	var s string
	if !rows.Next() || rows.Scan(&a) != nil || rows.Next() || !rows.NextResultSet() || !rows.Next() || rows.Scan(&b, &s) != nil || rows.NextResultSet() {
		t.Error("two results expected:", rows.Err())
	}
	if a != 1 || b != 2 || s != "x" {
		t.Errorf("%d %d %q", a, b, s)
	}
}

func TestDriverTransactions(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE t (a INT PRIMARY KEY)")
	count := func() (n int) {
		t.Helper()
		if err := db.QueryRow("SELECT COUNT(*) FROM t").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, tx, "INSERT INTO t VALUES (1), (2)")
	var inside int
	if err := tx.QueryRow("SELECT COUNT(*) FROM t").Scan(&inside); err != nil || inside != 2 {
		t.Errorf("own writes: %d, %v", inside, err)
	}
	if n := count(); n != 0 {
		t.Errorf("others see %d uncommitted rows", n)
	}
	if err := tx.Rollback(); err != nil || count() != 0 {
		t.Errorf("rollback: %v", err)
	}
	tx, err = db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, tx, "INSERT INTO t VALUES (3)")
	if err := tx.Commit(); err != nil || count() != 1 {
		t.Errorf("commit: %v", err)
	}
	_, err = db.Exec("INSERT INTO t VALUES (4), (3)")
	if !errors.Is(err, sqlerr.DupEntry) || count() != 1 {
		t.Errorf("duplicate key: %v, %d rows", err, count())
	}
}

func TestDriverCancel(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE n (a INT)")
	mustExec(t, db, "INSERT INTO n VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)")
	const long = "SELECT COUNT(*) FROM n a, n b, n c, n d, n e, n f, n g, n h, n i, n j, n k WHERE a.a + b.a + c.a + k.a < j.a * 0"
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	var n int
	err := db.QueryRowContext(ctx, long).Scan(&n)
	if err == nil {
		t.Fatal("the query cannot have finished")
	}
	if took := time.Since(start); took > 20*time.Second { // 100 ms on a quiet machine; CI's may be busy
		t.Errorf("cancelled after %v", took)
	}
	mustExec(t, db, "SET max_execution_time = 50")
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.ExecContext(context.Background(), "SET max_execution_time = 50"); err != nil {
		t.Fatal(err)
	}
	if err := c.QueryRowContext(context.Background(), long).Scan(&n); !errors.Is(err, sqlerr.QueryTimeout) {
		t.Errorf("max_execution_time gave %v", err)
	}
}

func TestDriverConcurrentUse(t *testing.T) {
	db := open(t, "?workers=2")
	mustExec(t, db, "CREATE TABLE t (g INT, x INT)")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 20 {
				if _, err := db.Exec("INSERT INTO t VALUES (?, ?)", g, i); err != nil && !errors.Is(err, sqlerr.WriteConflict) {
					t.Error(err)
				}
				var n, sum sql.NullInt64
				if err := db.QueryRow("SELECT COUNT(*), SUM(x) FROM t WHERE g = ?", g).Scan(&n, &sum); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
}

func TestRawGivesTheSession(t *testing.T) {
	db := open(t, "shop?gsql_batch_size=3")
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Raw(func(dc any) error {
		s, err := gsql.SessionOf(dc)
		if err != nil {
			return err
		}
		if s.Database() != "shop" {
			return fmt.Errorf("database %q", s.Database())
		}
		r, err := s.QueryArrow(context.Background(), "SELECT 1 AS one, 'a' AS letter UNION ALL SELECT NULL, 'b'")
		if err != nil {
			return err
		}
		defer r.Release()
		rows := int64(0)
		for r.Next() {
			rows += r.Record().NumRows()
		}
		if rows != 2 || r.Schema().Field(0).Name != "one" {
			return fmt.Errorf("%d rows of %v", rows, r.Schema())
		}
		return r.Err()
	})
	if err != nil {
		t.Error(err)
	}
}

func FuzzDSN(f *testing.F) {
	for _, s := range []string{"", "shop", "a%20b?workers=2&memory_limit=4GB", "?dir=/x&sql_mode=ANSI", "?nope=1", "%", "?workers=-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, dsn string) {
		c, err := gsql.ParseDSN(dsn)
		if err != nil {
			return
		}
		again, err := gsql.ParseDSN(c.FormatDSN())
		if err != nil || !reflect.DeepEqual(c, again) {
			t.Errorf("%q: %+v became %+v (%v) through %q", dsn, c, again, err, c.FormatDSN())
		}
	})
}
