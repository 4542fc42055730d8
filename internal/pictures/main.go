//go:build unix

// Pictures makes the pictures of the shell in docs/img, light and dark:
//
//	go run ./internal/pictures [-dir docs/img]
//
// It builds the shell, types the statements of each picture in a pseudo-terminal, reads what the shell writes with an emulated
// terminal (github.com/hinshun/vt10x), and writes the screen as SVG. It must run in the module's folder.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"gsql/sql/sqlerr"
)

// lines is the height of the terminal, so that nothing scrolls away.
const lines = 70

// picture is what is typed for a picture, line by line. The shell has finished a line when it shows a prompt.
type picture struct {
	name, alt string
	columns   int // of the terminal
	typed     []string
}

var pictures = []picture{
	{"shell-query", "a join of a Parquet file with a CSV file in the shell, and the hint for a misspelt column", 96, []string{
		"SELECT a.name, COUNT(*) AS departures, NULLIF(MIN(f.delay), 0) AS best",
		"FROM `testdata/flights.parquet` f JOIN `testdata/airports.csv` a ON f.origin = a.iata",
		"GROUP BY a.iata, a.name ORDER BY departures DESC LIMIT 3;",
		"SELECT iatta FROM `testdata/airports.csv`;",
	}},
	{"shell-plot", "charts in the shell: bars and a line", 96, []string{
		".mode plot",
		"SELECT origin, COUNT(*) AS flights FROM `testdata/flights.parquet`",
		"GROUP BY origin ORDER BY flights DESC LIMIT 5;",
		"SELECT HOUR(date) AS hour, AVG(delay) AS delay FROM `testdata/flights.parquet` GROUP BY 1;",
	}},
	{"shell-summarize", "SUMMARIZE in the shell: types, quartiles and histograms of columns", 150, []string{
		"SUMMARIZE SELECT date, delay, distance FROM `testdata/flights.parquet`;",
	}},
}

func main() {
	dir := flag.String("dir", "docs/img", "where the pictures are written")
	flag.Parse()
	bin := filepath.Join(os.TempDir(), fmt.Sprintf("gsql-pictures-%d", os.Getpid()))
	defer os.Remove(bin)
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd/gsql").CombinedOutput(); err != nil {
		log.Fatalf("%s%v", out, err)
	}
	for _, p := range pictures {
		for _, t := range []*theme{&light, &dark} {
			screen, err := show(bin, p, t)
			if err != nil {
				log.Fatalf("%s: %v", p.name, err)
			}
			if err := os.WriteFile(filepath.Join(*dir, p.name+"-"+t.name+".svg"), []byte(draw(screen, p.alt, t)), 0o644); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// show runs the shell and returns the lines of its screen when everything has been typed.
func show(bin string, p picture, t *theme) ([][]vt10x.Glyph, error) {
	cmd := exec.Command(bin)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "GSQL_RC=", "GSQL_HISTORY=", "GSQL_PAGER=", "NO_COLOR=", "COLORFGBG="+t.environment)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: lines, Cols: uint16(p.columns)})
	if err != nil {
		return nil, err
	}
	defer func() {
		f.Close()
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	}()
	s := &session{screen: vt10x.New(vt10x.WithSize(p.columns, lines)), columns: p.columns}
	go func() { _ = sqlerr.Guard(func() error { return s.read(f) }) }() // it ends with the program
	if err := s.wait("gsql> "); err != nil {
		return nil, err
	}
	for _, line := range p.typed {
		s.mu.Lock()
		s.last = time.Now() // the answer comes later
		s.mu.Unlock()
		if _, err := f.WriteString(line + "\r"); err != nil {
			return nil, err
		}
		prompt := "gsql> "
		if !strings.HasSuffix(line, ";") && line[0] != '.' {
			prompt = "   -> "
		}
		if err := s.wait(prompt); err != nil {
			return nil, err
		}
	}
	return s.lines(), nil
}

// session is a screen that a goroutine writes to.
type session struct {
	columns int
	mu      sync.Mutex
	screen  vt10x.Terminal
	last    time.Time // of the last output or input
}

// dims replaces the sequence for dim text, which the emulated terminal does not know, by that for grey text.
var dims = strings.NewReplacer("\x1b[2m", "\x1b[90m")

func (s *session) read(from io.Reader) error {
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		s.mu.Lock()
		_, _ = s.screen.Write([]byte(dims.Replace(string(buf[:n])))) // it never fails
		s.last = time.Now()
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// wait waits until the line of the cursor begins with a prompt, nothing follows it, and nothing has been written for a while.
func (s *session) wait(prompt string) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		at := s.screen.Cursor()
		ready := time.Since(s.last) > 300*time.Millisecond && at.X == len(prompt) && strings.HasPrefix(text(s.line(at.Y)), strings.TrimRight(prompt, " "))
		s.mu.Unlock()
		if ready {
			return nil
		}
	}
	return fmt.Errorf("no prompt %q", prompt)
}

// line returns a line of the screen without the blanks at its end.
func (s *session) line(y int) []vt10x.Glyph {
	var line []vt10x.Glyph
	for x := range s.columns {
		line = append(line, s.screen.Cell(x, y))
	}
	for len(line) > 0 && (line[len(line)-1].Char == ' ' || line[len(line)-1].Char == 0) {
		line = line[:len(line)-1]
	}
	return line
}

// lines returns the lines of the screen from the first prompt on, without the last prompt.
func (s *session) lines() (all [][]vt10x.Glyph) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for y := range s.screen.Cursor().Y {
		if line := s.line(y); len(all) > 0 || strings.HasPrefix(text(line), "gsql> ") {
			all = append(all, line)
		}
	}
	for len(all) > 0 && len(all[len(all)-1]) == 0 {
		all = all[:len(all)-1]
	}
	return all
}

// text returns the characters of a line.
func text(line []vt10x.Glyph) string {
	var b strings.Builder
	for _, g := range line {
		b.WriteRune(g.Char)
	}
	return b.String()
}
