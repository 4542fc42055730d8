//go:build unix

package cancel_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// endsSoon runs a statement that takes long and cancels it after a while.
func endsSoon(t *testing.T, s *gsql.Session, sql string, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, _, err := s.Exec(ctx, sql)
		done <- err
	}()
	select {
	case err := <-done:
		t.Errorf("%s ended by itself: %v", sql, err)
		return
	case <-time.After(after):
	}
	cancelled := time.Now()
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) && !errors.Is(err, sqlerr.QueryInterrupted) {
			t.Errorf("%s: %v, want that it was cancelled", sql, err)
		}
		t.Logf("%s: %v after the cancel", sql, time.Since(cancelled))
	case <-time.After(time.Minute): // half a second is much
		t.Fatalf("%s goes on after a cancel", sql)
	}
}

// fifo makes a pipe with a name.
func fifo(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("there are no pipes with names here:", err)
	}
	return path
}

func TestReadsThatWaitAreCancelled(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a TEXT, b TEXT)")
	nobody, silent := fifo(t, "nobody.csv"), fifo(t, "silent.csv")
	h, err := os.OpenFile(silent, os.O_RDWR, 0) // a writer who writes nothing
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, path := range []string{nobody, silent} {
		endsSoon(t, s, "LOAD DATA INFILE '"+path+"' INTO TABLE t", 100*time.Millisecond)
		endsSoon(t, s, "IMPORT INTO t FROM '"+path+"'", 100*time.Millisecond)
		endsSoon(t, s, "SELECT * FROM `"+path+"`", 100*time.Millisecond)
	}
	sqltest.Run(t, s, "SET max_execution_time = 50")
	if _, _, err := s.Exec(t.Context(), "LOAD DATA INFILE '"+nobody+"' INTO TABLE t"); !errors.Is(err, sqlerr.QueryTimeout) {
		t.Errorf("with max_execution_time: %v, want error 3024", err)
	}
}

func TestLongReadsAreCancelled(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a TEXT, b TEXT)")
	dir := t.TempDir()
	endless := filepath.Join(dir, "endless.csv")
	if err := os.WriteFile(endless, []byte("a,b\n1,2\n3,"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(endless, 1<<40); err != nil { // zeros without end
		t.Skip("the file system has no sparse files:", err)
	}
	lines := filepath.Join(dir, "lines.csv")
	if err := os.WriteFile(lines, []byte(strings.Repeat("1,\"x\"\n", 40<<20/6)), 0o600); err != nil {
		t.Fatal(err)
	}
	wide := filepath.Join(dir, "wide.csv")
	if err := os.WriteFile(wide, []byte(strings.Repeat(strings.Repeat("1,", 4095)+"1\n", 4000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"LOAD DATA INFILE '" + endless + "' INTO TABLE t FIELDS TERMINATED BY ','",
		"SELECT COUNT(*) FROM `" + endless + "` a",
		"SELECT COUNT(*) FROM `" + lines + "` a WHERE SHA2(CONCAT(c1, c2), 512) = 'x'",
		"SELECT COUNT(c7), SUM(c8), COUNT(DISTINCT c9) FROM `" + wide + "` a JOIN `" + lines + "` b",
	} {
		for _, after := range []time.Duration{10, 50, 250} {
			endsSoon(t, s, sql, after*time.Millisecond)
		}
	}
}

func TestDevicesAreRefused(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a TEXT)")
	for _, path := range []string{"/dev/zero", "/dev/urandom", "/dev/full"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		_, _, err := s.Exec(t.Context(), "LOAD DATA INFILE '"+path+"' INTO TABLE t")
		if !errors.Is(err, sqlerr.ErrorOnRead) || !strings.Contains(err.Error(), "device") {
			t.Errorf("%s: %v, want error 1024", path, err)
		}
	}
}
