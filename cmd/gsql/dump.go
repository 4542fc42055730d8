package main

import (
	"flag"
	"fmt"
	"io"

	"gsql"
	"gsql/internal/dump"
)

const dumpUsage = `usage: gsql dump FOLDER DEST

Writes the database in FOLDER to DEST, which must be missing or empty: the
statements of dump.sql make it again, with the rows from Parquet files. It can
run while another process writes.
`

// runDump writes a database as SQL and Parquet: gsql dump FOLDER DEST.
func runDump(args []string, out, errw io.Writer) int {
	cmd := tool{"gsql dump", dumpUsage, out, errw}
	dirs, status, ok := cmd.parse(flag.NewFlagSet(cmd.name, flag.ContinueOnError), args)
	if !ok {
		return status
	}
	if len(dirs) != 2 {
		return cmd.misuse("two folders are wanted: the database, and the one to be made")
	}
	ctx, watch := interruptible()
	defer watch.stop()
	db, err := gsql.Open(gsql.Config{Path: dirs[0], ReadOnly: true})
	if err != nil {
		return cmd.failed(err)
	}
	defer db.Close()
	s := db.NewSession()
	defer s.Close()
	err = dump.Write(ctx, s, dirs[1], func(table string, rows int64) {
		fmt.Fprintf(out, "%-30s %11d rows\n", table, rows)
	})
	if err != nil {
		return cmd.failed(err)
	}
	return 0
}
