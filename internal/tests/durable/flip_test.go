package durable_test

import (
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

// TestFlips flips bits of the files of databases, closed and not. Opening fails, or the database is
// read only and warns, or the query that reads the column fails and names the file, or what crashes
// may lose is lost with a warning; otherwise the database is as before. Check reports every
// bit of a segment file and all that was noticed. GSQL_SEED=n and GSQL_FOR=10m work as in TestCrashes.
func TestFlips(t *testing.T) {
	seed, budget := sqltest.Seed(t), sqltest.NewBudget(t, 120)
	total, noticed := 0, 0
	for ; !budget.Spent() && !t.Failed(); seed++ {
		r := newRun(t, seed)
		r.memory = nil
		var was []string
		for range 15 {
			r.step()
			was = append(was, r.now.text)
		}
		unclosed := r.fs.Point()
		must(t, r.w.db.Close())
		for _, p := range []*crashfs.Point{unclosed, r.fs.Point()} {
			f := &flips{t: t, seed: seed, r: r.r, settings: r.settings, from: p, was: was, closed: p != unclosed}
			f.all(budget)
			total, noticed = total+f.total, noticed+f.noticed
		}
	}
	t.Logf("%d flips, %d noticed", total, noticed)
}

// flips flips bits of one database.
type flips struct {
	t        *testing.T
	seed     uint64
	r        *rand.Rand
	settings settings
	from     *crashfs.Point
	was      []string // what it has looked like
	closed   bool

	total, noticed int
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
	names = slices.DeleteFunc(names, func(name string) bool { return strings.Contains(dead, name) })
	for range 200 {
		if !budget.Next() || f.t.Failed() {
			return
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
	reported := f.check(fs)
	if strings.HasPrefix(name, "seg-") && !reported {
		fail("Check reports nothing")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w, err := open(fs, f.settings)
	var noticed bool
	if err != nil {
		noticed = true
		if !strings.Contains(err.Error(), name) && !strings.HasPrefix(name, "manifest-") {
			fail("opening does not name the file: ", err)
		}
	} else {
		noticed = f.use(w, name, fail)
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

// check reports whether Check has found something.
func (f *flips) check(fs *crashfs.FS) bool {
	report, err := durable.Check(bg, fs)
	return err != nil || len(report.Damage) > 0 || slices.ContainsFunc(report.Notes, func(n string) bool { return strings.Contains(n, "not complete records") })
}

// use looks at a database that could be opened. It reports whether something was noticed.
func (f *flips) use(w *world, name string, fail func(...any)) (noticed bool) {
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
