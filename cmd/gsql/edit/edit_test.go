package edit

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hinshun/vt10x"
)

// session is an editor on an emulated terminal.
type session struct {
	t      *testing.T
	editor *Editor
	keys   *io.PipeWriter
	mu     sync.Mutex
	term   vt10x.Terminal
	read   chan string // texts, or errors in brackets
}

// Write implements io.Writer for what the editor shows.
func (s *session) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.Write(b)
}

// open starts an editor of 40 columns and 10 lines. A text ends with a semicolon.
func open(t *testing.T, history string) *session {
	t.Helper()
	from, keys := io.Pipe()
	s := &session{t: t, keys: keys, term: vt10x.New(vt10x.WithSize(40, 10)), read: make(chan string, 1000)}
	none := func() error { return nil }
	var err error
	s.editor, err = New(Options{
		In: from, Out: s, Size: func() (int, int) { return 40, 10 }, History: history, Entries: 5, Raw: none, Restore: none,
		Ends: func(text string) bool { return strings.HasSuffix(text, ";") },
		Complete: func(text []rune, pos int) (endings [][]rune, typed []rune) {
			typed = text[lineStart(text, pos):pos]
			for _, word := range []string{"select", "selected", "sesame", "show"} {
				if rest, ok := strings.CutPrefix(word, string(typed)); ok && rest != "" {
					endings = append(endings, []rune(rest))
				}
			}
			return endings, typed
		},
		Style: func(text []rune, yield func(start, end int, style string)) { yield(0, len(text), "\x1b[1m") },
	})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			text, err := s.editor.Read("> ", ". ")
			if err != nil {
				text = "[" + err.Error() + "]"
			} else {
				_ = s.editor.Remember(text)
			}
			s.read <- text
			if errors.Is(err, io.EOF) {
				return
			}
		}
	}()
	t.Cleanup(func() {
		keys.Close()
		for ended := false; !ended; {
			select {
			case <-s.read:
			case <-done:
				ended = true
			}
		}
		s.editor.Close()
	})
	return s
}

// send types keys.
func (s *session) send(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.t.Fatal(err)
	}
}

// sees waits until the screen ends with lines and the cursor is at a column and a number of lines above the last one.
func (s *session) sees(above, column int, lines ...string) {
	s.t.Helper()
	got := ""
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		s.mu.Lock()
		all, cursor := shownOn(s.term), s.term.Cursor()
		s.mu.Unlock()
		for len(all) > 0 && all[len(all)-1] == "" && len(all)-1 > cursor.Y+above {
			all = all[:len(all)-1]
		}
		got = strings.Join(all, "\n")
		if want := strings.Join(lines, "\n"); (got == want || strings.HasSuffix(got, "\n"+want)) && cursor.Y == len(all)-1-above && cursor.X == column {
			return
		}
	}
	s.t.Fatalf("no %q %d lines above the end, column %d, in\n%s", lines, above, column, got)
}

// gets waits for a text that has been entered.
func (s *session) gets(want string) {
	s.t.Helper()
	select {
	case got := <-s.read:
		if got != want {
			s.t.Fatalf("entered %q, want %q", got, want)
		}
	case <-time.After(15 * time.Second):
		s.t.Fatalf("%q was not entered", want)
	}
}

// The keys that are no characters.
const (
	keyUp, keyDown, keyLeft, keyRight = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"
	ctrlA, ctrlC, ctrlE, ctrlG, ctrlK = "\x01", "\x03", "\x05", "\x07", "\x0b"
	ctrlL, ctrlR, ctrlU, ctrlW, ctrlY = "\x0c", "\x12", "\x15", "\x17", "\x19"
	backspace                         = "\x7f"
)

// TestLines types a statement of several lines, recalls it as typed, edits its lines and enters it.
func TestLines(t *testing.T) {
	s := open(t, "")
	s.send("one -- why\rtwo\rthree;\r")
	s.gets("one -- why\ntwo\nthree;")
	s.sees(0, 2, "> one -- why", ". two", ". three;", ">")
	s.send(keyUp)
	s.sees(0, 8, "> one -- why", ". two", ". three;")
	s.send(keyUp)
	s.sees(1, 5, "> one -- why", ". two", ". three;") // in the line above, which is shorter
	s.send("!" + keyUp + "?")
	s.sees(2, 7, "> one ?-- why", ". two!", ". three;")
	s.send(ctrlA + "<" + ctrlE + ">" + keyDown + ctrlA + keyLeft + backspace) // Left goes to the end of the line above
	s.sees(2, 14, "> <one ?-- why", ". two!", ". three;")
	s.send(keyDown + keyDown + "\r")
	s.gets("<one ?-- why\ntwo!\nthree;")
	s.sees(0, 2, "> <one ?-- why", ". two!", ". three;", ">")
	s.send(keyUp + keyUp + keyUp + keyUp) // through its lines to the entry before
	s.sees(0, 8, "> one -- why", ". two", ". three;")
	s.send(ctrlC)
	s.gets("[interrupted]")
	s.sees(0, 2, "> one -- why", ". two", ". three;^C", ">")
	s.send("half\r")
	s.sees(0, 2, "> half", ".")
	s.send(backspace + ";\r") // the line break is removed at once
	s.gets("half;")
}

// TestKills removes parts of lines and brings them back.
func TestKills(t *testing.T) {
	s := open(t, "")
	s.send("first line\rsecond one\rthird;" + keyUp + ctrlA + ctrlK)
	s.sees(1, 2, "> first line", ".", ". third;")
	s.send(ctrlK)
	s.sees(0, 2, "> first line", ". third;")
	s.send(ctrlY + keyUp + keyUp + strings.Repeat(keyRight, 5) + ctrlU) // brings the line break back
	s.sees(2, 2, ">  line", ".", ". third;")
	s.send(ctrlE + ctrlW + "LINE two" + ctrlA + "\x1bd") // Alt-D
	s.sees(2, 2, ">  two", ".", ". third;")
	s.send(ctrlE + "\x1b\x7f" + "NE") // Alt-Backspace
	s.sees(2, 5, ">  NE", ".", ". third;")
	s.send(ctrlL)
	s.sees(2, 5, ">  NE", ".", ". third;")
	s.send(ctrlE + "\x18\r") // Ctrl-X is no character, and the cursor may be anywhere
	s.gets(" NE\n\nthird;")
}

// TestKeys presses keys that the library does not know, or for which it would end the program: Delete and Ctrl-T where there is
// little to delete or to swap.
func TestKeys(t *testing.T) {
	s := open(t, "")
	s.send("\x1b[3~\x14")
	s.send("a\x14b\x14")
	s.sees(0, 4, "> ba")
	s.send("\x1b[1~\x14\x1b[3~\x1b[4~")
	s.sees(0, 3, "> a")
	s.send(" word;\x1b[1;5Dx\x1b\r")
	s.sees(0, 2, "> a x", ". word;") // Alt-Enter breaks the line of a text that Enter would end
	s.send("\x1b[1;3D\x1b[3~\r")
	s.gets("a \nword;")
}

// TestSearch searches the history for a statement of several lines.
func TestSearch(t *testing.T) {
	s := open(t, "")
	for _, entry := range []string{"alpha\rbeta 1;", "gamma;", "alpha\rbeta 2;"} {
		s.send(entry + "\r")
		s.gets(strings.ReplaceAll(entry, "\r", "\n"))
	}
	s.send("draft" + ctrlR)
	s.sees(1, 7, "> draft", "search in history:")
	s.send("BETA")
	s.sees(1, 2, "> alpha", ". beta 2;", "search in history: BETA")
	s.send(ctrlR)
	s.sees(1, 2, "> alpha", ". beta 1;", "search in history: BETA")
	s.send(ctrlR)
	s.sees(1, 2, "> alpha", ". beta 1;", "not in history: BETA")
	s.send(ctrlG)
	s.sees(0, 7, "> draft")
	s.send(ctrlR + "amm" + ctrlC) // discards the search and not the text
	s.sees(0, 7, "> draft")
	s.send(ctrlR + "ammx" + backspace + "\r")
	s.gets("gamma;")
	s.send(ctrlR + "1" + keyLeft + "2\r")
	s.gets("alpha\nbeta2 1;")
}

// TestPaste pastes several statements at once, with tabs and in two parts, and without the sequences of bracketed paste.
func TestPaste(t *testing.T) {
	s := open(t, "")
	s.send("\x1b[200~a\r\n\tb;\rc -- ")
	s.send("d\x07;\r\x1b[201~")
	s.sees(0, 9, "> a", ".     b;", ". c -- d;")
	s.send("\r")
	s.gets("a\n\tb;\nc -- d;")
	s.send("e\r\tsho\tf;\rg;\r") // tabs complete nothing, as more follows
	s.gets("e\n\tsho\tf;")
	s.gets("g;")
	long := strings.Repeat("0123456789\n", 5000) + ";"
	s.send("\x1b[200~" + long + "\x1b[201~\r")
	s.gets(long)
}

// TestLongerThanTheScreen moves through a text of more lines than the screen has.
func TestLongerThanTheScreen(t *testing.T) {
	s := open(t, "")
	lines := strings.Split(strings.Repeat("line\r", 14)+"end;", "\r")
	for i := range lines[:14] {
		lines[i] += string(rune('a' + i))
	}
	s.send(strings.Join(lines, "\r"))
	s.sees(0, 6, ". linef", ". lineg", ". lineh", ". linei", ". linej", ". linek", ". linel", ". linem", ". linen", ". end;")
	s.send(strings.Repeat(keyUp, 14))
	s.sees(9, 6, "> linea", ". lineb", ". linec", ". lined", ". linee", ". linef", ". lineg", ". lineh", ". linei", ". linej")
	s.send(ctrlK + strings.Repeat(keyDown, 14))
	s.sees(0, 6, ". linef", ". lineg", ". lineh", ". linei", ". linej", ". linek", ". linel", ". linem", ". linen", ". end;")
	s.send("\r")
	lines[0] = "line" // Ctrl-K has removed the rest
	s.gets(strings.Join(lines, "\n"))
	s.sees(0, 2, ". linen", ". end;", ">")
}

// TestCompletion completes a word, lists words, and indents lines.
func TestCompletion(t *testing.T) {
	s := open(t, "")
	s.send("x;" + ctrlA + "\r")
	s.gets("x;")
	s.send("se\t")
	s.sees(0, 4, "select    selected  sesame", "> se")
	s.send("l\t")
	s.sees(0, 8, "> select")
	s.send("\r\t")
	s.sees(0, 6, "> select", ".")
	s.send("sh\t")
	s.sees(0, 8, "> select", ".     sh")
	s.send(backspace + backspace + backspace + "sh\t")
	s.sees(0, 6, "> select", ". show")
	s.send(";\r")
	s.gets("select\nshow;")
	if got := list([][]rune{[]rune("a"), []rune("b"), []rune("c"), []rune("d"), []rune("e")}, "x", 8, 2); got != "xa  xb\nxc  xd\n... and 1 more\n" {
		t.Errorf("listed %q", got)
	}
}

// TestHistoryFile checks that entries survive with their lines, that files of one line an entry are read, and that the oldest
// entries are dropped.
func TestHistoryFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(file, []byte("SELECT 'old\\n';\n\n  .mode csv  \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, file)
	s.send("a\rb;\r")
	s.gets("a\nb;")
	s.send("a\rb;\r") // is not repeated
	s.gets("a\nb;")
	again := open(t, file)
	again.send(keyUp)
	again.sees(0, 4, "> a", ". b;")
	again.send(keyUp + keyUp)
	again.sees(0, 11, "> .mode csv")
	again.send(keyUp)
	again.sees(0, 17, "> SELECT 'old\\n';")
	again.send("\r")
	again.gets("SELECT 'old\\n';")
	for _, entry := range []string{"1;", "2;", "3;"} {
		again.send(entry + "\r")
		again.gets(entry)
	}
	h := newHistory(file, 5)
	if got := strings.Join(h.entries, "|"); got != "a\nb;|SELECT 'old\\n';|1;|2;|3;" {
		t.Errorf("the history is %q", got)
	}
	if content, err := os.ReadFile(file); err != nil || strings.Count(string(content), "\n") != 5 {
		t.Errorf("the file has not been shortened: %q, %v", content, err)
	}
}

// TestRandomKeys types random keys and compares the screen with the text, laid out in another way, whenever the editor has handled them. A
// marker key, typed once, shows when it has.
func TestRandomKeys(t *testing.T) {
	s := open(t, "")
	for _, entry := range []string{"one;", "two\rlines;", strings.Repeat("long ", 12) + "\r" + strings.Repeat("x", 38) + "\r;"} {
		s.send(entry + "\r")
		s.gets(strings.ReplaceAll(entry, "\r", "\n"))
	}
	r := rand.New(rand.NewPCG(11, 12))
	keys := []string{"a", "b ", "word", "x\ry", "\r", "\r\r", keyUp, keyDown, keyLeft, keyLeft + keyLeft, keyRight, backspace, backspace + backspace, ctrlA, ctrlE, ctrlK, ctrlU, ctrlW, ctrlY,
		ctrlL, "\x1bb", "\x1bf", "\x1bd", "\x1b\x7f", "\x04", "\x14", ctrlR + "o" + ctrlR + ctrlG, ctrlR + "li", "\x1b[200~p q\r r\x1b[201~", "\x1b[3~", "\t", "\x18", "\x1b[5~"}
	for n := range 300 {
		var typed strings.Builder
		for range 1 + r.IntN(5) {
			key := keys[r.IntN(len(keys))]
			typed.WriteString(key)
		}
		mark := rune('A' + n%26)
		s.send(strings.ReplaceAll(typed.String(), "\x04", keyLeft+"z"+keyLeft+"\x04") + keyLeft + string(mark)) // Ctrl-D in an empty text would end the input
		if problem := s.settled(mark); problem != "" {
			t.Fatalf("keys %q: %s", typed.String(), problem)
		}
		if n%20 == 19 {
			s.send(ctrlC)
		}
	}
}

// settled waits until the character before the cursor is mark, and returns what is wrong with the screen then.
func (s *session) settled(mark rune) (problem string) {
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		e := s.editor
		e.mu.Lock()
		text, pos, message, row := string(e.text), e.pos, e.message, e.row
		ready := pos > 0 && e.text[pos-1] == mark && !e.stale && message == ""
		s.mu.Lock()
		lines, cursor := shownOn(s.term), s.term.Cursor()
		s.mu.Unlock()
		e.mu.Unlock()
		if !ready {
			problem = "the text is " + strconv.Quote(text)
			continue
		}
		rows, y, x := rowsOf(strings.ReplaceAll(text, "\t", "    "), pos+3*strings.Count(string([]rune(text)[:pos]), "\t"), 40, "> ", ". ")
		top, first := y-row, cursor.Y-row
		if top < 0 || first < 0 || cursor.X != x {
			return fmt.Sprintf("the cursor is at %d,%d, want column %d, in %q at %d", cursor.X, cursor.Y, x, text, pos)
		}
		want := rows[top:min(top+10, len(rows))]
		if got := strings.Join(lines[first:min(first+len(want), 10)], "\n"); got != strings.Join(want, "\n") {
			return fmt.Sprintf("the screen is\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
		return ""
	}
	return problem
}
