package durable_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
	"gsql/storage/durable"
	"gsql/storage/vfs/crashfs"
)

// TestReadFaults has every read of the file system fail in turn, once or from then on, while a
// database is opened, queried, changed, compacted, checkpointed, backed up, checked and closed. What
// needs the read fails with an error that names the file, and leaves nothing; an answer is the right
// one. No failed read makes the database read only or costs anything that is stored. GSQL_SEED=n and
// GSQL_FOR=10m work as in TestCrashes.
func TestReadFaults(t *testing.T) {
	seed, budget := sqltest.Seed(t), sqltest.NewBudget(t, 100)
	total := 0
	for ; !budget.Spent() && !t.Failed(); seed++ {
		f := newFaults(t, seed)
		total += f.allReads(budget)
	}
	t.Logf("%d faults", total)
}

// allReads has reads fail until a run has no more reads, and returns how many did. Between the first
// ones and the last, some are left out.
func (f *faults) allReads(budget *sqltest.Budget) (total int) {
	for op := 1; budget.Next(); op += 1 + f.r.IntN(1+op/20) {
		x := &readFaultRun{faults: f, fs: f.from.Crash(crashfs.Killed, 0), op: op, beyond: f.r.IntN(3) == 0}
		x.run()
		if f.t.Failed() || x.failed == "" {
			break
		}
		total++
	}
	return total
}

// readFaultRun is a run in which a read fails.
type readFaultRun struct {
	*faults
	fs     *crashfs.FS
	op     int
	beyond bool
	log    []string
	failed string // the first read that failed
	final  *image // what is found when the database is opened again; nil if that is not known
}

func (x *readFaultRun) fatal(args ...any) {
	x.t.Helper()
	x.t.Fatalf("seed %d, read %d, beyond %v; the first that failed: %q\n%s\n%s", x.seed, x.op, x.beyond, x.failed+x.fs.ReadFailed(), strings.Join(x.log, "\n"), fmt.Sprint(args...))
}

// named requires that an error is that of the fault and names the file.
func (x *readFaultRun) named(what string, err error) {
	x.t.Helper()
	var e *sqlerr.Error
	switch text := err.Error(); {
	case x.fs.ReadFailed() == "":
		x.fatal(what, ": an error without a fault: ", err)
	case !errors.As(err, &e) || e.Code == sqlerr.InternalError || !strings.Contains(text, "crashfs"):
		x.fatal(what, ": the error does not name the file: ", text)
	case !errors.Is(err, syscall.EIO):
		x.fatal(what, ": the cause is lost: ", text)
	}
}

func (x *readFaultRun) run() {
	x.check()
	x.fs.FailRead(x.op, syscall.EIO, x.beyond)
	w, err := open(x.fs, x.settings)
	if err != nil {
		x.named("opening", err)
		x.final = x.images[0]
	} else {
		x.use(w)
	}
	x.reopen()
}

// check requires that Check reports a failed read. It reads logs again, so that a read of them may fail
// once.
func (x *readFaultRun) check() {
	x.fs.FailRead(x.op, syscall.EIO, x.beyond)
	report, err := durable.Check(bg, x.fs)
	failed := x.fs.ReadFailed()
	x.fs.FailRead(0, nil, false)
	if (x.beyond || strings.Contains(failed, "seg-")) && failed != "" && err == nil && len(report.Damage) == 0 {
		x.fatal("Check is content after ", failed)
	}
}

// use runs what reads, and the transactions, of which each one either takes place or not.
func (x *readFaultRun) use(w *world) {
	s := w.session()
	x.look(w, x.images[0])
	x.backup(w, x.images[0])
	exact, now := true, x.images[0] // exact: the transactions so far have all taken place
	for i, unit := range x.units {
		done := true
		for _, sql := range unit {
			err := s.exec(sql)
			x.log = append(x.log, fmt.Sprint(sql, " -- ", err))
			if errors.Is(err, syscall.EIO) {
				x.named(sql, err)
				done = false
				break
			}
		}
		if !done {
			_ = s.exec("ROLLBACK")
			exact = false
		}
		if exact {
			now = x.images[i+1]
			x.look(w, now)
		}
		if err := w.db.Store.ReadOnly(); err != nil {
			x.fatal("the database is read only: ", err)
		}
	}
	for table := range now.sections {
		if err := s.exec("OPTIMIZE TABLE " + table); err != nil && errors.Is(err, syscall.EIO) {
			x.named("OPTIMIZE TABLE", err)
		}
	}
	if exact {
		x.look(w, now)
		x.backup(w, now)
	}
	if err := w.db.Close(); err != nil {
		x.named("closing", err)
	}
	if x.final = now; !exact {
		x.final = nil
	}
}

// look compares what can be seen.
func (x *readFaultRun) look(w *world, want *image) {
	x.t.Helper()
	got, err := w.look()
	switch {
	case err != nil:
		x.named("looking", err)
	case got.text != want.text:
		x.fatal("it looks like\n", got.text, "\nwant\n", want.text)
	}
}

// backup compares a copy.
func (x *readFaultRun) backup(w *world, want *image) {
	x.t.Helper()
	to := crashfs.New()
	if err := w.db.Store.Backup(bg, to); err != nil {
		x.named("backup", err)
		return
	}
	b, err := open(to, x.settings)
	must(x.t, err)
	got, err := b.look()
	must(x.t, err)
	if got.text != want.text {
		x.fatal("the backup looks like\n", got.text, "\nwant\n", want.text)
	}
	must(x.t, b.db.Close())
}

// reopen opens the database without faults.
func (x *readFaultRun) reopen() {
	x.failed = x.fs.ReadFailed()
	x.fs.FailRead(0, nil, false)
	for _, keep := range []crashfs.Keep{crashfs.None, crashfs.Random, crashfs.Killed} {
		fs := x.fs.Point().Crash(keep, rand.Uint64())
		report, err := durable.Check(bg, fs)
		must(x.t, err)
		if len(report.Damage) > 0 {
			x.fatal("damage: ", report.Damage)
		}
		w, err := open(fs, x.settings)
		if err != nil {
			x.fatal("opening again: ", err)
		}
		if x.final != nil {
			x.look(w, x.final)
		} else if _, err := w.look(); err != nil {
			x.fatal("looking again: ", err)
		}
		must(x.t, w.db.Close())
	}
}
