package gsql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gsql"
	"gsql/sql/sqlerr"
)

func one[T any](t *testing.T, db interface {
	QueryRow(string, ...any) *sql.Row
}, text string, args ...any) (v T) {
	t.Helper()
	if err := db.QueryRow(text, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestTxReadsItsSnapshot(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE t (a INT PRIMARY KEY, b INT)")
	mustExec(t, db, "INSERT INTO t VALUES (1, 10), (2, 20)")
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if n := one[int](t, tx, "SELECT SUM(b) FROM t"); n != 30 {
		t.Errorf("at the start: %d", n)
	}
	mustExec(t, db, "UPDATE t SET b = 99 WHERE a = 1")
	mustExec(t, db, "INSERT INTO t VALUES (3, 1)")
	if n := one[int](t, tx, "SELECT SUM(b) FROM t"); n != 30 {
		t.Errorf("others' commits show within the transaction: %d, want 30", n)
	}
	mustExec(t, tx, "DELETE FROM t WHERE a = 2")
	if n := one[int](t, tx, "SELECT SUM(b) FROM t"); n != 10 {
		t.Errorf("own deletion: %d, want 10", n)
	}
	if n := one[int](t, db, "SELECT SUM(b) FROM t"); n != 120 {
		t.Errorf("outside: %d, want 120", n)
	}
}

func TestPreparedStatementRunsInTheTransaction(t *testing.T) {
	db := open(t, "")
	db.SetMaxOpenConns(1) // the statement and the transaction share the connection
	mustExec(t, db, "CREATE TABLE t (a INT)")
	st, err := db.Prepare("INSERT INTO t VALUES (?)")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err := st.Exec(1); err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Stmt(st).Exec(2); err != nil {
		t.Fatal(err)
	}
	if n := one[int](t, tx, "SELECT COUNT(*) FROM t"); n != 2 {
		t.Errorf("%d rows within the transaction, want 2", n)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if n := one[int](t, db, "SELECT COUNT(*) FROM t"); n != 1 {
		t.Errorf("%d rows after the rollback, want 1", n)
	}
}

func TestPreparedStatementTakesDifferentTypes(t *testing.T) {
	db := open(t, "")
	st, err := db.Prepare("SELECT ?")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, c := range []struct{ in, want any }{
		{int64(7), int64(7)}, {"x", "x"}, {2.5, 2.5}, {nil, nil}, {uint64(1 << 63), uint64(1 << 63)}, {true, int64(1)}, {int8(-3), int64(-3)},
	} {
		var got any
		if err := st.QueryRow(c.in).Scan(&got); err != nil || got != c.want {
			t.Errorf("%T %v gave %T %v, %v", c.in, c.in, got, got, err)
		}
	}
	var bytes []byte
	if err := st.QueryRow([]byte{0, 255}).Scan(&bytes); err != nil || len(bytes) != 2 || bytes[1] != 255 {
		t.Errorf("[]byte gave %v, %v", bytes, err)
	}
	if _, err := st.Query(struct{}{}); err == nil {
		t.Error("a struct cannot be a parameter")
	}
	if _, err := db.Query("SELECT ?", sql.Named("a", 1)); err == nil {
		t.Error("named parameters must be refused")
	}
}

func TestPooledConnectionsStartAfresh(t *testing.T) {
	db := open(t, "")
	db.SetMaxOpenConns(1)
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"SET @a = 1", "SET gsql_workers = 3", "CREATE DATABASE other", "USE other", "BEGIN", "CREATE TABLE leaked (a INT)", "BEGIN", "INSERT INTO leaked VALUES (1)"} {
		if _, err := c.ExecContext(context.Background(), text); err != nil {
			t.Fatal(text, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	var a sql.NullInt64
	if err := db.QueryRow("SELECT @a").Scan(&a); err != nil || a.Valid {
		t.Errorf("@a is %v, %v", a, err)
	}
	if n := one[int](t, db, "SELECT COUNT(*) FROM other.leaked"); n != 0 {
		t.Error("an open transaction was committed")
	}
	if _, err := db.Exec("SELECT * FROM leaked"); !errors.Is(err, sqlerr.NoSuchTable) {
		t.Errorf("the current database leaked: %v", err)
	}
}

func TestTxOptions(t *testing.T) {
	db := open(t, "")
	for level, ok := range map[sql.IsolationLevel]bool{
		sql.LevelDefault: true, sql.LevelReadUncommitted: true, sql.LevelReadCommitted: true, sql.LevelRepeatableRead: true, sql.LevelSnapshot: true, sql.LevelSerializable: true,
		sql.LevelWriteCommitted: false, sql.LevelLinearizable: false, sql.IsolationLevel(99): false,
	} {
		tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: level})
		if (err == nil) != ok {
			t.Errorf("%s: %v", level, err)
		}
		if err == nil {
			tx.Rollback()
		}
	}
}

func TestReadOnlyTx(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE t (a INT)")
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec("INSERT INTO t VALUES (1)"); !errors.Is(err, sqlerr.ReadOnlyTransaction) {
		t.Errorf("an INSERT in a read-only transaction: %v", err)
	}
	if n := one[int](t, tx, "SELECT COUNT(*) FROM t"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// TestConflicts checks that a transaction that lost a conflict has ended, and that
// statements on their own run again until they win.
func TestConflicts(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE t (a INT PRIMARY KEY, n INT)")
	mustExec(t, db, "INSERT INTO t VALUES (1, 0), (2, 0)")
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	mustExecContext(t, c, "BEGIN")
	mustExecContext(t, c, "UPDATE t SET n = 5 WHERE a = 2")
	mustExec(t, db, "UPDATE t SET n = 1 WHERE a = 1")
	if _, err := c.ExecContext(context.Background(), "UPDATE t SET n = 7, a = 1 WHERE a = 1"); !errors.Is(err, sqlerr.WriteConflict) {
		if _, err = c.ExecContext(context.Background(), "COMMIT"); !errors.Is(err, sqlerr.WriteConflict) {
			t.Errorf("no conflict: %v", err)
		}
	}
	if err := c.Raw(func(d any) error {
		s, err := gsql.SessionOf(d)
		if err == nil && s.InTransaction() {
			t.Error("the transaction goes on")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if n := one[int](t, db, "SELECT SUM(n) FROM t"); n != 1 {
		t.Errorf("the sum is %d, want 1", n)
	}

	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 25 {
				if _, err := db.Exec("UPDATE t SET n = n + 1 WHERE a = 2"); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	if n := one[int](t, db, "SELECT n FROM t WHERE a = 2"); n != 100 {
		t.Errorf("100 increments gave %d", n)
	}
}

// TestConcurrentUpserts counts in rows that several connections make and change at once:
// no increment is lost and no key comes twice.
func TestConcurrentUpserts(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE t (k INT PRIMARY KEY, n INT)")
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 20 {
				text := "INSERT INTO t VALUES (?, 1), (?, 1) ON DUPLICATE KEY UPDATE n = n + VALUES(n)"
				if _, err := db.Exec(text, (g+i)%5, i%3); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	if n := one[int](t, db, "SELECT SUM(n) FROM t"); n != 160 {
		t.Errorf("the sum is %d, want 160", n)
	}
	if n := one[int](t, db, "SELECT COUNT(*) - COUNT(DISTINCT k) FROM t"); n != 0 {
		t.Errorf("%d keys come twice", n)
	}
}

// TestUpdatesEndWhenCancelled cancels an UPDATE of many rows at several moments: it ends
// soon, and nothing has changed.
func TestUpdatesEndWhenCancelled(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE t (a INT PRIMARY KEY, b INT)")
	mustExec(t, db, "INSERT INTO t WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT x.i * 1000 + y.i, 0 FROM n x, n y WHERE y.i <= 400")
	for after := range 6 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(after*after)*2*time.Millisecond)
		start := time.Now()
		_, err := db.ExecContext(ctx, "UPDATE t SET b = 1, a = a + 1000000")
		cancel()
		if took := time.Since(start); took > time.Minute {
			t.Errorf("it took %s", took)
		}
		if err == nil {
			mustExec(t, db, "UPDATE t SET b = 0, a = a - 1000000")
		}
	}
	if n := one[int](t, db, "SELECT SUM(b) + COUNT(*) + (MAX(a) > 1000000) FROM t"); n != 200_000 {
		t.Errorf("what is left of cancelled updates: %d", n)
	}
}

func mustExecContext(t *testing.T, c *sql.Conn, text string) {
	t.Helper()
	if _, err := c.ExecContext(context.Background(), text); err != nil {
		t.Fatal(text, err)
	}
}

func TestCancelledTxRollsBack(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE t (a INT)")
	ctx, cancel := context.WithCancel(context.Background())
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, tx, "INSERT INTO t VALUES (1)")
	cancel()
	if err := tx.Commit(); err == nil {
		t.Error("commit after the cancellation")
	}
	if n := one[int](t, db, "SELECT COUNT(*) FROM t"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func TestLastInsertID(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, s TEXT)")
	for _, c := range []struct {
		text         string
		id, affected int64
	}{
		{"INSERT INTO t (s) VALUES ('a')", 1, 1},
		{"INSERT INTO t (s) VALUES ('b'), ('c')", 2, 2}, // the first of several, as in MySQL
		{"INSERT INTO t VALUES (10, 'd')", 0, 1},
		{"INSERT INTO t (s) VALUES ('e')", 11, 1},
		{"UPDATE t SET s = 'x' WHERE id < 3", 0, 2},
		{"DELETE FROM t", 0, 5},
	} {
		res := mustExec(t, db, c.text)
		id, err := res.LastInsertId()
		n, nerr := res.RowsAffected()
		if err != nil || nerr != nil || n != c.affected || id != c.id {
			t.Errorf("%s: id %d, %d affected, want %d and %d (%v, %v)", c.text, id, n, c.id, c.affected, err, nerr)
		}
	}
}

// TestConcurrentTransfers moves money between accounts in parallel: the sum never
// changes, whichever transactions win.
func TestConcurrentTransfers(t *testing.T) {
	db := open(t, "?workers=2")
	mustExec(t, db, "CREATE TABLE acc (id INT PRIMARY KEY, money INT NOT NULL)")
	for i := range 10 {
		mustExec(t, db, "INSERT INTO acc VALUES (?, 100)", i)
	}
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 15 {
				if err := transfer(db, (g+i)%10, (g*3+i+1)%10); err != nil && !errors.Is(err, sqlerr.WriteConflict) {
					t.Error(err)
				}
				var sum, n int
				if err := db.QueryRow("SELECT SUM(money), COUNT(*) FROM acc").Scan(&sum, &n); err != nil || sum != 1000 || n != 10 {
					t.Errorf("sum %d of %d accounts, %v", sum, n, err)
				}
			}
		}()
	}
	wg.Wait()
}

func transfer(db *sql.DB, from, to int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for id, by := range map[int]int{from: -5, to: 5} {
		if from == to {
			by = 0
		}
		if _, err := tx.Exec("UPDATE acc SET money = money + ? WHERE id = ?", by, id); err != nil {
			return fmt.Errorf("account %d: %w", id, err)
		}
	}
	return tx.Commit()
}
