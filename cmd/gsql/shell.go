package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"gsql"
	"gsql/cmd/gsql/progress"
	"gsql/cmd/gsql/summary"
	"gsql/cmd/gsql/theme"
	"gsql/cmd/gsql/wrap"
	"gsql/internal/render"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// shell runs statements and dot-commands and shows their results.
type shell struct {
	db       *gsql.DB
	s        *gsql.Session
	in       *os.File
	stdout   *os.File
	out      io.Writer // stdout or the file of .output
	outFile  *os.File  // set by .output
	onceFile *os.File  // set by .once, for the next result
	errw     *os.File
	folder   string // in which the tables are kept; "" is memory

	mode  string
	table string  // of the mode insert; "" is the default
	last  string  // the last statement with a result that can be run again, for .expand and .plot
	color string  // auto, always or never
	theme string  // auto, light or dark
	light bool    // colours are for a light background
	asked bool    // the terminal says that its background is light
	null  *string // text for NULL, or nil for the mode's own
	timer bool
	bail  bool
	// confined is true if --files limits the files that may be used.
	confined bool
	footer   bool // rows and time under tables
	explain  bool // run EXPLAIN before every query
	maxRows  int
	whole    bool // tables are not made to fit the terminal
	widths   []int
	depth    int // of .read within .read
	quit     bool
	// interactive is true if statements are typed at a terminal.
	interactive bool
	delimiter   string  // of the command delimiter; "" is the semicolon
	prompt      string  // of the command .prompt; "" is the default
	pager       *string // command of .pager, "" for none; nil is the default
	// terminated is set once SIGTERM has ended a statement.
	terminated bool
}

func newShell(db *gsql.DB, in, out, errw *os.File) *shell {
	return &shell{db: db, s: db.NewSession(), in: in, stdout: out, out: out, errw: errw, mode: "table", color: "auto", theme: theme.Auto}
}

// batch runs sources one after another and returns the exit status.
func (sh *shell) batch(sources []source) int {
	status := 0
	for _, src := range sources {
		text := src.text
		if src.file {
			content, err := os.ReadFile(src.text)
			if err != nil {
				fmt.Fprintln(sh.errw, "gsql:", err)
				return 1
			}
			text = string(content)
		}
		if !sh.text(text) {
			status = 1
			if sh.bail {
				break
			}
		}
		if sh.quit {
			break
		}
	}
	if err := sh.closeOutput(); err != nil {
		fmt.Fprintln(sh.errw, "gsql:", err)
		return 1
	}
	return status
}

// text runs the statements and commands of a text, where commands are lines between statements that
// begin with a dot, a backslash or a word that commandOf accepts. It reports whether all succeeded.
func (sh *shell) text(text string) bool {
	ok := true
	var pending strings.Builder
	flush := func(last bool) {
		text := pending.String()
		if sh.delimiter != "" && !last {
			return // statements end where their lines do
		}
		pending.Reset()
		var rest string
		rest, ok = sh.statements(text, last, ok)
		pending.WriteString(rest)
	}
	for line := range strings.Lines(text) {
		if command, is := commandOf(line); is && line[0] != ' ' && line[0] != '\t' {
			if flush(false); strings.TrimSpace(pending.String()) == "" {
				if sh.quit || !ok && sh.bail {
					return ok
				}
				pending.Reset()
				ok = sh.dot(command) && ok
				continue
			}
		}
		pending.WriteString(line)
		if sh.delimiter != "" {
			if statement, ends := sh.delimited(pending.String()); ends {
				pending.Reset()
				_, ok = sh.statements(statement, true, ok)
			}
			continue
		}
		if end := strings.TrimSpace(line); strings.HasSuffix(end, `\G`) || strings.HasSuffix(end, `\g`) {
			ended := sh.endVertical(pending.String())
			pending.Reset()
			pending.WriteString(ended)
		}
	}
	flush(true)
	return ok
}

// statements runs the statements of a text and returns the unfinished rest; if last is true, the
// final statement needs no semicolon. ok is false if a statement failed. A SET of sql_mode may
// change where the following statements end.
func (sh *shell) statements(text string, last, ok bool) (rest string, _ bool) {
	mode := sh.s.SQLMode()
	stmts, rest := parse.Split(text, mode)
	if last && rest != "" {
		stmts, rest = append(stmts, parse.Piece{Text: rest, Offset: len(text) - len(rest)}), ""
	}
	for i, p := range stmts {
		if sh.quit || !ok && sh.bail {
			return "", ok
		}
		ok = sh.statement(p.Text) && ok
		if i+1 < len(stmts) && sh.s.SQLMode() != mode {
			return sh.statements(text[stmts[i+1].Offset:], last, ok)
		}
	}
	return rest, ok
}

// endVertical ends a text with a semicolon if its last line ends with \G or \g outside strings and
// comments, which end the statement as in the mysql client. \G stays: it selects the mode.
func (sh *shell) endVertical(text string) string {
	trimmed := strings.TrimSpace(text)
	plain, ok := strings.CutSuffix(trimmed, `\g`)
	switch {
	case ok && !sh.open(plain):
		return plain + ";"
	case strings.HasSuffix(trimmed, `\G`) && !sh.open(text):
		return text + ";"
	}
	return text
}

// statement runs one statement, which Ctrl-C cancels, and reports its error.
func (sh *shell) statement(text string) bool {
	opt := sh.options()
	if rest, ok := strings.CutSuffix(strings.TrimSpace(text), `\G`); ok {
		text, opt.Mode = rest, "vertical"
	}
	floor.fit(sh.s.MemoryLimit())
	ctx, watch := interruptible()
	defer func() {
		if watch.stop() {
			sh.quit, sh.terminated = true, true
		}
	}()
	if sh.explain && isQuery(text) {
		if err := sh.execute(ctx, "EXPLAIN "+text, opt); err != nil {
			sh.fail(err, "EXPLAIN "+text)
			return false
		}
	}
	if err := sh.execute(ctx, text, opt); err != nil {
		sh.fail(err, text)
		return false
	}
	return true
}

func isQuery(text string) bool {
	words := strings.Fields(strings.ToLower(strings.TrimLeft(text, "( \t\n")))
	return len(words) > 0 && (words[0] == "select" || words[0] == "with" || words[0] == "table" || words[0] == "values")
}

// repeats reports whether a statement can be run again to show its result in another way.
func repeats(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text)+" ", func(r rune) bool { return strings.ContainsRune("( \t\r\n;`", r) })
	return len(words) > 0 && slices.Contains([]string{"select", "with", "table", "values", "show", "describe", "desc", "explain", "summarize"}, words[0])
}

func (sh *shell) fail(err error, text string) {
	fmt.Fprintln(sh.errw, wrap.For(sh.errw, sqlerr.Render(err, text)))
	if sh.footer {
		fmt.Fprintln(sh.errw)
	}
}

func (sh *shell) options() render.Options {
	opt := render.Options{Mode: sh.mode, Null: sh.nullText(), MaxRows: sh.maxRows, Widths: sh.widths, Table: sh.table, Dim: sh.dims(), Light: sh.light}
	opt.Color = opt.Dim
	if sh.out == io.Writer(sh.stdout) && sh.onceFile == nil && term.IsTerminal(int(sh.stdout.Fd())) {
		if w, h, err := term.GetSize(int(sh.stdout.Fd())); err == nil && !sh.whole {
			opt.Width, opt.Height = w, h
		}
	} else {
		opt.MaxRows = 0
	}
	return opt
}

// nullText returns the text that displays NULL: an empty field in csv and tsv unless set.
func (sh *shell) nullText() string {
	switch {
	case sh.null != nil:
		return *sh.null
	case sh.mode == "csv" || sh.mode == "tsv":
		return ""
	}
	return "NULL"
}

// execute runs one statement and writes its results.
func (sh *shell) execute(ctx context.Context, text string, opt render.Options) error {
	shown := sh.startProgress(text)
	defer shown.Stop()
	start, statement := time.Now(), text
	var took, earlier time.Duration // of all results; of the statements that SUMMARIZE needs
	if query, ok := summary.Query(text); ok {
		var err error
		if text, err = summary.Statement(ctx, sh.s, query); err != nil {
			return err
		}
		earlier = time.Since(start)
	}
	took = earlier
	rows, err := sh.s.Query(ctx, text)
	for err == nil && rows != nil {
		if err = sh.result(rows, opt, shown, earlier); err != nil {
			return err
		}
		if len(rows.Columns) > 0 && repeats(statement) {
			sh.last = statement
		}
		took += rows.Elapsed() // without the time in which the pager waited
		rows, err = rows.NextResult(ctx)
	}
	if err != nil {
		return err
	}
	shown.Stop()
	if sh.timer {
		fmt.Fprintf(sh.errw, "Time: %s\n", duration(took))
	}
	return nil
}

// progressAfter is how long a statement runs before its progress is shown.
var progressAfter = time.Second

// startProgress begins to show the progress of a statement on standard error, if that is a terminal.
func (sh *shell) startProgress(text string) *progress.Display {
	if !sh.footer || !term.IsTerminal(int(sh.errw.Fd())) {
		return nil
	}
	_, parts := summary.Query(text)
	words := strings.Fields(text)
	parts = parts || len(words) > 0 && strings.EqualFold(words[0], "CALL") // a procedure may run several statements
	commits := sh.folder != "" && !sh.s.InTransaction() && !isQuery(text)
	sh.s.WatchProgress()
	return progress.Start(sh.errw, progress.Options{After: progressAfter, Every: 100 * time.Millisecond, State: sh.s.Progress, Commits: commits, Parts: parts})
}

// result shows a result. Statements that prepared it have taken the time earlier.
func (sh *shell) result(rows *gsql.Rows, opt render.Options, shown *progress.Display, earlier time.Duration) error {
	defer rows.Close()
	if len(rows.Columns) == 0 {
		shown.Stop()
		sh.note(rows)
		return nil
	}
	w, done, err := sh.target(shown)
	if err != nil {
		return err
	}
	if err = sh.write(rows, w, opt, shown, earlier); errors.Is(err, errPagerLeft) {
		err = nil // the user has seen enough
	}
	return errors.Join(err, done())
}

// write writes a result to w, and its footer.
func (sh *shell) write(rows *gsql.Rows, w io.Writer, opt render.Options, shown *progress.Display, earlier time.Duration) error {
	out, err := render.New(w, opt, rows.Columns)
	if err != nil {
		return err
	}
	n := 0
	for {
		b, err := rows.NextBatch()
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		n += b.N
		if err := out.Write(b); err != nil {
			return err
		}
	}
	shown.Stop()
	if err := out.Close(); err != nil {
		return err
	}
	if sh.footer && (opt.Mode == "table" || opt.Mode == "box" || opt.Mode == "vertical" || strings.HasPrefix(opt.Mode, "plot")) {
		_, err = fmt.Fprintf(w, "%s (%s%s)%s\n\n", extent(out, n, len(rows.Columns)), duration(earlier+rows.Elapsed()), deviceNote(rows), sh.warningNote())
	}
	return err
}

// extent describes how large a result is and how much of it was shown.
func extent(w render.Writer, rows, cols int) string {
	text := plural(int64(rows), "row")
	e, ok := w.(render.Elider)
	if !ok {
		return text
	}
	hiddenRows, hiddenCols := e.Hidden()
	if hiddenRows > 0 {
		text += fmt.Sprintf(" (%d shown)", rows-hiddenRows)
	}
	if hiddenCols > 0 {
		text += fmt.Sprintf(", %s (%d shown)", plural(int64(cols), "column"), cols-hiddenCols)
	}
	return text
}

// note prints the outcome of a statement without rows, at a terminal.
func (sh *shell) note(rows *gsql.Rows) {
	if !sh.footer {
		return
	}
	fmt.Fprintf(sh.errw, "OK, %s affected (%s)%s\n", plural(rows.Affected, "row"), duration(rows.Elapsed()), sh.warningNote())
	if rows.Info != "" {
		fmt.Fprintln(sh.errw, rows.Info)
	}
	fmt.Fprintln(sh.errw)
}

// deviceNote names the devices other than the CPU that a query used.
func deviceNote(rows *gsql.Rows) string {
	if devices := rows.Devices(); len(devices) > 0 {
		return " on " + strings.Join(devices, ", ")
	}
	return ""
}

// warningNote returns a footer that mentions the number of warnings in SHOW WARNINGS.
func (sh *shell) warningNote() string {
	note := ""
	if operators := sh.s.Fallbacks(); len(operators) > 0 {
		note = ", on the CPU instead: " + strings.Join(operators, ", ")
	}
	if n := len(sh.s.Warnings()); n > 0 {
		note += ", " + plural(int64(n), "warning") + " (SHOW WARNINGS)"
	}
	return note
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func duration(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1e3)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// target returns where the next result goes, and what to do after it.
func (sh *shell) target(shown *progress.Display) (io.Writer, func() error, error) {
	if f := sh.onceFile; f != nil {
		sh.onceFile = nil
		return f, f.Close, nil
	}
	if w := sh.newPaged(shown); w != nil {
		return w, w.Close, nil
	}
	return shown.Before(sh.out), func() error { return nil }, nil
}

func (sh *shell) closeOutput() error {
	f := sh.outFile
	sh.out, sh.outFile = sh.stdout, nil
	if f == nil {
		return nil
	}
	return f.Close()
}
