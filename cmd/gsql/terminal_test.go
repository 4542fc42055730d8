//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is the program in a pseudo-terminal.
type terminal struct {
	t    *testing.T
	file *os.File
	mu   sync.Mutex
	text bytes.Buffer // everything that was written
	read int          // how much of it wait has passed
}

// TestMain runs the program itself where a test has started it.
func TestMain(m *testing.M) {
	if os.Getenv("GSQL_TEST_MAIN") != "" {
		if after, err := time.ParseDuration(os.Getenv("GSQL_TEST_PROGRESS")); err == nil {
			progressAfter = after
		}
		main()
	}
	os.Exit(m.Run())
}

// startTerminal starts the shell in a terminal of 24 lines.
func startTerminal(t *testing.T, env ...string) *terminal {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append([]string{"GSQL_TEST_MAIN=1", "TERM=xterm", "HOME=" + t.TempDir(), "GSQL_HISTORY=", "COLORFGBG=15;0"}, env...)...)
	return inTerminal(t, cmd)
}

// inTerminal starts a program in a terminal of 24 lines.
func inTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, file: f}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 4096)
		for {
			n, err := f.Read(b)
			term.mu.Lock()
			term.text.Write(b[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		<-done
		f.Close()
	})
	return term
}

func (term *terminal) send(text string) {
	term.t.Helper()
	if _, err := term.file.WriteString(text); err != nil {
		term.t.Fatal(err)
	}
}

// wait waits for a text and returns what was written before it.
func (term *terminal) wait(text string) string {
	term.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		term.mu.Lock()
		all := term.text.String()[term.read:]
		if i := strings.Index(all, text); i >= 0 {
			term.read += i + len(text)
			term.mu.Unlock()
			return all[:i]
		}
		term.mu.Unlock()
		if time.Now().After(deadline) {
			term.t.Fatalf("no %q in %q", text, all[max(0, len(all)-500):])
		}
	}
}

func TestTerminal(t *testing.T) {
	rc := filepath.Join(t.TempDir(), "rc")
	if err := os.WriteFile(rc, []byte(".prompt my>\n.nopager\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	term := startTerminal(t, "GSQL_RC="+rc)
	term.wait("my> ")
	term.send("SELECT 40 + 2 AS answer;\r")
	term.wait("│     42 │")
	term.wait("my> ")
	term.send("hello there\r")
	term.wait("ERROR 1064")
	term.wait("my> ")
	term.send("SELECT 1\r")
	term.wait("-> ")
	term.send("\x03") // Ctrl-C discards the statement
	term.wait("my> ")
	term.send("SELECT SLEEP(100) AS x;\r")
	time.Sleep(500 * time.Millisecond)
	term.send("\x03")
	term.wait("ERROR 1317")
	term.wait("my> ")
	term.send(".quit\r")
}

// TestHistoryOfLines recalls a statement of several lines as it was typed, in the same shell, by searching for it in the next one, and
// runs it again.
func TestHistoryOfLines(t *testing.T) {
	history := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(history, []byte("SELECT 'of old times';\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for run, keys := range []string{"\x1b[A", "\x12older\x07\x12FORTY"} {
		term := startTerminal(t, "GSQL_RC=", "GSQL_PAGER=", "NO_COLOR=1", "GSQL_HISTORY="+history)
		term.wait("gsql> ")
		if run == 0 {
			term.send("SELECT 1 -- add; forty\r")
			term.wait("   -> ")
			term.send("  + 41 AS n;\r")
			term.wait("│ 42 │")
			term.wait("gsql> ")
		}
		term.send(keys)
		term.wait("SELECT 1 -- add; forty\r")
		term.wait("   ->   + 41 AS n;")
		term.send("\r")
		term.wait("│ 42 │")
		term.wait("gsql> ")
		term.send("\x1b[200~SELECT 1 AS a;\r.mode csv\rSELECT 2\r  AS b;\r\x1b[201~\r")
		term.wait("b\r\n2\r\n")
		term.send(".quit\r")
	}
	content, err := os.ReadFile(history)
	if err != nil || strings.Count(string(content), "-- add; forty\x1f  + 41 AS n;\n") != 2 || !strings.HasPrefix(string(content), "SELECT 'of old times';\n") {
		t.Errorf("the history is %q, %v", content, err)
	}
}

// TestColors checks that keywords are bold while they are typed and NULL is dim, unless NO_COLOR is set.
func TestColors(t *testing.T) {
	for _, plain := range []bool{false, true} {
		env := []string{"GSQL_RC=", "GSQL_PAGER="}
		if plain {
			env = append(env, "NO_COLOR=1")
		}
		term := startTerminal(t, env...)
		term.wait("gsql> ")
		term.send("SELECT 40 + 2 AS answer, NULL AS nothing;\r")
		before := term.wait("1 row")
		if got := strings.Contains(before, "\x1b[1mSELECT\x1b[0m"); got == plain {
			t.Errorf("keywords are bold: %v, NO_COLOR: %v", got, plain)
		}
		if got := strings.Contains(before, "\x1b[2mNULL\x1b[0m"); got == plain {
			t.Errorf("NULL is dim: %v, NO_COLOR: %v", got, plain)
		}
		term.send(".quit\r")
	}
}

// TestTheme checks that the terminal is asked for its background, that what is typed meanwhile is kept, and that .theme chooses
// other colours.
func TestTheme(t *testing.T) {
	term := startTerminal(t, "GSQL_RC=", "GSQL_PAGER=", "COLORFGBG=")
	term.wait("\x1b]11;?\x1b\\\x1b[c")
	term.send("\x1b]11;rgb:ffff/ffff/ffff\x1b\\.th\x1b[?62c")
	term.wait("gsql> ")
	term.send("eme\r")
	term.wait("auto (light)")
	term.send("SELECT 41;\r")
	if text := term.wait("1 row"); !strings.Contains(text, "\x1b[34m41\x1b[0m") {
		t.Errorf("on a light background: %q", text)
	}
	term.send(".theme dark\r")
	term.wait("gsql> ")
	term.send("SELECT 42;\r")
	if text := term.wait("1 row"); !strings.Contains(text, "\x1b[36m42\x1b[0m") {
		t.Errorf("after .theme dark: %q", text)
	}
	term.send(".theme auto\r.theme\r")
	term.wait("auto (light)")
	term.send(".quit\r")
	silent := startTerminal(t, "GSQL_RC=", "COLORFGBG=") // answers nothing
	silent.wait("gsql> ")
	silent.send(".theme\r")
	silent.wait("auto (dark)")
	silent.send(".quit\r")
}

// TestExpand checks that a table that is too wide leaves out the least informative columns, and that .expand shows all.
func TestExpand(t *testing.T) {
	term := startTerminal(t, "GSQL_RC=", "GSQL_PAGER=", "NO_COLOR=1")
	term.wait("gsql> ")
	wide := "REPEAT('x', 30) AS "
	term.send("SELECT i, " + wide + "dull_one, CONCAT(i, REPEAT('y', 29)) AS told, " + wide + "dull_two, 12345678901234567890 + i AS n, " + wide + "dull_six, NULL AS void, 22345678901234567890 + i AS m, 32345678901234567890 + i AS k FROM (VALUES ROW(1), ROW(2)) AS v(i);\r")
	if text := term.wait("shown)"); !strings.Contains(text, "22345678901234567892") || strings.Contains(text, "│ void") || strings.Contains(text, "│ dull_") {
		t.Errorf("the table that is too wide:\n%s", text)
	}
	term.wait("gsql> ")
	term.send(".expand\r")
	if text := term.wait("2 rows"); !strings.Contains(text, "│ dull_six") || !strings.Contains(text, "│ void") || strings.Contains(text, "…") {
		t.Errorf("the whole table:\n%s", text)
	}
	term.send(".quit\r")
}

// TestPlot checks that .plot draws the last result, as wide as the terminal at most, and says what it needs.
func TestPlot(t *testing.T) {
	term := startTerminal(t, "GSQL_RC=", "GSQL_PAGER=")
	term.wait("gsql> ")
	term.send(".plot\r")
	term.wait("no query has been run yet")
	term.wait("gsql> ")
	term.send("SELECT CHAR(64 + column_0) AS name, column_0 * 10 AS n FROM (VALUES ROW(1), ROW(2)) AS v;\r")
	term.wait("2 rows")
	term.send(".plot\r")
	term.wait("n by name")
	if bars := term.wait("2 rows"); strings.Count(bars, "█") != 95+47 || !strings.Contains(bars, "\x1b[38;5;") { // of 100 columns, five are labels, values and blanks
		t.Errorf("bars: %q", bars)
	}
	term.send(".plot line\r")
	term.wait("needs a first column of numbers")
	term.send(".plot pie\r")
	term.wait("takes one of bar, line, scatter")
	term.send(".quit\r")
}

// TestSignature checks that Tab after a function and its parenthesis shows the signature and keeps what was typed.
func TestSignature(t *testing.T) {
	term := startTerminal(t, "GSQL_RC=", "GSQL_PAGER=", "NO_COLOR=1")
	term.wait("gsql> ")
	term.send("SELECT round(\t")
	term.wait("ROUND(x[, digits])")
	term.send("2.5) AS r;\r")
	term.wait("│ 3 │")
	term.send(".quit\r")
}

// TestProgress checks that a percentage is shown while a query runs, and removed before its result.
func TestProgress(t *testing.T) {
	term := startTerminal(t, "GSQL_RC=", "GSQL_PAGER=", "NO_COLOR=1", "GSQL_TEST_PROGRESS=10ms")
	term.wait("gsql> ")
	term.send("CREATE TABLE n AS WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 1000) SELECT a.i * 1000 + b.i AS i FROM r a, r b WHERE b.i <= 300;\r")
	term.wait("300000 rows")
	term.wait("gsql> ")
	term.send("SELECT MAX(SHA2(REPEAT(i, 120), 512)) AS c FROM n;\r")
	term.wait("% |")
	rest := term.wait("1 row")
	shown, result, ok := strings.Cut(rest, "┌")
	if !ok || !strings.HasSuffix(strings.TrimRight(shown, "\r"), "\x1b[2K") || strings.Contains(result, "%") {
		t.Errorf("the display is not removed before the result: %q", rest)
	}
	term.send(".quit\r")
}

// TestPager checks that results longer than the screen go to the pager, and others do not.
func TestPager(t *testing.T) {
	paged := filepath.Join(t.TempDir(), "paged")
	term := startTerminal(t, "GSQL_RC=", "GSQL_PAGER=cat > "+paged+"; echo paged")
	term.wait("gsql> ")
	term.send("SELECT 1 AS short;\r")
	term.wait("1 row")
	term.wait("gsql> ")
	if _, err := os.Stat(paged); err == nil {
		t.Error("a short result was paged")
	}
	term.send("WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 30) SELECT i AS long_one FROM r;\r")
	term.wait("\npaged")
	term.wait("gsql> ")
	text, err := os.ReadFile(paged)
	if err != nil || strings.Count(string(text), "│\n") != 31 || !strings.Contains(string(text), "30 rows") {
		t.Errorf("%v, the pager got %s", err, text)
	}
	term.send("help\r")
	term.wait("\npaged")
	term.wait("gsql> ")
	if text, err := os.ReadFile(paged); err != nil || !strings.Contains(string(text), "\n.quit  ") {
		t.Errorf("%v, the pager got %s", err, text)
	}
	term.send(".pager true\r")
	term.wait("gsql> ")
	term.send("WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 1000) SELECT a.i FROM r a, r b LIMIT 500000;\r")
	if text := term.wait("gsql> "); strings.Contains(text, "ERROR") || strings.Contains(text, "broken pipe") {
		t.Errorf("a pager that ends at once: %s", text)
	}
	term.send(".mode json\r")
	term.wait("gsql> ")
	term.send("SELECT REPEAT('x', 100000) AS one_line;\r")
	if text := term.wait("gsql> "); strings.Contains(text, "xxxxx") { // the pager is true
		t.Error("a long line was not paged")
	}
	term.send(".mode csv\r")
	term.wait("gsql> ")
	term.send("WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 1000) SELECT a.i FROM r a, r b LIMIT 500000;\r")
	if text := term.wait("gsql> "); strings.Contains(text, "ERROR") || strings.Contains(text, "broken pipe") || strings.Contains(text, "499") {
		t.Errorf("a pager that ends before the result: %.200s", text)
	}
	term.send(".quit\r")
}
