package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"gsql/internal/tpch"
)

// runTPCH writes the tables of TPC-H: gsql tpch [--sf N] DIR.
func runTPCH(args []string, out, errw io.Writer) int {
	fs := flag.NewFlagSet("gsql tpch", flag.ContinueOnError)
	fs.SetOutput(errw)
	fs.Usage = func() { fmt.Fprintln(errw, "usage: gsql tpch [--sf N] DIR") }
	sf := fs.Float64("sf", 1, "scale factor")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if fs.NArg() != 1 {
		fs.Usage()
		return 2
	}
	ctx, stop := interruptible()
	defer stop()
	err := tpch.Generate(ctx, fs.Arg(0), *sf, func(table string, rows int64) {
		fmt.Fprintf(out, "%-8s %11d rows\n", table, rows)
	})
	if err != nil {
		fmt.Fprintln(errw, "gsql tpch:", err)
		return 1
	}
	return 0
}
