//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignals sends this process what ends statements.
func TestSignals(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "nobody.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("there are no pipes with names here:", err)
	}
	load := "LOAD DATA INFILE '" + pipe + "' INTO TABLE t;"
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		slow   string
		status int
		goesOn bool
	}{
		{"Ctrl-C cancels a load", syscall.SIGINT, load, 1, true},
		{"SIGTERM ends a load and gsql", syscall.SIGTERM, load, statusTerminated, false},
		{"SIGTERM ends a query and gsql", syscall.SIGTERM, "SELECT SLEEP(300);", statusTerminated, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			started := time.Now()
			timer := time.AfterFunc(time.Second, func() { _ = syscall.Kill(syscall.Getpid(), c.signal) })
			defer timer.Stop()
			out, errs, status := gsqlRun(t, "CREATE TABLE t (a INT);\n"+c.slow+"\nSELECT 'on' AS x;\n", "--mode", "csv")
			if took := time.Since(started); took > time.Minute || status != c.status || strings.Contains(out, "on") != c.goesOn {
				t.Errorf("status %d after %v: %s%s", status, took, out, errs)
			}
		})
	}
}
