package gsql_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestKill has one session end another session's statement, and then that session itself.
func TestKill(t *testing.T) {
	db := sqltest.Open(t, gsql.Config{}).DB()
	victim, other := db.NewSession(), db.NewSession()
	defer victim.Close()
	defer other.Close()
	id := sqltest.Rows(t, victim, "SELECT CONNECTION_ID()")[0][0]
	for _, c := range []struct {
		kill string
		next error // of the victim's next statement
	}{{"KILL QUERY ", nil}, {"KILL ", sqlerr.SessionWasKilled}} {
		done := make(chan error)
		go func() {
			_, _, err := victim.Exec(context.Background(), "DO SLEEP(60)")
			done <- err
		}()
		waitFor(t, func() bool {
			rows := sqltest.Rows(t, other, "SELECT command, db, info FROM information_schema.processlist WHERE id = "+id)
			return len(rows) == 1 && rows[0][0] == "Query" && rows[0][1] == "gsql" && rows[0][2] == "DO SLEEP(60)"
		})
		sqltest.Run(t, other, c.kill+id)
		if err := <-done; !errors.Is(err, sqlerr.QueryInterrupted) {
			t.Fatalf("%s: the statement ended with %v", c.kill, err)
		}
		if _, _, err := victim.Exec(context.Background(), "SELECT 1"); !errors.Is(err, c.next) {
			t.Fatalf("%s: the next statement gave %v", c.kill, err)
		}
	}
	if _, _, err := other.Exec(context.Background(), "KILL QUERY "+sqltest.Rows(t, other, "SELECT CONNECTION_ID()")[0][0]); !errors.Is(err, sqlerr.QueryInterrupted) {
		t.Error("its own statement is killed too:", err)
	}
}

// TestKillFreesLocks kills sessions that hold locks of GET_LOCK and LOCK TABLES. As when a
// connection ends, the locks are released: at once if the session is idle, otherwise when its
// statement has ended. KILL QUERY keeps them.
func TestKillFreesLocks(t *testing.T) {
	db := sqltest.Open(t, gsql.Config{}).DB()
	other := db.NewSession()
	defer other.Close()
	sqltest.Run(t, other, "CREATE TABLE t (x INT)")
	for _, busy := range []bool{false, true} {
		victim := db.NewSession()
		defer victim.Close()
		id := sqltest.Rows(t, victim, "SELECT CONNECTION_ID()")[0][0]
		sqltest.Run(t, victim, "LOCK TABLES t WRITE")
		sqltest.Run(t, victim, "DO GET_LOCK('a', 0), GET_LOCK('a', 0)")
		sqltest.Run(t, other, "KILL QUERY "+id)
		if got := sqltest.Rows(t, other, "SELECT IS_USED_LOCK('a')")[0][0]; got != id {
			t.Errorf("busy %v: after KILL QUERY the lock is held by %s", busy, got)
		}
		done := make(chan error, 1)
		if busy {
			go func() {
				_, _, err := victim.Exec(context.Background(), "DO SLEEP(600)")
				done <- err
			}()
			waitFor(t, func() bool {
				return len(sqltest.Rows(t, other, "SELECT 1 FROM information_schema.processlist WHERE info = 'DO SLEEP(600)'")) == 1
			})
		}
		sqltest.Run(t, other, "KILL "+id)
		if busy {
			if err := <-done; !errors.Is(err, sqlerr.QueryInterrupted) {
				t.Errorf("the statement ended with %v", err)
			}
		}
		if got := sqltest.Rows(t, other, "SELECT GET_LOCK('a', 0)")[0][0]; got != "1" {
			t.Errorf("busy %v: GET_LOCK gives %s", busy, got)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // a locked table would make this wait
		if _, _, err := other.Exec(ctx, "LOCK TABLES t WRITE"); err != nil {
			t.Errorf("busy %v: LOCK TABLES gives %v", busy, err)
		}
		cancel()
		sqltest.Run(t, other, "UNLOCK TABLES")
		sqltest.Run(t, other, "DO RELEASE_LOCK('a')")
	}
}

func waitFor(t *testing.T, ready func() bool) {
	t.Helper()
	for range 60_000 {
		if ready() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("waited in vain")
}

// TestSessionsNeedNotBeClosed creates unreferenced sessions; the list of processes must not keep
// them alive.
func TestSessionsNeedNotBeClosed(t *testing.T) {
	db := sqltest.Open(t, gsql.Config{}).DB()
	s := db.NewSession()
	defer s.Close()
	for range 50 {
		db.NewSession()
	}
	closed := db.NewSession()
	closed.Close()
	waitFor(t, func() bool {
		runtime.GC()
		return fmt.Sprint(sqltest.Rows(t, s, "SELECT COUNT(*) FROM information_schema.processlist")) == "[[2]]"
	})
}

// TestSetGlobal has a session change the initial values of later ones.
func TestSetGlobal(t *testing.T) {
	db := sqltest.Open(t, gsql.Config{Variables: map[string]string{"max_execution_time": "5000"}}).DB()
	first := db.NewSession()
	defer first.Close()
	sqltest.Run(t, first, "SET GLOBAL group_concat_max_len = 99, @@global.max_execution_time = 7000")
	second := db.NewSession()
	defer second.Close()
	const read = "SELECT @@group_concat_max_len, @@max_execution_time, @@global.max_execution_time"
	if got := fmt.Sprint(sqltest.Rows(t, first, read)); got != "[[1048576 5000 7000]]" {
		t.Error("the session that said it:", got)
	}
	if got := fmt.Sprint(sqltest.Rows(t, second, read)); got != "[[99 7000 7000]]" {
		t.Error("a later one:", got)
	}
}
