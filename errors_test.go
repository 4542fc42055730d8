package gsql_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
)

// TestErrorNumbers provokes errors that programs test for, in sessions and by the driver. The
// numbers are MySQL's.
func TestErrorNumbers(t *testing.T) {
	// RAND keeps the planner from a short way to this count of 900^4 rows.
	const slow = "SELECT COUNT(*) FROM u a, u b, u c, u d WHERE a.a + b.a + c.a + d.a < RAND()"
	for _, tt := range []struct {
		text string
		want gsql.Code
		is   int
	}{
		{"SELECT * FROM none", gsql.ErrNoSuchTable, 1146},
		{"SELECT none FROM u", gsql.ErrNoSuchColumn, 1054},
		{"USE none", gsql.ErrNoSuchDatabase, 1049},
		{"SELEC 1", gsql.ErrSyntax, 1064},
		{"CREATE TABLE t (a INT)", gsql.ErrTableExists, 1050},
		{"INSERT INTO t VALUES (1, 1)", gsql.ErrDuplicateKey, 1062},
		{"INSERT INTO t VALUES (2, NULL)", gsql.ErrNotNull, 1048},
		{"INSERT INTO t VALUES (2, 100)", gsql.ErrCheckConstraint, 3819},
		{"SELECT 9223372036854775807 + 1", gsql.ErrOutOfRange, 1690},
		{"START TRANSACTION READ ONLY; INSERT INTO t VALUES (3, 1)", gsql.ErrReadOnly, 1792},
		{"SET gsql_memory_limit = 1; SELECT a FROM u ORDER BY a", gsql.ErrOutOfMemory, 1037},
		{"SET gsql_memory_limit = 65536, gsql_temp_limit = 1; SELECT a.a FROM u a, u b ORDER BY a.a + b.a", gsql.ErrDiskFull, 1021},
		{"SET max_execution_time = 1; " + slow, gsql.ErrTimeout, 3024},
	} {
		s := sqltest.Open(t, gsql.Config{})
		sqltest.Run(t, s, "CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL CHECK (b < 9)); INSERT INTO t VALUES (1, 1); CREATE TABLE u (a INT)")
		sqltest.Run(t, s, "INSERT INTO u WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 900) SELECT x FROM n")
		_, _, err := s.Exec(context.Background(), tt.text)
		var e *gsql.Error
		if !errors.Is(err, tt.want) || !errors.As(err, &e) || int(e.Code) != tt.is {
			t.Errorf("%s: %v, want error %d", tt.text, err, tt.is)
		}
		pool := sql.OpenDB(gsql.NewConnector(s.DB()))
		if _, err := pool.Exec(tt.text); !errors.Is(err, tt.want) {
			t.Errorf("%s by the driver: %v, want error %d", tt.text, err, tt.is)
		}
		pool.Close()
	}
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE u (a INT); INSERT INTO u WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 900) SELECT x FROM n")
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, cancel)
	if _, _, err := s.Exec(ctx, slow); !errors.Is(err, gsql.ErrInterrupted) || int(gsql.ErrInterrupted) != 1317 {
		t.Errorf("a cancelled query: %v", err)
	}
}

// TestConflictNumber lets two transactions change one row.
func TestConflictNumber(t *testing.T) {
	a := sqltest.Open(t, gsql.Config{})
	b := a.DB().NewSession()
	defer b.Close()
	sqltest.Run(t, a, "CREATE TABLE t (a INT PRIMARY KEY, b INT); INSERT INTO t VALUES (1, 1); BEGIN; UPDATE t SET b = 2")
	sqltest.Run(t, b, "BEGIN; UPDATE t SET b = 3; COMMIT")
	if _, _, err := a.Exec(context.Background(), "COMMIT"); !errors.Is(err, gsql.ErrConflict) || int(gsql.ErrConflict) != 1213 {
		t.Errorf("the second commit: %v", err)
	}
}
