package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"gsql/internal/slt"
)

// runSLT is the subcommand "gsql slt".
func runSLT(args []string, out, errw *os.File) int {
	fs := flag.NewFlagSet("gsql slt", flag.ContinueOnError)
	fs.SetOutput(errw)
	engine := fs.String("engine", "mysql", "engine name for skipif and onlyif")
	verbose := fs.Bool("v", false, "print a line a file, with times")
	parallel := fs.Int("parallel", runtime.GOMAXPROCS(0), "files at once")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	if fs.NArg() == 0 {
		fmt.Fprintln(errw, "usage: gsql slt [--engine mysql] [-v] [--parallel N] PATH...")
		return 2
	}
	files, err := slt.Find(fs.Args())
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no .test or .slt files in %v", fs.Args())
	}
	if err != nil {
		fmt.Fprintln(errw, "gsql slt:", err)
		return 1
	}
	ctx, stop := interruptible()
	defer stop()
	var total slt.Report
	slt.RunFiles(ctx, files, slt.Options{Engine: *engine, Parallel: *parallel}, func(r slt.Report) {
		total.Passed += r.Passed
		total.Failed += r.Failed
		total.Skipped += r.Skipped
		printReport(r, *verbose, out, errw)
	})
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", total.Passed, total.Failed, total.Skipped)
	if total.Failed > 0 {
		return 1
	}
	return 0
}

func printReport(r slt.Report, verbose bool, out, errw *os.File) {
	if r.Err != nil {
		fmt.Fprintln(errw, r.Err)
	}
	for _, f := range r.Failures {
		fmt.Fprintf(errw, "%s:%d: %v\n%s\n\n", f.File, f.Line, f.Err, f.SQL)
	}
	if hidden := r.Failed - len(r.Failures); hidden > 0 && r.Err == nil {
		fmt.Fprintf(errw, "%s: %d more failures\n", r.File, hidden)
	}
	if verbose {
		n := max(r.Passed+r.Failed, 1)
		fmt.Fprintf(out, "%s: %d passed, %d failed, %d skipped in %s (%d us a record)\n",
			r.File, r.Passed, r.Failed, r.Skipped, r.Elapsed.Round(time.Millisecond), r.Elapsed.Microseconds()/int64(n))
	}
}
