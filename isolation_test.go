package gsql_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// twoSessions returns two sessions over tables t (1, 50), (2, 50) and log, which is empty.
func twoSessions(t *testing.T) (a, b *gsql.Session) {
	t.Helper()
	a = sqltest.Open(t, gsql.Config{})
	b = a.DB().NewSession()
	t.Cleanup(func() { b.Close() })
	sqltest.Run(t, a, "CREATE TABLE t (a INT PRIMARY KEY, n INT)")
	sqltest.Run(t, a, "INSERT INTO t VALUES (1, 50), (2, 50)")
	sqltest.Run(t, a, "CREATE TABLE log (what TEXT)")
	sqltest.Run(t, a, "CREATE VIEW v AS SELECT SUM(n) AS s FROM t")
	return a, b
}

// TestSerializable has a transaction read, and write elsewhere, while another one changes what it
// read. Only a serializable transaction may notice.
func TestSerializable(t *testing.T) {
	for _, c := range []struct {
		name, read, other string
		conflict          bool
	}{
		{"an aggregate", "SELECT SUM(n) FROM t", "UPDATE t SET n = 0 WHERE a = 2", true},
		{"a phantom", "SELECT * FROM t WHERE a > 10", "INSERT INTO t VALUES (11, 0)", true},
		{"rows that are there", "SELECT EXISTS (SELECT * FROM t WHERE a = 1)", "DELETE FROM t WHERE a = 1", true},
		{"a view", "SELECT s FROM v", "UPDATE t SET n = 0 WHERE a = 2", true},
		{"a view's definition", "SELECT s FROM v", "CREATE OR REPLACE VIEW v AS SELECT 0 AS s", true},
		{"a common table expression", "WITH c AS (SELECT n FROM t) SELECT MAX(n) FROM c", "UPDATE t SET n = 99 WHERE a = 2", true},
		{"a join with itself", "SELECT COUNT(*) FROM t x JOIN t y ON x.n = y.n", "UPDATE t SET n = 99 WHERE a = 2", true},
		{"no table", "DO (SELECT 1)", "UPDATE t SET n = 99 WHERE a = 2", false},
		{"another table", "SELECT COUNT(*) FROM t", "CREATE TABLE u (a INT)", false},
		{"a table dropped and made again", "SELECT COUNT(*) FROM log", "DROP TABLE log; CREATE TABLE log (what TEXT)", true},
		{"a list of tables", "SELECT COUNT(*) FROM information_schema.tables", "CREATE TABLE u (a INT)", true},
		{"a write that reads", "UPDATE log SET what = (SELECT SUM(n) FROM t)", "UPDATE t SET n = 99 WHERE a = 2", true},
		{"an ignored row", "INSERT IGNORE INTO t VALUES (1, 7)", "DELETE FROM t WHERE a = 1", true},
		{"the same table, other rows", "SELECT n FROM t WHERE a = 1", "INSERT INTO t VALUES (3, 0)", true}, // whole tables are checked
		{"a row that is added", "INSERT INTO t VALUES (5, 5)", "INSERT INTO t VALUES (3, 0)", false},
	} {
		for _, serializable := range []bool{true, false} {
			a, b := twoSessions(t)
			if serializable {
				sqltest.Run(t, a, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
			}
			sqltest.Run(t, a, "BEGIN")
			sqltest.Run(t, a, c.read)
			sqltest.Run(t, a, "INSERT INTO log VALUES ('seen')")
			sqltest.Run(t, b, c.other)
			_, _, err := a.Exec(context.Background(), "COMMIT")
			if dropped := strings.HasPrefix(c.other, "DROP"); dropped && !serializable {
				continue // the row has no table
			}
			if got := sqltest.Code(err); (got == sqlerr.WriteConflict) != (c.conflict && serializable) || got != 0 && got != sqlerr.WriteConflict {
				t.Errorf("%s, serializable %v: %v", c.name, serializable, err)
			}
		}
	}
}

// TestSerializableReaders checks that transactions that only read never conflict.
func TestSerializableReaders(t *testing.T) {
	a, b := twoSessions(t)
	sqltest.Run(t, a, "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE")
	sqltest.Run(t, a, "BEGIN")
	for range 3 {
		if got := sqltest.Values(sqltest.Rows(t, a, "SELECT SUM(n) FROM t")); got != "100" {
			t.Errorf("the snapshot has %s", got)
		}
		sqltest.Run(t, b, "UPDATE t SET n = n + 1")
	}
	sqltest.Run(t, a, "COMMIT")
}

// TestSerializablePlansThatServeAgain checks that a query that reuses a cached plan counts as a
// read.
func TestSerializablePlansThatServeAgain(t *testing.T) {
	a, b := twoSessions(t)
	for range 4 {
		sqltest.Rows(t, a, "SELECT SUM(n) FROM t WHERE a < ?", 10)
	}
	sqltest.Run(t, a, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
	sqltest.Run(t, a, "BEGIN")
	sqltest.Rows(t, a, "SELECT SUM(n) FROM t WHERE a < ?", 10)
	sqltest.Run(t, a, "INSERT INTO log VALUES ('seen')")
	sqltest.Run(t, b, "UPDATE t SET n = 0")
	if _, _, err := a.Exec(context.Background(), "COMMIT"); sqltest.Code(err) != sqlerr.WriteConflict {
		t.Errorf("COMMIT: %v", err)
	}
}

// skew runs the classic write skew of two transactions, which begin and end as specified, and
// reports whether the second one lost.
func skew(t *testing.T, a, b *gsql.Session, begin string) bool {
	t.Helper()
	for i, s := range []*gsql.Session{a, b} {
		for _, text := range strings.Split(begin, ";") {
			sqltest.Run(t, s, text)
		}
		if got := sqltest.Values(sqltest.Rows(t, s, "SELECT SUM(n) >= 100 FROM t")); got != "1" {
			t.Fatalf("the sum is not 100: %s", got)
		}
		sqltest.Run(t, s, fmt.Sprintf("UPDATE t SET n = n - 100 WHERE a = %d", i+1))
	}
	sqltest.Run(t, a, "COMMIT")
	_, _, err := b.Exec(context.Background(), "COMMIT")
	if err != nil && sqltest.Code(err) != sqlerr.WriteConflict {
		t.Fatal(err)
	}
	return err != nil
}

// TestIsolationLevels sets the level in every possible way; all must have the same meaning.
func TestIsolationLevels(t *testing.T) {
	names := map[string]sql.IsolationLevel{
		"READ UNCOMMITTED": sql.LevelReadUncommitted, "READ COMMITTED": sql.LevelReadCommitted, "REPEATABLE READ": sql.LevelRepeatableRead, "SERIALIZABLE": sql.LevelSerializable,
	}
	for name, level := range names {
		want, value := name == "SERIALIZABLE", strings.ReplaceAll(name, " ", "-")
		for _, begin := range []string{
			"SET TRANSACTION ISOLATION LEVEL " + name + ";BEGIN",
			"SET SESSION TRANSACTION ISOLATION LEVEL " + name + ";BEGIN",
			"SET SESSION TRANSACTION ISOLATION LEVEL " + name + ", READ WRITE;START TRANSACTION",
			"SET transaction_isolation = '" + value + "';BEGIN",
			"SET @@transaction_isolation = '" + value + "';BEGIN",
			"SET @@session.transaction_isolation = '" + strings.ToLower(value) + "';BEGIN",
			"SET tx_isolation = '" + value + "';SET autocommit = 0",
			"SET TRANSACTION ISOLATION LEVEL " + name + ";BEGIN;COMMIT AND CHAIN",
		} {
			a, b := twoSessions(t)
			if got := skew(t, a, b, begin); got != want {
				t.Errorf("%s: conflict %v", begin, got)
			}
		}
		a, _ := twoSessions(t)
		sqltest.Run(t, a, "SET GLOBAL TRANSACTION ISOLATION LEVEL "+name)
		c, d := a.DB().NewSession(), a.DB().NewSession()
		if got := skew(t, c, d, "BEGIN"); got != want {
			t.Errorf("SET GLOBAL %s: conflict %v", name, got)
		}
		if got := sqltest.Values(sqltest.Rows(t, c, "SELECT @@transaction_isolation, @@global.transaction_isolation")); got != value+","+value {
			t.Errorf("after SET GLOBAL %s the variables are %s", name, got)
		}
		if err := beginSkew(t, level); (sqltest.Code(err) == sqlerr.WriteConflict) != want || err != nil && !want {
			t.Errorf("BeginTx %s: %v", name, err)
		}
	}
	if err := beginSkew(t, sql.LevelSnapshot); err != nil {
		t.Errorf("BeginTx Snapshot: %v", err)
	}
	for _, text := range []string{"SET transaction_isolation = 'CHAOS'", "SET transaction_isolation = NULL", "SET @@transaction_isolation = 'LINEARIZABLE'"} {
		a, _ := twoSessions(t)
		if _, _, err := a.Exec(context.Background(), text); sqltest.Code(err) != sqlerr.WrongValueForVar {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// beginSkew is skew through database/sql; it returns the error of the second Commit.
func beginSkew(t *testing.T, level sql.IsolationLevel) error {
	t.Helper()
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE t (a INT PRIMARY KEY, n INT)")
	mustExec(t, db, "INSERT INTO t VALUES (1, 50), (2, 50)")
	var txs []*sql.Tx
	for i := range 2 {
		tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: level})
		if err != nil {
			t.Fatal(err)
		}
		one[int](t, tx, "SELECT SUM(n) FROM t")
		mustExec(t, tx, "UPDATE t SET n = n - 100 WHERE a = ?", i+1)
		txs = append(txs, tx)
	}
	if err := txs[0].Commit(); err != nil {
		t.Fatal(err)
	}
	return txs[1].Commit()
}

// TestNextTransactionOnly checks how long SET without a scope applies.
func TestNextTransactionOnly(t *testing.T) {
	for _, set := range []string{"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SET @@transaction_isolation = 'SERIALIZABLE'"} {
		a, b := twoSessions(t)
		sqltest.Run(t, a, set)
		sqltest.Run(t, b, set)
		sqltest.Run(t, a, "BEGIN")
		sqltest.Run(t, a, "COMMIT")
		sqltest.Run(t, b, "SELECT * FROM t") // a transaction of its own
		if skew(t, a, b, "BEGIN") {
			t.Errorf("%s outlasts the next transaction", set)
		}
		if got := sqltest.Values(sqltest.Rows(t, a, "SELECT @@transaction_isolation")); got != "REPEATABLE-READ" {
			t.Errorf("%s changes the variable to %s", set, got)
		}
		sqltest.Run(t, a, "BEGIN")
		if _, _, err := a.Exec(context.Background(), set); sqltest.Code(err) != sqlerr.CantChangeTxCharacteristics {
			t.Errorf("%s in a transaction: %v", set, err)
		}
	}
	a, _ := twoSessions(t)
	sqltest.Run(t, a, "SET @@transaction_read_only = 1")
	sqltest.Run(t, a, "BEGIN")
	if _, _, err := a.Exec(context.Background(), "DELETE FROM t"); sqltest.Code(err) != sqlerr.ReadOnlyTransaction {
		t.Errorf("DELETE in a READ ONLY transaction: %v", err)
	}
	if _, err := a.NewAppender(context.Background(), "t"); sqltest.Code(err) != sqlerr.ReadOnlyTransaction {
		t.Errorf("an Appender in a READ ONLY transaction: %v", err)
	}
	sqltest.Run(t, a, "COMMIT")
	sqltest.Run(t, a, "DELETE FROM t")
}

// TestSerializableOrder runs random transactions concurrently, and then reruns those that
// committed, one after another in commit order: each must read the same.
func TestSerializableOrder(t *testing.T) {
	const tables, writers = 3, 4
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		first := sqltest.Open(t, gsql.Config{})
		again := sqltest.Open(t, gsql.Config{})
		for i := range tables {
			for _, s := range []*gsql.Session{first, again} {
				sqltest.Run(t, s, fmt.Sprintf("CREATE TABLE t%d (a INT PRIMARY KEY, n INT)", i))
				sqltest.Run(t, s, fmt.Sprintf("INSERT INTO t%d VALUES (1, 1), (2, 2), (3, 3)", i))
			}
		}
		type step struct{ text, read string }
		var open [writers]*gsql.Session
		var steps [writers][]step
		committed, lost := 0, 0
		for range 150 {
			i := rnd.IntN(writers)
			if open[i] == nil {
				open[i], steps[i] = first.DB().NewSession(), nil
				sqltest.Run(t, open[i], "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
				sqltest.Run(t, open[i], "BEGIN")
			}
			s, from, to := open[i], rnd.IntN(tables), rnd.IntN(tables)
			switch rnd.IntN(5) {
			case 0, 1:
				text := fmt.Sprintf("SELECT COUNT(*), COALESCE(SUM(n * a), 0) FROM t%d WHERE a > %d", from, rnd.IntN(4))
				steps[i] = append(steps[i], step{text, sqltest.Values(sqltest.Rows(t, s, text))})
			case 2, 3:
				text := fmt.Sprintf("UPDATE t%d SET n = n + (SELECT COALESCE(MAX(n), 0) FROM t%d) WHERE a = %d", to, from, 1+rnd.IntN(3))
				if rnd.IntN(2) == 0 {
					text = fmt.Sprintf("INSERT IGNORE INTO t%d SELECT a + %d, n FROM t%d WHERE a < 3", to, 10*rnd.IntN(3), from)
				}
				_, _, err := s.Exec(context.Background(), text)
				switch {
				case sqltest.Code(err) == sqlerr.WriteConflict:
					open[i], lost = nil, lost+1
				case err != nil:
					t.Fatal(text, err)
				default:
					steps[i] = append(steps[i], step{text, ""})
				}
			default:
				_, _, err := s.Exec(context.Background(), "COMMIT")
				open[i] = nil
				if err != nil {
					if sqltest.Code(err) != sqlerr.WriteConflict {
						t.Fatal(err)
					}
					lost++
					continue
				}
				if !slices.ContainsFunc(steps[i], func(st step) bool { return st.read == "" }) {
					continue // it saw an earlier moment
				}
				committed++
				for _, st := range steps[i] {
					if st.read == "" {
						sqltest.Run(t, again, st.text)
					} else if got := sqltest.Values(sqltest.Rows(t, again, st.text)); got != st.read {
						t.Fatalf("seed %d: %s read %s; one after another it reads %s", seed, st.text, st.read, got)
					}
				}
			}
		}
		for i := range tables {
			text := fmt.Sprintf("SELECT * FROM t%d ORDER BY a", i)
			if got, want := sqltest.Lines(sqltest.Rows(t, first, text)), sqltest.Lines(sqltest.Rows(t, again, text)); got != want {
				t.Errorf("seed %d: t%d is\n%s, one after another\n%s", seed, i, got, want)
			}
		}
		if committed == 0 || lost == 0 {
			t.Errorf("seed %d shows nothing: %d transactions won, %d lost", seed, committed, lost)
		}
	}
}
