//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStandardInputAsFile reads standard input, a pipe or a file, as a table, by its contents or by the
// format in the name.
func TestStandardInputAsFile(t *testing.T) {
	for _, c := range []struct{ in, sql, out string }{
		{`{"a":40}{"a":2}`, "SELECT SUM(a) FROM `-`", "42"},
		{"a,b\n40,x\n3,y\n", "SELECT SUM(a) FROM `/dev/stdin`", "43"},
		{"40|x\n4|y\n", "SELECT SUM(c1) FROM `-?delimiter=|&header=no`", "44"},
		{"[1]\n[44]\n", "SELECT SUM(value->'$[0]') FROM `-?format=ndjson`", "45"},
	} {
		path := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(path, []byte(c.in), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, piped := range []bool{true, false} {
			cmd := exec.Command(os.Args[0], "--mode", "csv", "-c", c.sql)
			cmd.Env = append(os.Environ(), "GSQL_TEST_MAIN=1")
			if cmd.Stdin = strings.NewReader(c.in); !piped {
				f, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				cmd.Stdin = f
			}
			out, err := cmd.CombinedOutput()
			if lines := strings.Fields(string(out)); err != nil || len(lines) == 0 || lines[len(lines)-1] != c.out {
				t.Errorf("%s of %q, piped %v: %s, %v", c.sql, c.in, piped, out, err)
			}
		}
	}
}

// TestReaderThatLeaves reads the first lines of a result of a billion rows, in the default mode, and closes the pipe, as head does. The lines
// come before the rows after them exist, and the program ends at once without a complaint.
func TestReaderThatLeaves(t *testing.T) {
	const query = "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 1000) SELECT a.i FROM r a, r b, r c"
	cmd := exec.Command(os.Args[0], "-c", query)
	cmd.Env = append(os.Environ(), "GSQL_TEST_MAIN=1")
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tooLate := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	in := bufio.NewScanner(out)
	var lines []string
	for len(lines) < 4 && in.Scan() {
		lines = append(lines, in.Text())
	}
	out.Close()
	err = cmd.Wait()
	if !tooLate.Stop() || len(lines) < 4 || !strings.Contains(lines[1], "| i") || !strings.HasPrefix(lines[3], "|") || complaints.Len() > 0 {
		t.Errorf("%v, lines %q, %s", err, lines, complaints.String())
	}
}
