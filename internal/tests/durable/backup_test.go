package durable_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"gsql/sql/sqlerr"
	"gsql/storage/durable"
	"gsql/storage/vfs"
	"gsql/storage/vfs/crashfs"
)

// accounts make a table of n accounts with 100 each and one of the transfers between them.
func accounts(t testing.TB, s session, n int) {
	t.Helper()
	must(t, s.exec("CREATE TABLE account (id INT PRIMARY KEY, balance BIGINT NOT NULL)"))
	must(t, s.exec("CREATE TABLE transfer (session INT, n INT, source INT, target INT, amount INT, PRIMARY KEY (session, n))"))
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf("(%d, 100)", i))
	}
	must(t, s.exec("INSERT INTO account VALUES "+strings.Join(rows, ", ")))
}

// pay moves money between accounts and notes it, again if it loses a conflict.
func (s session) pay(r *rand.Rand, i, n, accounts int) error {
	from, to, amount := r.IntN(accounts), r.IntN(accounts), 1+r.IntN(50)
	for {
		err := s.all("BEGIN",
			fmt.Sprintf("UPDATE account SET balance = balance - %d WHERE id = %d", amount, from),
			fmt.Sprintf("UPDATE account SET balance = balance + %d WHERE id = %d", amount, to),
			fmt.Sprintf("INSERT INTO transfer VALUES (%d, %d, %d, %d, %d)", i, n, from, to, amount),
			"COMMIT")
		if code(err) != sqlerr.WriteConflict {
			return err
		}
		_ = s.exec("ROLLBACK")
	}
}

// all runs statements until one fails.
func (s session) all(statements ...string) error {
	for _, sql := range statements {
		if err := s.exec(sql); err != nil {
			return err
		}
	}
	return nil
}

// balanced requires that every balance is what the transfers make of 100, and returns how many
// transfers of each session there are. Of each session, these are the first ones.
func (s session) balanced(sessions int) (done []int, err error) {
	if err := s.exec("START TRANSACTION READ ONLY"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.exec("COMMIT")) }()
	wrong, err := s.rows("SELECT id, balance, 100 + COALESCE((SELECT SUM(amount) FROM transfer WHERE target = id), 0) - COALESCE((SELECT SUM(amount) FROM transfer WHERE source = id), 0) AS should" +
		" FROM account HAVING balance <> should")
	if err == nil && len(wrong) > 0 {
		err = fmt.Errorf("account, balance, and what it should be: %q", wrong)
	}
	if err != nil {
		return nil, err
	}
	done = make([]int, sessions)
	rows, err := s.rows("SELECT session, COUNT(*), MAX(n) FROM transfer GROUP BY session")
	for _, row := range rows {
		var i, n, last int
		if _, err := fmt.Sscanf(strings.Join(row, ""), `"%d""%d""%d"`, &i, &n, &last); err != nil {
			return nil, err
		}
		if n != last {
			return nil, fmt.Errorf("session %d has %d transfers, the last one is number %d", i, n, last)
		}
		done[i] = n
	}
	return done, err
}

// TestBackupBesideWriters makes copies while sessions move money and checkpoints run. Each copy has
// balances that fit the transfers, at least those that were acknowledged before it began.
func TestBackupBesideWriters(t *testing.T) {
	const sessions, n = 3, 20
	w, err := open(crashfs.New(), settings{segmentRows: 16, logLimit: 1 << 12})
	must(t, err)
	accounts(t, w.session(), n)
	var acked [sessions]atomic.Int64
	var stop atomic.Bool
	var writers sync.WaitGroup
	for i := range sessions {
		writers.Go(func() {
			s, r := w.session(), rand.New(rand.NewPCG(1, uint64(i)))
			for k := 1; !stop.Load(); k++ {
				if err := s.pay(r, i, k, n); err != nil {
					t.Error(err)
					return
				}
				acked[i].Store(int64(k))
			}
		})
	}
	var last []int
	for range 12 {
		var least [sessions]int64
		for i := range acked {
			least[i] = acked[i].Load()
		}
		to := crashfs.New()
		must(t, w.db.Store.Backup(bg, to))
		b, err := open(to, settings{})
		must(t, err)
		done, err := b.session().balanced(sessions)
		must(t, err)
		for i, n := range done {
			if int64(n) < least[i] {
				t.Errorf("the copy has %d transfers of session %d, of %d that were acknowledged before", n, i, least[i])
			}
		}
		last = done
		must(t, b.db.Close())
	}
	stop.Store(true)
	writers.Wait()
	if last[0] == 0 {
		t.Error("there were no writers")
	}
	must(t, w.db.Close())
}

// ending is a file system that ends a context, or fails, at an operation.
type ending struct {
	*crashfs.FS
	left *atomic.Int64 // operations before end is called
	end  func()
}

func (e *ending) Create(name string) (vfs.File, error) {
	f, err := e.FS.Create(name)
	if err != nil {
		return nil, err
	}
	return &endingFile{f, e}, nil
}

type endingFile struct {
	vfs.File
	fs *ending
}

func (f *endingFile) WriteAt(b []byte, at int64) (int, error) {
	if f.fs.left.Add(-1) == 0 {
		f.fs.end()
	}
	return f.File.WriteAt(b, at)
}

// TestBackupLeavesNothing cancels copies at every write, and has every operation fail: there is no
// file afterwards, and the next attempt succeeds in the same folder.
func TestBackupLeavesNothing(t *testing.T) {
	w, err := open(crashfs.New(), settings{segmentRows: 16})
	must(t, err)
	s := w.session()
	must(t, s.exec("CREATE TABLE t (a INT, s VARCHAR(20))"))
	var rows [][]any
	for i := range 300 {
		rows = append(rows, []any{i, fmt.Sprint("text ", i)})
	}
	must(t, s.append("t", rows))
	must(t, s.exec("FLUSH LOGS"))
	must(t, s.append("t", rows)) // in a segment file of its own
	must(t, s.exec("CREATE TABLE u AS SELECT * FROM t LIMIT 700"))
	want, err := w.look()
	must(t, err)
	empty := func(to *crashfs.FS, what ...any) {
		t.Helper()
		names, err := to.List()
		must(t, err)
		if len(names) > 0 || to.Handles() > 0 {
			t.Errorf("%v: %q are left, %d files are open", fmt.Sprint(what...), names, to.Handles())
		}
	}
	complete := func(to *crashfs.FS) {
		t.Helper()
		must(t, w.db.Store.Backup(bg, to))
		b, err := open(to, settings{})
		must(t, err)
		got, err := b.look()
		must(t, err)
		if got.text != want.text {
			t.Errorf("the copy has\n%s\nwant\n%s", got.text, want.text)
		}
		must(t, b.db.Close())
	}
	whole := crashfs.New()
	complete(whole)
	cancels := 0
	for at := int64(1); ; at++ {
		to := crashfs.New()
		ctx, cancel := context.WithCancel(bg)
		left := &atomic.Int64{}
		left.Store(at)
		err := w.db.Store.Backup(ctx, &ending{to, left, cancel})
		cancel()
		if err == nil { // it was complete before it noticed
			if at > 40 {
				break
			}
			continue
		}
		if cancels++; code(err) != sqlerr.QueryInterrupted {
			t.Errorf("cancelled at write %d: %v", at, err)
		}
		empty(to, "cancelled at write ", at)
		complete(to)
	}
	for op := 1; op <= whole.Ops(); op++ {
		to := crashfs.New()
		to.Fail(op, syscall.ENOSPC, false)
		err := w.db.Store.Backup(bg, to)
		if err == nil {
			if to.Ops() >= op {
				continue // an operation whose failure does not matter
			}
			break
		}
		if !errors.Is(err, syscall.ENOSPC) || code(err) != sqlerr.ErrorOnWrite {
			t.Errorf("operation %d: %v", op, err)
		}
		empty(to, "operation ", op)
		complete(to)
	}
	if cancels < 2 {
		t.Errorf("%d copies were cancelled", cancels)
	}
	must(t, w.db.Close())
}

// TestBackupOfUncheckpointed copies a directory that is opened for reading, whose last commits are in
// the log only: files that the copy makes have other numbers than those that the log refers to.
func TestBackupOfUncheckpointed(t *testing.T) {
	fs := crashfs.New()
	w, err := open(fs, settings{})
	must(t, err)
	s := w.session()
	must(t, s.exec("CREATE TABLE t (a INT)"))
	var rows [][]any
	for i := range 40_000 {
		rows = append(rows, []any{i})
	}
	must(t, s.append("t", rows)) // a segment file that the manifest does not know
	must(t, s.exec("CREATE TABLE u (a INT)"))
	for i := range 700 { // too many rows for the copy's manifest
		must(t, s.exec(fmt.Sprintf("INSERT INTO u VALUES (%d)", i)))
	}
	want, err := w.look()
	must(t, err)
	crashed := fs.Point().Crash(crashfs.Killed, 0)
	must(t, w.db.Close())
	if names, _ := crashed.List(); !strings.Contains(fmt.Sprint(names), "seg-") {
		t.Fatalf("there is no segment file: %q", names)
	}
	r, err := open(crashed, settings{readonly: true})
	must(t, err)
	to := crashfs.New()
	must(t, r.db.Store.Backup(bg, to))
	must(t, r.db.Close())
	report, err := durable.Check(bg, to)
	must(t, err)
	if len(report.Damage) > 0 {
		t.Errorf("the copy is damaged: %q", report.Damage)
	}
	b, err := open(to, settings{})
	must(t, err)
	got, err := b.look()
	must(t, err)
	if got.text != want.text {
		t.Error("the copy is another database")
	}
	must(t, b.db.Close())
}

// locking calls a function before a lock is taken.
type locking struct {
	*crashfs.FS
	before func(name string)
}

func (l *locking) Lock(name string, exclusive bool) (io.Closer, error) {
	l.before(name)
	return l.FS.Lock(name, exclusive)
}

// TestBackupBesideALoad has a load commit after a copy has begun: the copy's own files have other numbers
// than the load's.
func TestBackupBesideALoad(t *testing.T) {
	fs := &locking{FS: crashfs.New(), before: func(string) {}}
	w, err := open(fs, settings{segmentRows: 16})
	must(t, err)
	s := w.session()
	must(t, s.exec("CREATE TABLE t (a INT)"))
	must(t, s.exec("CREATE TABLE u AS WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 100) SELECT n FROM r"))
	for i := range 30 { // segments in memory, which the copy gets in a file of its own
		must(t, s.exec(fmt.Sprintf("INSERT INTO u VALUES (%d), (1), (2)", i)))
	}
	loaded := false
	fs.before = func(name string) {
		if loaded || name != "READERS" {
			return
		}
		loaded = true
		var rows [][]any
		for i := range 100 {
			rows = append(rows, []any{i})
		}
		must(t, w.session().append("t", rows))
	}
	to := crashfs.New()
	must(t, w.db.Store.Backup(bg, to))
	if !loaded {
		t.Fatal("nothing was loaded")
	}
	b, err := open(to, settings{})
	must(t, err)
	rows, err := b.session().rows("SELECT COUNT(*), SUM(n), (SELECT SUM(a) FROM t) FROM u")
	must(t, err)
	if got := fmt.Sprint(rows); got != `[["190" "5575" "4950"]]` { // 100*101/2 + 30*(1+2) + 29*30/2, and 99*100/2
		t.Errorf("the copy has %s", got)
	}
	must(t, b.db.Close())
	must(t, w.db.Close())
}
