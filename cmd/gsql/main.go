// Command gsql runs SQL over CSV, JSON, Parquet and other files and tables, in memory or in a folder: as an
// interactive shell, from -c and -f, from standard input, and over sqllogictest files.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"gsql"
	"gsql/internal/render"
	"gsql/sql/sqlerr"
)

const usage = `usage: gsql [options] [database or folder]
       gsql slt [options] PATH...   run sqllogictest files
       gsql tpch [--sf N] DIR       write the tables of TPC-H
       gsql check FOLDER            verify the files of a database
       gsql backup FOLDER DEST      copy a database, also while it is written
       gsql dump FOLDER DEST        write a database as SQL and Parquet
       gsql devices                 list processors and GPUs
       gsql calibrate               measure this machine for the planner
       gsql version                 print the version
       gsql completion SHELL        print completions for bash, zsh or fish
       gsql man                     print the manual page
       gsql help [SUBCOMMAND]       print this, or how a subcommand is used

  -c SQL        run SQL and exit; several -c share one session
  -f FILE       run the statements of FILE and exit
  --files WHICH files that statements may read and write: all, none, or those
                below folders, separated by '%c'
  --mode MODE   %s
  --null TEXT   how NULL is shown
  --color WHEN  colours and dim NULLs: auto, always or never
  --timer       print each statement's time
  --bail        stop at the first error
  --version     print the version

A name with a slash or an ending such as .gsql is a folder in which the tables are kept; it is created
if it is missing. Without one, tables are in memory. Options can follow as in a data source name:
'shop.gsql?memory_limit=4GB&workers=8', 'shop.gsql?readonly=true'.
Without -c and -f, statements come from standard input: interactively at a terminal.
Put -- before a database whose name is that of a subcommand or begins with a dash.
`

// source is one -c or -f option, in the order given.
type source struct {
	file bool
	text string
}

func main() {
	floor.fit(0)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, in *os.File, out, errw *os.File) int {
	if len(args) > 0 {
		if sub := subcommands()[args[0]]; sub != nil {
			return sub(args[1:], out, errw)
		}
	}
	sh, sources, status := setup(args, in, out, errw)
	if sh == nil {
		return status
	}
	defer sh.db.Close()
	status = sh.work(sources)
	if sh.terminated {
		return statusTerminated
	}
	return status
}

// work runs the sources or, if there are none, standard input.
func (sh *shell) work(sources []source) int {
	switch {
	case len(sources) > 0:
		return sh.batch(sources)
	case term.IsTerminal(int(sh.in.Fd())) && term.IsTerminal(int(sh.stdout.Fd())):
		return sh.interact()
	}
	text, err := io.ReadAll(sh.in)
	if err != nil {
		fmt.Fprintln(sh.errw, "gsql:", err)
		return 1
	}
	return sh.batch([]source{{text: string(text)}})
}

// subcommand runs a subcommand.
type subcommand func(args []string, out, errw io.Writer) int

// subcommands returns the subcommands by name.
func subcommands() map[string]subcommand {
	return map[string]subcommand{"slt": runSLT, "tpch": runTPCH, "devices": runDevices, "calibrate": runCalibrate, "check": runCheck, "backup": runBackup, "dump": runDump, "version": runVersion, "help": runHelp, "completion": runCompletion, "man": runMan}
}

// shellCommand is gsql without a subcommand.
func shellCommand(out, errw io.Writer) tool {
	return tool{"gsql", fmt.Sprintf(usage, filepath.ListSeparator, strings.Join(render.Modes, ", ")), out, errw}
}

// runHelp is the subcommand "gsql help".
func runHelp(args []string, out, errw io.Writer) int {
	cmd := shellCommand(out, errw)
	switch {
	case len(args) > 1:
		return cmd.misuse("help takes one subcommand, not %d arguments", len(args))
	case len(args) == 0 || args[0] == "help":
		fmt.Fprint(out, cmd.usage)
		return 0
	}
	if sub := subcommands()[args[0]]; sub != nil {
		return sub([]string{"--help"}, out, errw)
	}
	return cmd.misuse("there is no subcommand %q; in the shell, .help lists its commands", args[0])
}

// setup reads the flags and opens the database; a nil shell means exit with status.
func setup(args []string, in, out, errw *os.File) (*shell, []source, int) {
	cmd := shellCommand(out, errw)
	var sources []source
	fs := flag.NewFlagSet("gsql", flag.ContinueOnError)
	fs.Func("c", "", func(s string) error { sources = append(sources, source{text: s}); return nil })
	fs.Func("f", "", func(s string) error { sources = append(sources, source{file: true, text: s}); return nil })
	var access *gsql.FileAccess // nil selects the data source name's access
	fs.Func("files", "", func(s string) error {
		a, err := gsql.ParseFileAccess(s)
		access = &a
		return err
	})
	mode := fs.String("mode", "", "")
	null := fs.String("null", "", "")
	color := fs.String("color", "auto", "")
	timer := fs.Bool("timer", false, "")
	bail := fs.Bool("bail", false, "")
	showVersion := fs.Bool("version", false, "")
	operands, status, ok := cmd.parse(fs, args)
	if !ok {
		return nil, nil, status
	}
	if *mode != "" && !render.Valid(*mode) {
		return nil, nil, cmd.misuse("unknown mode %q: one of %s", *mode, strings.Join(render.Modes, ", "))
	}
	if !slices.Contains(colors, *color) {
		return nil, nil, cmd.misuse("unknown value %q of --color: one of %s", *color, strings.Join(colors, ", "))
	}
	if *showVersion {
		return nil, nil, runVersion(operands, out, errw)
	}
	database := ""
	switch {
	case len(operands) > 1:
		return nil, nil, cmd.misuse("unexpected argument %q after the database %q: gsql opens one database, and -c takes SQL: gsql -c 'SELECT 1' %s",
			operands[1], operands[0], operands[0])
	case len(operands) == 1:
		database = operands[0]
	}
	if strings.ContainsAny(database, " \t\n;") {
		return nil, nil, cmd.misuse("%q is not the name of a database; to run it as SQL, write gsql -c %q", database, database)
	}
	if hint := fileHint(database); hint != "" {
		return nil, nil, cmd.misuse("%s", hint)
	}
	if near := misspelt(database); near != "" && database == args[0] {
		return nil, nil, cmd.misuse("there is no subcommand %q; did you mean %s? For a database of this name, write gsql -- %s", database, near, database)
	}
	cfg, err := gsql.ParseDSN(database)
	if access != nil {
		cfg.FileAccess = *access
	}
	var db *gsql.DB
	if err == nil {
		db, err = gsql.Open(cfg)
	}
	if err != nil {
		fmt.Fprintln(errw, sqlerr.Render(err, ""))
		return nil, nil, 2
	}
	for _, w := range db.Warnings() {
		fmt.Fprintln(errw, "Warning:", w)
	}
	sh := newShell(db, in, out, errw)
	sh.folder = cfg.Path
	sh.color = *color
	sh.timer, sh.bail, sh.confined = *timer, *bail, cfg.FileAccess.String() != "all"
	if *mode != "" {
		sh.mode = *mode
	}
	fs.Visit(func(f *flag.Flag) {
		if f.Name == "null" {
			sh.null = null
		}
	})
	return sh, sources, 0
}
