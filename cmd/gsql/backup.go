package main

import (
	"flag"
	"fmt"
	"io"

	"gsql"
)

const backupUsage = `usage: gsql backup FOLDER DEST

Copies the database in FOLDER to DEST, which must be missing or empty. The copy
has the state after one commit, also if another process writes meanwhile. In the
shell, CALL gsql_backup('DEST') does the same.
`

// runBackup copies a database: gsql backup FOLDER DEST.
func runBackup(args []string, out, errw io.Writer) int {
	cmd := tool{"gsql backup", backupUsage, out, errw}
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
	if err := db.Backup(ctx, dirs[1]); err != nil {
		return cmd.failed(err)
	}
	fmt.Fprintf(out, "%s is a copy of %s\n", dirs[1], dirs[0])
	return 0
}
