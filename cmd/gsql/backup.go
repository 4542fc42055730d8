package main

import (
	"context"
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
	return cmd.copies(args, func(ctx context.Context, db *gsql.DB, from, to string) error {
		if err := db.Backup(ctx, to); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s is a copy of %s\n", to, from)
		return nil
	})
}

// copies runs a command that makes a folder from the database in another one, which it opens for
// reading.
func (t tool) copies(args []string, do func(ctx context.Context, db *gsql.DB, from, to string) error) int {
	dirs, status, ok := t.parse(flag.NewFlagSet(t.name, flag.ContinueOnError), args)
	if !ok {
		return status
	}
	if len(dirs) != 2 {
		return t.misuse("two folders are wanted: the database, and the one to be made")
	}
	ctx, watch := interruptible()
	defer watch.stop()
	db, err := gsql.Open(gsql.Config{Path: dirs[0], ReadOnly: true})
	if err != nil {
		return t.failed(err)
	}
	defer db.Close()
	if err := do(ctx, db, dirs[0], dirs[1]); err != nil {
		return t.failed(err)
	}
	return 0
}
