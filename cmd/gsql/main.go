// Command gsql runs SQL over CSV, Parquet and Arrow files and in-memory tables: as an
// interactive shell, from -c and -f, from standard input, and over sqllogictest files.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"gsql"
	"gsql/internal/render"
)

const usage = `usage: gsql [options] [database]
       gsql slt [options] PATH...
       gsql tpch [--sf N] DIR
       gsql devices

  -c SQL        run SQL and exit; several -c share one session
  -f FILE       run the statements of FILE and exit
  --mode MODE   %s
  --null TEXT   how NULL is shown
  --timer       print each statement's time
  --bail        stop at the first error
  --version     print the version

Without -c and -f, statements come from standard input: interactively at a terminal.
`

// source is one -c or -f, in the order given.
type source struct {
	file bool
	text string
}

func main() {
	floor.fit(0)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, in *os.File, out, errw *os.File) int {
	if len(args) > 0 && args[0] == "slt" {
		return runSLT(args[1:], out, errw)
	}
	if len(args) > 0 && args[0] == "tpch" {
		return runTPCH(args[1:], out, errw)
	}
	if len(args) == 1 && args[0] == "devices" {
		return runDevices(out, errw)
	}
	sh, sources, status := setup(args, in, out, errw)
	if sh == nil {
		return status
	}
	defer sh.db.Close()
	switch {
	case len(sources) > 0:
		return sh.batch(sources)
	case term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())):
		return sh.interact()
	}
	text, err := io.ReadAll(in)
	if err != nil {
		fmt.Fprintln(errw, "gsql:", err)
		return 1
	}
	return sh.batch([]source{{text: string(text)}})
}

// setup reads the flags and opens the database; a nil shell means exit with status.
func setup(args []string, in, out, errw *os.File) (*shell, []source, int) {
	var sources []source
	fs := flag.NewFlagSet("gsql", flag.ContinueOnError)
	fs.SetOutput(errw)
	fs.Usage = func() { fmt.Fprintf(errw, usage, strings.Join(render.Modes, ", ")) }
	fs.Func("c", "", func(s string) error { sources = append(sources, source{text: s}); return nil })
	fs.Func("f", "", func(s string) error { sources = append(sources, source{file: true, text: s}); return nil })
	mode := fs.String("mode", "", "")
	null := fs.String("null", "", "")
	timer := fs.Bool("timer", false, "")
	bail := fs.Bool("bail", false, "")
	showVersion := fs.Bool("version", false, "")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, nil, 0
		}
		return nil, nil, 2
	}
	if *mode != "" && !render.Valid(*mode) {
		fmt.Fprintf(errw, "gsql: unknown mode %q: one of %s\n", *mode, strings.Join(render.Modes, ", "))
		return nil, nil, 2
	}
	if *showVersion {
		fmt.Fprintln(out, version())
		return nil, nil, 0
	}
	if fs.NArg() > 1 {
		fs.Usage()
		return nil, nil, 2
	}
	if hint := fileHint(fs.Arg(0)); hint != "" {
		fmt.Fprintln(errw, "gsql:", hint)
		return nil, nil, 2
	}
	db, err := gsql.Open(gsql.Config{Database: fs.Arg(0)})
	if err != nil {
		fmt.Fprintln(errw, err)
		return nil, nil, 1
	}
	sh := newShell(db, in, out, errw)
	sh.timer, sh.bail = *timer, *bail
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

// interruptible gives a context that Ctrl-C cancels, once; stop ends the watch.
func interruptible() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}
