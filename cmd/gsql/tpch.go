package main

import (
	"flag"
	"fmt"
	"io"

	"gsql/internal/tpch"
)

const tpchUsage = `usage: gsql tpch [--sf N] DIR

Writes the tables of TPC-H to DIR as Parquet files. To have them in memory
instead, run CALL gsql_tpch(N) in the shell.

  --sf N   scale factor (1), which is about a gigabyte of data
`

// runTPCH writes the tables of TPC-H: gsql tpch [--sf N] DIR.
func runTPCH(args []string, out, errw io.Writer) int {
	cmd := tool{"gsql tpch", tpchUsage, out, errw}
	fs := flag.NewFlagSet("gsql tpch", flag.ContinueOnError)
	sf := fs.Float64("sf", 1, "")
	dirs, status, ok := cmd.parse(fs, args)
	if !ok {
		return status
	}
	if len(dirs) != 1 {
		return cmd.misuse("%d folders where one is wanted: write gsql tpch --sf 1 DIR", len(dirs))
	}
	ctx, watch := interruptible()
	defer watch.stop()
	err := tpch.Generate(ctx, dirs[0], *sf, func(table string, rows int64) {
		fmt.Fprintf(out, "%-8s %11d rows\n", table, rows)
	})
	if err != nil {
		fmt.Fprintln(errw, "gsql tpch:", err)
		return 1
	}
	return 0
}
