package transactions_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestNamedLocks has two sessions compete for one lock.
func TestNamedLocks(t *testing.T) {
	a := sqltest.Open(t, gsql.Config{})
	b := a.DB().NewSession()
	defer b.Close()
	get := func(s *gsql.Session, sql string) string { return sqltest.Rows(t, s, sql)[0][0] }
	if got := get(a, "SELECT GET_LOCK('Job', 0)") + get(b, "SELECT GET_LOCK('job', 0)") + get(b, "SELECT RELEASE_LOCK('job')"); got != "100" {
		t.Fatalf("got %s, want 100", got)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := b.Exec(ctx, "DO GET_LOCK('job', -1)"); !errors.Is(err, sqlerr.QueryInterrupted) && !errors.Is(err, sqlerr.QueryTimeout) {
		t.Errorf("a wait that is cancelled: %v", err)
	}
	got := make(chan string)
	go func() { got <- get(b, "SELECT GET_LOCK('job', 60)") }()
	time.Sleep(10 * time.Millisecond)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if x := <-got; x != "1" {
		t.Errorf("after the holder's end: %s", x)
	}
}

// TestTableLocks has two sessions lock one table.
func TestTableLocks(t *testing.T) {
	a := sqltest.Open(t, gsql.Config{})
	b := a.DB().NewSession()
	defer b.Close()
	sqltest.Run(t, a, "CREATE TABLE t (n INT)")
	for _, free := range []string{"UNLOCK TABLES", "START TRANSACTION", "LOCK TABLES t WRITE"} {
		sqltest.Run(t, a, "LOCK TABLES gsql.t WRITE, t WRITE")
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		if _, _, err := b.Exec(ctx, "LOCK TABLES t WRITE"); !errors.Is(err, sqlerr.QueryInterrupted) && !errors.Is(err, sqlerr.QueryTimeout) {
			t.Errorf("a lock that is held: %v", err)
		}
		cancel()
		if free == "LOCK TABLES t WRITE" {
			break
		}
		sqltest.Run(t, a, free)
		sqltest.Run(t, b, "LOCK TABLES t WRITE")
		sqltest.Run(t, b, "UNLOCK TABLES")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	sqltest.Run(t, b, "LOCK TABLES t WRITE")
	if _, _, err := b.Exec(t.Context(), "LOCK TABLES nosuch WRITE"); !errors.Is(err, sqlerr.NoSuchTable) {
		t.Error(err)
	}
}
