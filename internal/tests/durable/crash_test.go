package durable_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gsql/internal/sqltest"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/storage/vfs/crashfs"
)

// TestCrashes runs random statements on a database whose file system is copied after every
// operation, and opens the copies as crashes may leave them: with all that was acknowledged, and
// nothing else but what was being committed. Some copies run more statements and crash again. In every
// other run, the same statements run on a database in memory, which must look the same. GSQL_SEED=n repeats a run as far
// as checkpoints in the background allow, and GSQL_FOR=10m makes it longer.
func TestCrashes(t *testing.T) {
	seed, budget := sqltest.Seed(t), sqltest.NewBudget(t, 40)
	var points, again, statements, failed atomic.Int64
	next := atomic.Uint64{}
	next.Store(seed)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for !budget.Spent() && !t.Failed() {
				r := newRun(t, next.Add(1)-1)
				r.steps(budget)
				points.Add(r.opened)
				again.Add(r.again)
				statements.Add(r.statements)
				failed.Add(r.failed)
			}
		})
	}
	workers.Wait()
	t.Logf("%d crash points, %d of them second crashes; %d statements, of which %d failed", points.Load(), again.Load(), statements.Load(), failed.Load())
}

// run is one database, from its creation on.
type run struct {
	*program
	t        *testing.T
	seed     uint64
	settings settings
	log      []string // what has been done

	fs *crashfs.FS
	w  *world
	s  session

	memory *world // the same database in memory, nil if it is not compared
	twin   session

	now *image // what is committed

	mu     sync.Mutex
	points []*crashfs.Point // not examined yet

	second bool // the file system is that of a crash already

	opened, again, statements, failed int64
}

func newRun(t *testing.T, seed uint64) *run {
	r := &run{program: &program{r: rand.New(rand.NewPCG(seed, 1)), databases: several}, t: t, seed: seed, fs: crashfs.New()}
	r.settings = settings{segmentRows: 1 + r.r.IntN(60)}
	r.watch()
	if seed%2 == 0 { // checkpoints in the background also rewrite tables, after which statements may be repeated and skip counters
		r.settings.logLimit = 1 << (8 + r.r.IntN(12))
	} else {
		r.memory = r.create()
	}
	r.open(&image{})
	return r
}

// create makes a database in memory and one on the file system.
func (r *run) create() *world {
	m, err := open(nil, r.settings)
	if err != nil {
		r.fatal(err)
	}
	r.twin = m.session()
	return m
}

func (r *run) watch() {
	r.fs.Watch(func(p *crashfs.Point) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.points = append(r.points, p)
	})
}

// fatal reports a failure with all that led to it. It may be called by any goroutine.
func (r *run) fatal(args ...any) {
	r.t.Helper()
	tail := r.log[max(0, len(r.log)-40):]
	r.t.Errorf("seed %d, %+v, second %v:\n%s\n%s", r.seed, r.settings, r.second, strings.Join(tail, "\n"), fmt.Sprint(args...))
	runtime.Goexit()
}

// open opens the database and examines the crashes meanwhile. was is what it may look like as well.
func (r *run) open(was ...*image) {
	var err error
	if r.w, err = open(r.fs, r.settings); err != nil {
		r.fatal("opening: ", err)
	}
	if len(r.w.db.Repairs) > 0 && !r.second {
		r.fatal("opening warns: ", r.w.db.Repairs)
	}
	r.s = r.w.session()
	r.now = r.look()
	r.examine(append(was, r.now)...)
	if r.memory != nil {
		r.alignCounters()
	}
}

func (r *run) look() *image {
	got, err := r.w.look()
	if err != nil {
		r.fatal("looking: ", err)
	}
	for table, n := range got.counter {
		got.least[table] = n
	}
	return got
}

// alignCounters sets the counters of the twin's tables to those of the database, which has forgotten those of
// statements that failed.
func (r *run) alignCounters() {
	for table, n := range r.now.counter {
		if err := r.twin.exec(fmt.Sprintf("ALTER TABLE %s AUTO_INCREMENT = %d", table, n)); err != nil {
			r.fatal("twin: ", table, err)
		}
	}
}

// steps runs random steps, a step of the budget each.
func (r *run) steps(budget *sqltest.Budget) {
	for i := 0; i < 60 && budget.Next() && !r.t.Failed(); i++ {
		r.step()
	}
	r.note("close")
	if err := r.w.db.Close(); err != nil {
		r.fatal("closing: ", err)
	}
	r.examine(r.now)
	r.nothingOpen(r.fs)
	if r.memory != nil {
		must(r.t, r.memory.db.Close())
	}
}

func (r *run) note(what string) { r.log = append(r.log, what) }

func (r *run) step() {
	switch r.r.IntN(24) {
	case 0:
		r.note("reopen")
		r.s.Close()
		if err := r.w.db.Close(); err != nil {
			r.fatal("closing: ", err)
		}
		was := r.now
		if r.memory != nil {
			r.twin.Close()
			r.twin = r.memory.session()
		}
		r.open(was)
	case 1, 2:
		r.both("FLUSH LOGS")
	case 3:
		r.load()
	case 4:
		r.backup()
	default:
		for _, sql := range r.transaction() {
			r.both(sql)
		}
	}
}

// both runs a statement on both databases and examines what crashes leave.
func (r *run) both(sql string) {
	r.note(sql)
	r.statements++
	err := r.s.exec(sql)
	if err != nil {
		r.failed++
		r.log[len(r.log)-1] += fmt.Sprint(" -- ", err)
		r.expected(err)
	}
	if r.memory != nil {
		if other := r.twin.exec(sql); code(other) != code(err) {
			r.fatal("in memory: ", other)
		}
	}
	exact := ""
	if m := counterSetting.FindStringSubmatch(sql); m != nil && err == nil {
		exact = qualified(m[1]) + "." + qualified(m[2])
	}
	r.settle(exact)
}

// qualified quotes a name of a database or table as look does.
func qualified(name string) string {
	if name == "" {
		name = "gsql"
	}
	return catalog.QuoteName(strings.Trim(name, "`"))
}

// code returns the number of an error, 0 without one.
func code(err error) sqlerr.Code {
	if err == nil {
		return 0
	}
	return sqlerr.From(err).Code
}

// expected stops the test at errors that statements must not have.
func (r *run) expected(err error) {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code == sqlerr.InternalError || e.Code == sqlerr.ErrorOnWrite || e.Code == sqlerr.OptionPreventsStatement {
		r.fatal(err)
	}
}

// settle compares the databases and examines the crashes during the last statement.
func (r *run) settle(exact string) {
	was := r.now
	now, err := r.w.look()
	if err != nil {
		r.fatal("looking: ", err)
	}
	r.now = now.since(was, exact)
	r.existing = slices.Sorted(maps.Keys(now.sections))
	if r.memory != nil {
		other, err := r.memory.look()
		if err != nil {
			r.fatal("looking at memory: ", err)
		}
		if other.text != now.text {
			r.fatal("differs from memory\n", now.text, "\nin memory\n", other.text)
		}
	}
	r.examine(was, r.now)
}

// load appends rows to a table.
func (r *run) load() {
	table := r.pick("t1", "t2", "t3")
	columns, err := r.s.rows("SELECT column_name FROM information_schema.columns WHERE table_schema = 'gsql' AND generation_expression = '' AND table_name = '" + table + "' ORDER BY ordinal_position")
	if err != nil {
		r.fatal(err)
	}
	n := 1 + r.r.IntN(150)
	rows := make([][]any, n)
	for i := range rows {
		for _, c := range columns {
			switch c[0] {
			case `"id"`, `"a"`:
				rows[i] = append(rows[i], 1000*r.fresh())
			case `"s"`:
				rows[i] = append(rows[i], fmt.Sprint("load ", r.fresh()))
			default:
				rows[i] = append(rows[i], nil)
			}
		}
	}
	r.note(fmt.Sprint("load ", n, " rows into ", table))
	err = r.s.append(table, rows)
	if err != nil {
		r.log[len(r.log)-1] += fmt.Sprint(" -- ", err)
		r.expected(err)
	}
	if r.memory != nil {
		if other := r.twin.append(table, rows); code(other) != code(err) {
			r.fatal("in memory: ", other)
		}
	}
	r.settle("")
}

// backup makes a copy, which must be complete or not open.
func (r *run) backup() {
	r.note("backup")
	to := crashfs.New()
	var points []*crashfs.Point
	to.Watch(func(p *crashfs.Point) { points = append(points, p) })
	if err := r.w.db.Store.Backup(bg, to); err != nil {
		r.fatal("backup: ", err)
	}
	r.settle("")
	last := to.Point()
	for _, p := range points {
		for _, keep := range crashfs.Keeps {
			r.opened++
			r.backedUp(p, keep, false)
		}
	}
	r.backedUp(last, crashfs.None, true)
}

// backedUp opens a backup after a crash.
func (r *run) backedUp(p *crashfs.Point, keep crashfs.Keep, complete bool) {
	w, err := open(p.Crash(keep, r.r.Uint64()), r.settings)
	if err != nil {
		if complete {
			r.fatal("opening the backup: ", err)
		}
		return
	}
	got, err := w.look()
	if err != nil {
		r.fatal("looking at the backup: ", err)
	}
	empty := len(got.sections) == 0 && !complete
	if !got.matches(r.now) && !empty {
		r.fatal("the backup, after ", p.Op, " with ", keep, " kept, has\n", got.describe(), "\nwant\n", r.now.describe())
	}
	must(r.t, w.db.Close())
}

// examine opens the copies that were made since the last call. Each must look like one of the images.
func (r *run) examine(may ...*image) {
	r.mu.Lock()
	points := r.points
	r.points = nil
	r.mu.Unlock()
	for _, p := range points {
		if r.second && r.r.IntN(4) > 0 {
			continue
		}
		for _, keep := range crashfs.Keeps {
			r.crash(p, keep, may)
			if r.t.Failed() {
				return
			}
		}
	}
}

// crash opens one copy.
func (r *run) crash(p *crashfs.Point, keep crashfs.Keep, may []*image) {
	r.opened++
	fs := p.Crash(keep, r.r.Uint64())
	if !r.second && r.r.IntN(20) == 0 {
		r.goOn(fs, p, keep, may)
		return
	}
	w, err := open(fs, r.settings)
	if err != nil {
		r.fatal("after ", p.Op, " with ", keep, " kept: ", err)
	}
	r.compare(w, p, keep, may)
	if err := w.db.Close(); err != nil {
		r.fatal("after ", p.Op, " with ", keep, " kept, closing: ", err)
	}
	r.nothingOpen(fs)
}

// nothingOpen requires that all files are closed, those of segments that nothing refers to by the
// garbage collector.
func (r *run) nothingOpen(fs *crashfs.FS) {
	for try := 0; fs.Handles() > 0; try++ {
		if try == 100 {
			r.fatal(fs.Handles(), " files are open after closing")
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// compare requires that a database that was opened after a crash looks like one of the images, and
// returns what it looks like.
func (r *run) compare(w *world, p *crashfs.Point, keep crashfs.Keep, may []*image) *image {
	got, err := w.look()
	if err != nil {
		r.fatal("after ", p.Op, " with ", keep, " kept, looking: ", err)
	}
	var wanted []string
	for _, want := range may {
		if want.text == "" && len(got.sections) == 0 || got.matches(want, may...) {
			return got
		}
		wanted = append(wanted, want.describe())
	}
	r.fatal("after ", p.Op, " with ", keep, " kept:\n", got.describe(), "\nwant one of\n", strings.Join(wanted, "\nor\n"))
	return nil
}

// goOn opens a copy, runs some more statements, and has it crash again at every operation.
func (r *run) goOn(fs *crashfs.FS, p *crashfs.Point, keep crashfs.Keep, may []*image) {
	again := &run{program: &program{r: r.r, values: r.values + 1000, databases: several}, t: r.t, seed: r.seed, settings: r.settings, fs: fs, second: true}
	again.log = append(again.log, r.log...)
	again.note(fmt.Sprintf("crash after %+v with %v kept", p.Op, keep))
	again.watch()
	again.open(may...)
	again.compare(again.w, p, keep, may)
	for range 1 + r.r.IntN(4) {
		again.step()
	}
	again.note("close")
	if err := again.w.db.Close(); err != nil {
		again.fatal("closing: ", err)
	}
	again.examine(again.now)
	again.nothingOpen(fs)
	r.opened += again.opened
	r.again += again.opened
	r.statements += again.statements
	r.failed += again.failed
}
