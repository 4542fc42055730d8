package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"runtime"
	"strings"
	"time"

	"gsql"
	"gsql/internal/cputime"
	"gsql/internal/slt"
)

const sltUsage = `usage: gsql slt [options] PATH...

Runs sqllogictest files, each on a database of its own: .test and .slt files, those in
folders, also with .gz. The exit status is 1 when a record failed.

  --engine NAME     who skipif and onlyif mean (mysql)
  --set NAME=VALUE  a session variable for every file, or workers or memory_limit; may be
                    given several times. sql_mode is the default one less ONLY_FULL_GROUP_BY
  --db FOLDER       run the files one after another on a database in a folder, which is closed
                    and opened after each; afterwards everything in it is dropped
  --parallel N      files at once (one per core)
  -v                print a line a file, with times
`

// runSLT is the subcommand "gsql slt".
func runSLT(args []string, out, errw io.Writer) int {
	cmd := tool{"gsql slt", sltUsage, out, errw}
	fs := flag.NewFlagSet("gsql slt", flag.ContinueOnError)
	opt := slt.Options{}
	fs.StringVar(&opt.Engine, "engine", "mysql", "")
	verbose := fs.Bool("v", false, "")
	fs.IntVar(&opt.Parallel, "parallel", runtime.GOMAXPROCS(0), "")
	folder := fs.String("db", "", "")
	settings := url.Values{}
	fs.Func("set", "", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("not NAME=VALUE")
		}
		settings.Set(name, value)
		return nil
	})
	paths, status, ok := cmd.parse(fs, args)
	if !ok {
		return status
	}
	if len(paths) == 0 {
		return cmd.misuse("no files: write gsql slt PATH, with a .test or .slt file or a folder of them")
	}
	var err error
	if opt.Config, err = gsql.ParseDSN("?" + settings.Encode()); err != nil {
		return cmd.misuse("--set: %v", err)
	}
	opt.Config.Path = *folder
	files, err := slt.Find(paths)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no .test or .slt files in %s", strings.Join(paths, ", "))
	}
	if err != nil {
		fmt.Fprintln(errw, "gsql slt:", err)
		return 1
	}
	ctx, watch := interruptible()
	defer watch.stop()
	var total slt.Report
	start, startCPU := time.Now(), cputime.Used()
	slt.RunFiles(ctx, files, opt, func(r slt.Report) {
		total.Passed += r.Passed
		total.Failed += r.Failed
		total.Skipped += r.Skipped
		printReport(r, *verbose, out, errw)
	})
	cpu := cputime.Used() - startCPU
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped in %s; CPU %s, %d us a record\n", total.Passed, total.Failed, total.Skipped,
		time.Since(start).Round(time.Millisecond), cpu.Round(time.Millisecond), cpu.Microseconds()/records(total))
	if total.Failed > 0 {
		return 1
	}
	return 0
}

// records counts what was run, at least 1 to divide by.
func records(r slt.Report) int64 { return int64(max(r.Passed+r.Failed, 1)) }

func printReport(r slt.Report, verbose bool, out, errw io.Writer) {
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
		fmt.Fprintf(out, "%s: %d passed, %d failed, %d skipped in %s (%d us a record)\n",
			r.File, r.Passed, r.Failed, r.Skipped, r.Elapsed.Round(time.Millisecond), r.Elapsed.Microseconds()/records(r))
	}
}
