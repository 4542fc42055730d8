package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"gsql/cmd/gsql/signature"
	"gsql/cmd/gsql/theme"
	"gsql/cmd/gsql/wrap"
	"gsql/internal/render"
	"gsql/internal/render/plot"
	"gsql/internal/suggest"
	"gsql/sql/catalog"
)

// command is a dot-command.
type command struct {
	args string
	help string
	run  func(sh *shell, args []string) error
	// complete returns the possible arguments; nil completes the names of files.
	complete func(sh *shell) []string
}

var commands map[string]command

func init() {
	commands = map[string]command{
		".help":      {"[WORD]", "list commands, or those and functions about a word", dotHelp, dotNamesOf},
		".tables":    {"[PATTERN]", "list tables and views, or those LIKE the pattern", dotTables, tableNames},
		".schema":    {"[TABLE]", "show CREATE statements", dotSchema, tableNames},
		".mode":      {"[MODE [TABLE]]", "set the form of results, or list all forms", dotMode, oneOf(render.Modes...)},
		".color":     {"auto|always|never", "colour input and dim NULLs", dotColor, oneOf(colors...)},
		".theme":     {"[auto|light|dark]", "use colours for a light or a dark background", dotTheme, oneOf(theme.Names...)},
		".expand":    {"", "run the last query again and show its whole result", dotExpand, nothing},
		".plot":      {"[bar|line|scatter]", "run the last query again and draw a chart of it", dotPlot, oneOf(plot.Kinds...)},
		".timer":     {"on|off", "print the time that each statement takes", toggle(func(sh *shell) *bool { return &sh.timer }), onOff},
		".bail":      {"on|off", "stop at the first error", toggle(func(sh *shell) *bool { return &sh.bail }), onOff},
		".footer":    {"on|off", "show rows and time below results", toggle(func(sh *shell) *bool { return &sh.footer }), onOff},
		".explain":   {"on|off", "show the plan before every query", toggle(func(sh *shell) *bool { return &sh.explain }), onOff},
		".read":      {"FILE", "run the statements of a file", dotRead, nil},
		".import":    {"FILE TABLE", "load a file into a table, creating it if missing", dotImport, nil},
		".output":    {"[FILE]", "send results to a file, or back to the screen", dotOutput, nil},
		".once":      {"FILE", "send the next result to a file", dotOnce, nil},
		".nullvalue": {"TEXT", "set how NULL is shown", dotNullValue, nothing},
		".width":     {"[N]...", "set the widths of the first columns, 0 for automatic", dotWidth, nothing},
		".maxrows":   {"N", "set how many rows a table shows, 0 for all", dotMaxRows, nothing},
		".databases": {"", "list databases", func(sh *shell, _ []string) error { return sh.sql("SHOW DATABASES") }, nothing},
		".devices":   {"", "list the processors and GPUs of this machine", dotDevices, nothing},
		".device":    {"[auto|cpu|gpu|sim]", "set where operators may run", dotDevice, oneOf("auto", "cpu", "gpu", "sim")},
		".pager":     {"[COMMAND|on|off]", "set the program that shows long results", dotPager, onOff},
		".nopager":   {"", "write results to the screen without a pager", dotNoPager, nothing},
		".prompt":    {`[TEXT]`, `set the prompt: \d is the database, \f its folder`, dotPrompt, nothing},
		".delimiter": {"[TEXT]", "end statements with this text at the end of a line", dotDelimiter, nothing},
		".shell":     {"COMMAND", "run a command of the operating system", dotShell, nil},
		".status":    {"", "show the program, the database and the device", dotStatus, nothing},
		".clear":     {"", "clear the screen", dotClear, nothing},
		".show":      {"", "show the settings of this shell", dotShow, nothing},
		".quit":      {"", "leave the shell", func(sh *shell, _ []string) error { sh.quit = true; return nil }, nothing},
		".exit":      {"", "leave the shell", func(sh *shell, _ []string) error { sh.quit = true; return nil }, nothing},
	}
}

func dotNamesOf(*shell) []string { return dotNames() }

func dotNames() []string {
	out := make([]string, 0, len(commands))
	for name := range commands {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// dot runs a dot-command line and reports whether it succeeded.
func (sh *shell) dot(line string) bool {
	fields := strings.Fields(strings.TrimSuffix(line, ";"))
	if name, ok := otherNames[fields[0]]; ok {
		fields[0] = name
	}
	c, ok := commands[fields[0]]
	if !ok && fields[0][0] == '\\' {
		fmt.Fprintf(sh.errw, "gsql: unknown command %s; commands begin with a dot (.help lists them)\n", fields[0])
		return false
	}
	if !ok {
		fmt.Fprintf(sh.errw, "gsql: unknown command %s", fields[0])
		if near := suggest.Nearest(fields[0], dotNames()); near != "" {
			fmt.Fprintf(sh.errw, "; did you mean %s?", near)
		}
		fmt.Fprintln(sh.errw, " (.help lists them)")
		return false
	}
	if err := c.run(sh, unquote(fields[1:])); err != nil {
		if err != errReported {
			fmt.Fprintln(sh.errw, wrap.For(sh.errw, fmt.Sprintf("gsql: %s: %v", fields[0], err)))
		}
		return false
	}
	return true
}

func unquote(args []string) []string {
	for i, a := range args {
		if len(a) >= 2 && (a[0] == '"' || a[0] == '\'') && a[len(a)-1] == a[0] {
			args[i] = a[1 : len(a)-1]
		}
	}
	return args
}

// errReported is the error of a command whose message has been printed already.
var errReported = fmt.Errorf("reported")

func (sh *shell) sql(text string) error {
	if !sh.statement(text) {
		return errReported
	}
	return nil
}

func dotHelp(sh *shell, args []string) error {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	word := strings.ToLower(strings.Join(args, " "))
	for _, name := range dotNames() {
		c := commands[name]
		line := fmt.Sprintf("%s %s\t%s\n", name, c.args, c.help)
		if about(line, word) || wordNames[word] == name {
			fmt.Fprint(w, line)
		}
	}
	for _, form := range signature.Of(word) {
		fmt.Fprintln(w, form)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if text.Len() == 0 {
		return fmt.Errorf("no command or function is about %q; docs/sql.md describes statements", word)
	}
	return writePaged(sh, text.String())
}

// about reports whether a word of a line begins with another word.
func about(line, word string) bool {
	return strings.Contains(strings.ToLower(" "+notLetters.ReplaceAllString(line, " ")), " "+strings.TrimLeft(word, "."))
}

var notLetters = regexp.MustCompile(`[^\pL\d]+`)

func dotTables(sh *shell, args []string) error {
	switch len(args) {
	case 0:
		return sh.sql("SHOW FULL TABLES")
	case 1:
		return sh.sql("SHOW FULL TABLES LIKE " + literal(args[0]))
	}
	return fmt.Errorf("takes one pattern, in which %% and _ are wildcards")
}

// literal formats s as an SQL string.
func literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}

// name formats s as an SQL name.
func name(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

func dotSchema(sh *shell, args []string) error {
	tables := args
	if len(args) == 0 {
		tables = sh.column("SHOW TABLES")
	}
	for _, t := range tables {
		if err := sh.showCreate("SHOW CREATE TABLE " + name(strings.Trim(t, "`"))); err != nil {
			return err
		}
	}
	return nil
}

// showCreate writes the second column of a SHOW CREATE result, which is a statement.
func (sh *shell) showCreate(text string) error {
	rows, err := sh.s.Query(context.Background(), text)
	if err != nil {
		sh.fail(err, text)
		return errReported
	}
	defer rows.Close()
	b, err := rows.NextBatch()
	if err != nil {
		return err
	}
	fmt.Fprintf(sh.out, "%s;\n", catalog.DatumAt(b.Cols[1], 0).Text())
	return nil
}

// errConfined is returned by commands that access files without SQL.
var errConfined = errors.New("is disabled because --files limits the files that may be used")

// maxReadDepth limits how deeply .read may be nested.
const maxReadDepth = 16

func dotRead(sh *shell, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("takes a file name")
	}
	if sh.confined {
		return errConfined
	}
	if sh.depth >= maxReadDepth {
		return fmt.Errorf("files are nested more than %d deep", maxReadDepth)
	}
	content, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	sh.depth++
	defer func() { sh.depth-- }()
	if !sh.text(string(content)) {
		return errReported
	}
	return nil
}

func dotImport(sh *shell, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("takes a file name and a table name")
	}
	for _, t := range sh.column("SHOW TABLES") {
		if strings.EqualFold(t, args[1]) {
			return sh.sql("IMPORT INTO " + name(t) + " FROM " + literal(args[0]))
		}
	}
	return sh.sql("CREATE TABLE " + name(args[1]) + " AS SELECT * FROM " + name(args[0]))
}

func dotOutput(sh *shell, args []string) error {
	if err := sh.closeOutput(); err != nil || len(args) == 0 {
		return err
	}
	if sh.confined {
		return errConfined
	}
	f, err := os.Create(args[0])
	if err != nil {
		return err
	}
	sh.out, sh.outFile = f, f
	return nil
}

func dotOnce(sh *shell, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("takes a file name")
	}
	if sh.confined {
		return errConfined
	}
	f, err := os.Create(args[0])
	if err != nil {
		return err
	}
	sh.onceFile = f
	return nil
}

func dotDevices(sh *shell, _ []string) error {
	if listDevices(sh.out, sh.errw) != 0 {
		return errReported
	}
	return nil
}
