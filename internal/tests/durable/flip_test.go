package durable_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
	"gsql/storage/durable"
	"gsql/storage/vfs/crashfs"
)

// TestFlips flips bits of the files of databases, closed and not. Opening fails and names the file, or
// the database is read only and warns, or the query that reads the column fails and names the file, the place and the
// table, while other tables can be read, or what crashes may lose is lost with a warning; otherwise the
// database is as before. Check reports every bit of a segment file and all that was noticed. GSQL_SEED=n and GSQL_FOR=10m work as in TestCrashes.
func TestFlips(t *testing.T) {
	seed, budget := sqltest.Seed(t), sqltest.NewBudget(t, 200)
	total, noticed, touched := 0, 0, 0
	for ; !budget.Spent() && !t.Failed(); seed++ {
		r := newRun(t, seed)
		r.memory = nil
		r.fs.Watch(nil)
		var was []string
		for range 15 {
			r.step()
			was = append(was, r.now.text)
		}
		unclosed := r.fs.Point()
		must(t, r.w.db.Close())
		for _, p := range []*crashfs.Point{unclosed, r.fs.Point()} {
			f := &flips{t: t, seed: seed, r: r.r, settings: r.settings, from: p, was: was, last: r.now, closed: p != unclosed}
			f.all(budget)
			total, noticed, touched = total+f.total, noticed+f.noticed, touched+f.touched
		}
	}
	t.Logf("%d flips, %d noticed, %d of them by reading tables", total, noticed, touched)
}

// flips flips bits of one database.
type flips struct {
	t        *testing.T
	seed     uint64
	r        *rand.Rand
	settings settings
	from     *crashfs.Point
	was      []string // what it has looked like
	last     *image
	closed   bool

	total, noticed int
	touched        int // flips after which some tables could not be read
}

func (f *flips) all(budget *sqltest.Budget) {
	fs := f.from.Crash(crashfs.Killed, 0)
	names, err := fs.List()
	must(f.t, err)
	report, err := durable.Check(bg, fs)
	must(f.t, err)
	if len(report.Damage) > 0 {
		f.t.Fatalf("seed %d: damage before any flip: %q", f.seed, report.Damage)
	}
	dead := strings.Join(report.Notes, "\n")
	kinds := map[string][]string{}
	for _, name := range names {
		if !strings.Contains(dead, name) {
			kind, _, _ := strings.Cut(name, "-")
			kinds[kind] = append(kinds[kind], name)
		}
	}
	for range 200 {
		if !budget.Next() || f.t.Failed() {
			return
		}
		names := kinds[[]string{"LOCK", "READERS", "manifest", "wal", "seg", "seg"}[f.r.IntN(6)]]
		if len(names) == 0 {
			continue
		}
		name := names[f.r.IntN(len(names))]
		file, err := fs.Open(name)
		must(f.t, err)
		size, err := file.Size()
		must(f.t, err)
		must(f.t, file.Close())
		if size == 0 {
			continue
		}
		f.total++
		f.flip(name, f.r.Int64N(min(size, 8*int64(f.r.IntN(4000)+1))*8)%(8*size))
	}
}

// flip flips one bit.
func (f *flips) flip(name string, bit int64) {
	fs := f.from.Crash(crashfs.Killed, 0)
	must(f.t, fs.Flip(name, bit))
	fail := func(args ...any) {
		f.t.Helper()
		f.t.Errorf("seed %d, closed %v: bit %d of %s: %v", f.seed, f.closed, bit, name, args)
	}
	damage, reported := f.check(fs)
	if strings.HasPrefix(name, "seg-") && !strings.Contains(damage, name) {
		fail("Check does not report the file: ", damage)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w, err := open(fs, f.settings)
	var noticed bool
	if err != nil {
		noticed = true
		if !strings.Contains(err.Error(), name) {
			fail("opening does not name the file: ", err)
		}
	} else {
		noticed = f.use(w, name, damage, fail)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
		fail("opening takes ", n>>20, " MB")
	}
	if noticed {
		f.noticed++
	}
	if noticed && !reported {
		fail("Check reports nothing, but opening: ", err)
	}
}

// check returns the damage that Check has found, and whether it has found something.
func (f *flips) check(fs *crashfs.FS) (damage string, found bool) {
	report, err := durable.Check(bg, fs)
	if err != nil {
		return err.Error(), true
	}
	return strings.Join(report.Damage, "\n"), err != nil || len(report.Damage) > 0 || slices.ContainsFunc(report.Notes, func(n string) bool { return strings.Contains(n, "not complete records") })
}

// use looks at a database that could be opened. It reports whether something was noticed.
func (f *flips) use(w *world, name, damage string, fail func(...any)) (noticed bool) {
	defer w.db.Close()
	warned := len(w.db.Repairs) > 0
	if w.db.Store.ReadOnly() != nil && !warned {
		fail("read only without a warning")
	}
	got, err := w.look()
	switch {
	case err != nil:
		if code(err) == sqlerr.InternalError || !strings.Contains(err.Error(), name) {
			fail("looking: ", err)
		}
		if !warned {
			f.tables(w, name, damage, fail)
		}
		return true
	case got.text == f.was[len(f.was)-1]:
		return warned
	case !warned:
		fail("looks different without a warning: ", got.describe())
	case !slices.Contains(f.was, got.text) && len(got.sections) > 0:
		fail("looks like nothing before: ", got.describe())
	case f.closed && w.db.Store.ReadOnly() == nil:
		fail("commits are lost, and it can be changed: ", w.db.Repairs)
	}
	return true
}

// tables requires that the tables that the damage does not touch can be read, and that errors of the others name
// the file, the place and the table.
func (f *flips) tables(w *world, file, damage string, fail func(...any)) {
	s := w.session()
	defer s.Close()
	whole := !strings.Contains(damage, "of table") // the damage is not that of one block
	failed := 0
	for table, want := range f.last.sections {
		plain := strings.ReplaceAll(table, "`", "")
		rows, err := s.rows("SELECT * FROM " + table)
		switch text := fmt.Sprint(err); {
		case err == nil:
			if !strings.HasSuffix(want, fmt.Sprintln(rows)) {
				fail(table, " has ", rows, ", not ", want)
			}
		case strings.Contains(want, "VIEW"):
		case !strings.Contains(text, file+" is damaged at byte") || !strings.Contains(text, "of table '"+plain+"'"):
			fail(table, ": the error does not name the file, the place and the table: ", err)
		case !whole && !strings.Contains(damage, "of table '"+plain+"'"):
			fail(table, " cannot be read, but the damage is ", damage)
		default:
			failed++
		}
	}
	if failed == 0 {
		fail("all tables can be read now")
	}
	f.touched++
}
