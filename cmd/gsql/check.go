package main

import (
	"flag"
	"fmt"
	"io"

	"gsql/storage/durable"
	"gsql/storage/vfs"
)

const checkUsage = `usage: gsql check FOLDER

Reads all of the database in FOLDER and verifies every checksum and every
reference between its files. It changes nothing, and can run while another
process writes. The exit status is 1 if something is damaged.
`

// runCheck verifies a database: gsql check FOLDER.
func runCheck(args []string, out, errw io.Writer) int {
	cmd := tool{"gsql check", checkUsage, out, errw}
	dirs, status, ok := cmd.parse(flag.NewFlagSet(cmd.name, flag.ContinueOnError), args)
	if !ok {
		return status
	}
	if len(dirs) != 1 {
		return cmd.misuse("%d folders where one is wanted", len(dirs))
	}
	ctx, watch := interruptible()
	defer watch.stop()
	folder, err := vfs.Dir(dirs[0])
	if err != nil {
		return cmd.failed(err)
	}
	r, err := durable.Check(ctx, folder)
	if err != nil {
		return cmd.failed(err)
	}
	fmt.Fprintf(out, "%s, %s, %s in %s, commit %d\n", plural(int64(r.Tables), "table"), plural(r.Rows, "row"),
		plural(int64(r.Segments), "segment"), plural(int64(r.Files), "file"), r.Commits)
	for _, n := range r.Notes {
		fmt.Fprintln(out, "note:", n)
	}
	for _, d := range r.Damage {
		fmt.Fprintln(out, "damaged:", d)
	}
	if len(r.Damage) > 0 {
		return 1
	}
	fmt.Fprintln(out, "no damage")
	return 0
}
