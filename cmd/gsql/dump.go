package main

import (
	"context"
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
	return cmd.copies(args, func(ctx context.Context, db *gsql.DB, _, to string) error {
		s := db.NewSession()
		defer s.Close()
		return dump.Write(ctx, s, to, func(table string, rows int64) {
			fmt.Fprintf(out, "%-30s %11d rows\n", table, rows)
		})
	})
}
