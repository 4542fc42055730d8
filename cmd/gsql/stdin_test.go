//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
