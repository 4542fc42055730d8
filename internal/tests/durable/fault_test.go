package durable_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
	"gsql/storage/vfs/crashfs"
)

// TestFaults has every operation of the file system fail in turn, once or from then on, while a
// database is opened, changed, checkpointed and closed. The statement fails with an error that names the file, and
// leaves nothing. Only the log may end all writing: after other failures the same
// statements succeed. Opened again, the database has what was acknowledged, and at most the
// transaction that could not be written to the log. GSQL_SEED=n and GSQL_FOR=10m work as in TestCrashes.
func TestFaults(t *testing.T) {
	seed, budget := sqltest.Seed(t), sqltest.NewBudget(t, 60)
	before := runtime.NumGoroutine()
	total := 0
	for ; !budget.Spent() && !t.Failed(); seed++ {
		f := newFaults(t, seed)
		total += f.all(budget)
	}
	for try := 0; runtime.NumGoroutine() > before; try++ {
		if try == 1000 {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine()-before, before)
		}
		time.Sleep(time.Millisecond)
	}
	t.Logf("%d faults", total)
}

// faults runs the same transactions again and again on copies of a file system.
type faults struct {
	t        *testing.T
	seed     uint64
	r        *rand.Rand
	settings settings
	from     *crashfs.Point
	units    [][]string // transactions
	images   []*image   // before each of them, and after the last one
}

func newFaults(t *testing.T, seed uint64) *faults {
	r := newRun(t, seed)
	r.memory = nil // the statements are compared with themselves
	r.fs.Watch(nil)
	for range 12 {
		r.step()
	}
	f := &faults{t: t, seed: seed, r: r.r, settings: r.settings}
	r.mu.Lock()
	f.from = r.fs.Point()
	r.mu.Unlock()
	must(t, r.w.db.Close())
	for range 4 {
		f.units = append(f.units, r.transaction())
	}
	f.units = append(f.units, []string{"CREATE TABLE fault (a INT)"}, []string{"INSERT INTO fault VALUES (1), (2)"}, []string{"FLUSH LOGS"})
	w, err := open(f.from.Crash(crashfs.Killed, 0), f.settings)
	must(t, err)
	s := w.session()
	f.images = append(f.images, f.look(w))
	for _, unit := range f.units {
		for _, sql := range unit {
			_ = s.exec(sql)
		}
		f.images = append(f.images, f.look(w).since(f.images[len(f.images)-1], ""))
	}
	must(t, w.db.Close())
	return f
}

func (f *faults) look(w *world) *image {
	f.t.Helper()
	got, err := w.look()
	if err != nil {
		f.t.Fatalf("seed %d: looking: %v", f.seed, err)
	}
	for table, n := range got.counter {
		got.least[table] = n
	}
	return got
}

// all has each operation fail until a run has no more operations, and returns how many did.
func (f *faults) all(budget *sqltest.Budget) int {
	for op := 1; budget.Next(); op++ {
		x := &faultRun{faults: f, fs: f.from.Crash(crashfs.Killed, 0), op: op, beyond: f.r.IntN(2) == 0, err: []error{syscall.EIO, syscall.ENOSPC}[f.r.IntN(2)]}
		x.run()
		if f.t.Failed() || x.failed == nil {
			return op - 1
		}
	}
	return 0
}

// faultRun is a run with a fault.
type faultRun struct {
	*faults
	fs     *crashfs.FS
	op     int
	beyond bool
	err    error
	log    []string

	mu     sync.Mutex
	failed *crashfs.Op // the first operation that failed

	may   []*image // what is found when the database is opened again
	loose bool     // a transaction that is in none of the images may be there as well
}

func (x *faultRun) run() {
	x.fs.Fail(x.op, x.err, x.beyond)
	x.fs.Watch(func(p *crashfs.Point) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if p.Op.Err != nil && x.failed == nil {
			x.failed = &p.Op
		}
	})
	x.may = []*image{x.images[0]}
	w, err := open(x.fs, x.settings)
	if err != nil {
		x.named(err)
	} else {
		x.use(w)
		if err := w.db.Close(); err != nil && x.fault() == nil {
			x.fatal("closing: ", err)
		}
	}
	for try := 0; x.fs.Handles() > 0; try++ {
		if try == 100 {
			x.fatal(x.fs.Handles(), " files are open after closing")
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	x.reopen()
}

func (x *faultRun) fault() *crashfs.Op {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.failed
}

func (x *faultRun) fatal(args ...any) {
	x.t.Helper()
	op := "none"
	if p := x.fault(); p != nil {
		op = fmt.Sprintf("%+v", *p)
	}
	x.t.Fatalf("seed %d, operation %d, %v, beyond %v; the first that failed: %s\n%s\n%s", x.seed, x.op, x.err, x.beyond, op, strings.Join(x.log, "\n"), fmt.Sprint(args...))
}

// named requires that an error is that of a fault and names the file.
func (x *faultRun) named(err error) {
	x.t.Helper()
	var e *sqlerr.Error
	text := err.Error()
	switch {
	case x.fault() == nil:
		x.fatal("an error without a fault: ", err)
	case !errors.As(err, &e) || e.Code == sqlerr.InternalError || !strings.Contains(text, "crashfs"):
		x.fatal("the error does not name the file: ", text)
	case !errors.Is(err, x.err):
		x.fatal("the cause is lost: ", text)
	}
}

// use runs the transactions.
func (x *faultRun) use(w *world) {
	s := w.session()
	exact := true // the database looks like the images
	for i, unit := range x.units {
		before := x.look(w)
		if exact && !before.matches(x.images[i]) {
			x.fatal("before transaction ", i, ":\n", before.describe(), "\nwant\n", x.images[i].describe())
		}
		err := x.unit(s, unit)
		if err == nil {
			x.may = []*image{x.look(w).since(x.may[0], "")}
			continue
		}
		x.named(err)
		_ = s.exec("ROLLBACK")
		if after := x.look(w); after.text != before.text {
			x.fatal("after the failure:\n", after.describe(), "\nbefore\n", before.describe())
		}
		if w.db.Store.ReadOnly() != nil {
			x.may, x.loose = append(x.may, x.images[i+1]), !exact
			x.readOnly(w, s, i)
			return
		}
		x.retry(w, s, unit)
		exact = false
	}
	if w.db.Store.ReadOnly() != nil {
		x.readOnly(w, s, len(x.units))
	}
}

// unit runs the statements of a transaction. It returns the error of a fault.
func (x *faultRun) unit(s session, unit []string) error {
	for _, sql := range unit {
		err := s.exec(sql)
		x.log = append(x.log, fmt.Sprint(sql, " -- ", err))
		switch code(err) {
		case sqlerr.ErrorOnWrite, sqlerr.OptionPreventsStatement, sqlerr.InternalError:
			return err
		}
	}
	return nil
}

// readOnly requires that only a failure of the log has ended all writing, and that all can be read.
func (x *faultRun) readOnly(w *world, s session, at int) {
	if op := x.fault(); !x.beyond && !strings.HasPrefix(op.Name, "wal-") {
		x.fatal("the database is read only: ", w.db.Store.ReadOnly())
	}
	x.log = append(x.log, "read only")
	was := x.look(w)
	for _, unit := range x.units[min(at, len(x.units)-1):] {
		_ = x.unit(s, unit)
		_ = s.exec("ROLLBACK")
	}
	if err := s.exec("CREATE TABLE nothing (a INT)"); code(err) != sqlerr.OptionPreventsStatement {
		x.fatal("a table is created: ", err)
	}
	if err := s.exec("CREATE TEMPORARY TABLE something AS SELECT 1"); err != nil {
		x.fatal("a temporary table: ", err)
	}
	if now := x.look(w); now.text != was.text {
		x.fatal("a read-only database changes:\n", now.describe(), "\nbefore\n", was.describe())
	}
}

// retry requires that a transaction succeeds once the fault is over.
func (x *faultRun) retry(w *world, s session, unit []string) {
	if x.beyond {
		return
	}
	if err := x.unit(s, unit); err != nil {
		x.fatal("again: ", err)
	}
	x.may = []*image{x.look(w).since(x.may[0], "")}
}

// reopen opens what crashes and the end of the process leave.
func (x *faultRun) reopen() {
	p := x.fs.Point()
	for _, keep := range crashfs.Keeps {
		w, err := open(p.Crash(keep, x.r.Uint64()), x.settings)
		if err != nil {
			x.fatal("opening again with ", keep, " kept: ", err)
		}
		got := x.look(w)
		found := x.loose
		wanted := ""
		for _, want := range x.may {
			found = found || got.matches(want, x.may...)
			wanted += want.describe() + "\nor\n"
		}
		if !found {
			x.fatal("opened again with ", keep, " kept:\n", got.describe(), "\nwant\n", wanted)
		}
		if err := w.db.Close(); err != nil {
			x.fatal("closing again: ", err)
		}
	}
}

// TestFailedSegments has each operation fail while a commit writes segments that are in memory.
func TestFailedSegments(t *testing.T) {
	for op := 1; ; op++ {
		fs := crashfs.New()
		w, err := open(fs, settings{segmentRows: 8})
		must(t, err)
		s := w.session()
		must(t, s.all("CREATE TABLE t (a INT)", "BEGIN", "INSERT INTO t VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9)", "INSERT INTO t VALUES (11), (12), (13), (14), (15)"))
		fs.Fail(fs.Ops()+op, syscall.ENOSPC, false)
		err = s.exec("COMMIT")
		_ = w.db.Close() // it fails if the log has
		if err == nil {
			if op < 4 {
				t.Errorf("the commit takes %d operations", op-1)
			}
			return
		}
		if code(err) != sqlerr.ErrorOnWrite || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("operation %d: %v", op, err)
		}
	}
}
