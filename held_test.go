package gsql_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// loseConflict makes tx lose a conflict over row 1 of t (a INT PRIMARY KEY, n INT).
func loseConflict(t *testing.T, db *sql.DB, tx *sql.Tx) {
	t.Helper()
	mustExec(t, tx, "UPDATE t SET n = n + 1 WHERE a = 1")
	mustExec(t, db, "UPDATE t SET n = n + 10, a = 3 WHERE a = 1")
	mustExec(t, db, "INSERT INTO t VALUES (1, 50)")
	if _, err := tx.Exec("INSERT INTO t VALUES (1, 2)"); !errors.Is(err, sqlerr.WriteConflict) {
		t.Fatalf("no conflict: %v", err)
	}
}

func openTable(t *testing.T) *sql.DB {
	t.Helper()
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE t (a INT PRIMARY KEY, n INT)")
	mustExec(t, db, "INSERT INTO t VALUES (1, 0), (2, 0)")
	return db
}

// TestTxFailsAfterAConflict checks that no statement of a sql.Tx commits by itself once the
// transaction was rolled back.
func TestTxFailsAfterAConflict(t *testing.T) {
	db := openTable(t)
	sum := func() int { return one[int](t, db, "SELECT SUM(n) FROM t") }
	for _, commit := range []bool{false, true} {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		mustExec(t, tx, "UPDATE t SET n = n + 1000 WHERE a = 2")
		st, err := tx.Prepare("UPDATE t SET n = n + 1000 WHERE a = ?")
		if err != nil {
			t.Fatal(err)
		}
		loseConflict(t, db, tx)
		want := sum()
		for _, text := range []string{
			"UPDATE t SET n = n + 1000", "INSERT INTO t VALUES (77, 1000)", "SELECT 1", "SELECT n FROM t", "CREATE TABLE u (a INT)", "COMMIT", "BEGIN",
			"SAVEPOINT s", "ROLLBACK TO SAVEPOINT s", "SET @a = 1", "SET autocommit = 1", "LOCK TABLES t WRITE",
		} {
			if _, err := tx.Exec(text); !errors.Is(err, sqlerr.WriteConflict) {
				t.Errorf("%s: %v", text, err)
			}
		}
		if _, err := st.Exec(2); !errors.Is(err, sqlerr.WriteConflict) {
			t.Errorf("a prepared statement: %v", err)
		}
		if rows, err := tx.Query("SELECT * FROM t"); !errors.Is(err, sqlerr.WriteConflict) {
			t.Errorf("a query: %v", err)
			rows.Close()
		}
		if commit {
			if err := tx.Commit(); !errors.Is(err, sqlerr.WriteConflict) {
				t.Errorf("Commit: %v", err)
			}
		} else if err := tx.Rollback(); err != nil {
			t.Errorf("Rollback: %v", err)
		}
		if got := sum(); got != want {
			t.Errorf("after the transaction the sum is %d, not %d", got, want)
		}
		mustExec(t, db, "DELETE FROM t WHERE a = 1")
		mustExec(t, db, "UPDATE t SET a = 1 WHERE a = 3")
	}
}

// TestTxGoesOnAfterRollbackInSQL checks that ROLLBACK in SQL clears the state after a conflict, and
// that later statements belong to the sql.Tx again.
func TestTxGoesOnAfterRollbackInSQL(t *testing.T) {
	db := openTable(t)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	loseConflict(t, db, tx)
	mustExec(t, tx, "ROLLBACK")
	mustExec(t, tx, "INSERT INTO t VALUES (9, 9)")
	if n := one[int](t, db, "SELECT COUNT(*) FROM t WHERE a = 9"); n != 0 {
		t.Error("the row was committed by itself")
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if n := one[int](t, db, "SELECT COUNT(*) FROM t WHERE a = 9"); n != 1 {
		t.Error("the row was not committed")
	}
}

// TestTxConnAfterAConflict checks that a connection that the caller has reserved is usable again
// after the transaction.
func TestTxConnAfterAConflict(t *testing.T) {
	db, ctx := openTable(t), context.Background()
	c, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, end := range []func(*sql.Tx) error{(*sql.Tx).Rollback, (*sql.Tx).Commit} {
		tx, err := c.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		loseConflict(t, db, tx)
		_ = end(tx) // Commit fails: see TestTxFailsAfterAConflict
		mustExecContext(t, c, "DELETE FROM t WHERE a = 1")
		mustExecContext(t, c, "UPDATE t SET a = 1 WHERE a = 3")
		if n := one[int](t, db, "SELECT COUNT(*) FROM t WHERE a = 1"); n != 1 {
			t.Error("statements of the connection do not commit by themselves")
		}
	}
}

// TestTxImplicitCommits checks that statements after an implicit commit, which behaves as in MySQL,
// form one transaction instead of committing individually.
func TestTxImplicitCommits(t *testing.T) {
	for _, ends := range []string{"CREATE TABLE u (a INT)", "TRUNCATE TABLE w", "COMMIT", "BEGIN", "LOCK TABLES w WRITE", "SET autocommit = 1"} {
		db := openTable(t)
		mustExec(t, db, "CREATE TABLE w (a INT)")
		tx, err := db.BeginTx(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		mustExec(t, tx, "UPDATE t SET n = 1 WHERE a = 1")
		mustExec(t, tx, ends)
		if n := one[int](t, db, "SELECT SUM(n) FROM t"); n != 1 {
			t.Errorf("%s: not committed", ends)
		}
		mustExec(t, tx, "UPDATE t SET n = 100 WHERE a = 1")
		mustExec(t, tx, "UPDATE t SET n = 100 WHERE a = 2")
		if n := one[int](t, db, "SELECT SUM(n) FROM t"); n != 1 {
			t.Errorf("%s: a later statement was committed by itself", ends)
		}
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
		if n := one[int](t, db, "SELECT SUM(n) FROM t"); n != 1 {
			t.Errorf("%s: later statements are not rolled back", ends)
		}
	}
}

// TestReadOnlyTxStaysSo checks that an implicit commit does not make a transaction writable.
func TestReadOnlyTxStaysSo(t *testing.T) {
	db := openTable(t)
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	mustExec(t, tx, "COMMIT")
	for _, text := range []string{"INSERT INTO t VALUES (5, 5)", "CREATE TABLE u (a INT)"} {
		if _, err := tx.Exec(text); !errors.Is(err, sqlerr.ReadOnlyTransaction) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestTxConflictAtImplicitCommit checks a conflict that a statement of the sql.Tx meets when it
// commits implicitly.
func TestTxConflictAtImplicitCommit(t *testing.T) {
	db := openTable(t)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, tx, "UPDATE t SET n = 7 WHERE a = 1")
	mustExec(t, db, "UPDATE t SET n = 8 WHERE a = 1")
	if _, err := tx.Exec("CREATE TABLE u (a INT)"); !errors.Is(err, sqlerr.WriteConflict) {
		t.Errorf("CREATE TABLE: %v", err)
	}
	if _, err := tx.Exec("INSERT INTO t VALUES (5, 5)"); !errors.Is(err, sqlerr.WriteConflict) {
		t.Errorf("INSERT: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
}

// TestTxOfAKilledSession checks that Rollback succeeds and that nothing was committed.
func TestTxOfAKilledSession(t *testing.T) {
	db := openTable(t)
	for _, commit := range []bool{false, true} {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		mustExec(t, tx, "UPDATE t SET n = 7 WHERE a = 1")
		mustExec(t, db, "KILL "+one[string](t, tx, "SELECT CONNECTION_ID()"))
		if _, err := tx.Exec("UPDATE t SET n = 8 WHERE a = 2"); !errors.Is(err, sqlerr.SessionWasKilled) {
			t.Errorf("a statement: %v", err)
		}
		if !commit {
			err = tx.Rollback()
		} else if err = tx.Commit(); errors.Is(err, sqlerr.SessionWasKilled) {
			err = nil
		} else {
			t.Errorf("Commit: %v", err)
		}
		if err != nil {
			t.Errorf("Rollback: %v", err)
		}
		if n := one[int](t, db, "SELECT SUM(n) FROM t"); n != 0 {
			t.Errorf("the sum is %d", n)
		}
	}
}

// TestTxCancelledStatement checks that a cancelled statement leaves no trace in its transaction,
// which continues.
func TestTxCancelledStatement(t *testing.T) {
	db := openTable(t)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, tx, "UPDATE t SET n = 1 WHERE a = 1")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tx.ExecContext(ctx, "UPDATE t SET n = 100 WHERE a = 2"); err == nil {
		t.Error("the statement ran")
	}
	mustExec(t, tx, "UPDATE t SET n = n + 2 WHERE a = 2")
	if n := one[int](t, db, "SELECT SUM(n) FROM t"); n != 0 {
		t.Errorf("%d is committed before Commit", n)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if n := one[int](t, db, "SELECT SUM(n) FROM t"); n != 3 {
		t.Errorf("the sum is %d, want 3", n)
	}
}

// TestSessionsGoOnAfterAConflict checks MySQL's rule for transactions in SQL: error 1213 ends them,
// and later statements commit individually again.
func TestSessionsGoOnAfterAConflict(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	other := s.DB().NewSession()
	defer other.Close()
	sqltest.Run(t, s, "CREATE TABLE t (a INT PRIMARY KEY, n INT)")
	sqltest.Run(t, s, "INSERT INTO t VALUES (1, 0), (2, 0)")
	sqltest.Run(t, s, "START TRANSACTION")
	sqltest.Run(t, s, "UPDATE t SET n = 1 WHERE a = 2")
	sqltest.Run(t, s, "DELETE FROM t WHERE a = 1")
	sqltest.Run(t, other, "UPDATE t SET n = 5 WHERE a = 1")
	if _, _, err := s.Exec(context.Background(), "INSERT INTO t VALUES (1, 1)"); sqltest.Code(err) != sqlerr.WriteConflict || sqlerr.From(err).Hint == "" {
		t.Fatalf("no conflict: %v", err)
	}
	if s.InTransaction() {
		t.Error("the transaction goes on")
	}
	if got := sqltest.Lines(sqltest.Rows(t, s, "SHOW WARNINGS")); got == "" {
		t.Error("SHOW WARNINGS does not show the error")
	}
	sqltest.Run(t, s, "UPDATE t SET n = n + 10 WHERE a = 2")
	sqltest.Run(t, s, "ROLLBACK")
	if got := sqltest.Values(sqltest.Rows(t, other, "SELECT n FROM t ORDER BY a")); got != "5,10" {
		t.Errorf("the rows are %s, want 5,10", got)
	}
}
