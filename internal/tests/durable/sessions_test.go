package durable_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gsql/internal/sqltest"
	"gsql/storage/vfs/crashfs"
)

// TestSessions has sessions move money between the same accounts, keep sums of what they see in tables
// of their own, drop, rename and empty those, and load, while checkpoints run. The file system is copied
// after every operation, with what each session was told by then. A copy has all that was
// acknowledged, of each session at most one commit more, and balances that fit. Meanwhile a reader requires
// the same of its snapshots. GSQL_SEED and GSQL_FOR=10m work as in TestCrashes.
func TestSessions(t *testing.T) {
	seed, budget := sqltest.Seed(t), sqltest.NewBudget(t, 1)
	points, snapshots, commits := 0, 0, 0
	for ; budget.Next() && !t.Failed(); seed++ {
		c := &crowd{t: t, seed: seed, fs: crashfs.New(), r: rand.New(rand.NewPCG(seed, 3))}
		c.run()
		points, snapshots, commits = points+c.opened, snapshots+c.snapshots, commits+c.commits
	}
	t.Logf("%d crash points, %d snapshots, %d commits", points, snapshots, commits)
}

// Sizes of a crowd.
const (
	crowdSessions = 4
	crowdAccounts = 12
	crowdActions  = 10 // of a session
)

// crowd are sessions of one database.
type crowd struct {
	t        *testing.T
	seed     uint64
	r        *rand.Rand
	fs       *crashfs.FS
	settings settings
	w        *world

	acked [crowdSessions]atomic.Int64 // actions that a session has been told of

	mu     sync.Mutex
	points []crowdPoint

	opened, snapshots, commits int
}

// crowdPoint is a copy of the file system, and what was acknowledged by then.
type crowdPoint struct {
	*crashfs.Point
	acked [crowdSessions]int64
}

func (c *crowd) now() (acked [crowdSessions]int64) {
	for i := range acked {
		acked[i] = c.acked[i].Load()
	}
	return acked
}

func (c *crowd) run() {
	c.settings = settings{segmentRows: 8 + c.r.IntN(40), logLimit: 1 << (9 + c.r.IntN(6))}
	var err error
	c.w, err = open(c.fs, c.settings)
	must(c.t, err)
	s := c.w.session()
	accounts(c.t, s, crowdAccounts)
	for i := range crowdSessions {
		must(c.t, s.exec(fmt.Sprintf("CREATE DATABASE s%d", i)))
	}
	c.fs.Watch(func(p *crashfs.Point) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.points = append(c.points, crowdPoint{p, c.now()})
	})
	var sessions, reader sync.WaitGroup
	var stop atomic.Bool
	for i := range crowdSessions {
		sessions.Go(func() { c.session(i) })
	}
	reader.Go(func() {
		s := c.w.session()
		for !stop.Load() {
			c.snapshots++
			if _, err := s.balanced(crowdSessions); err != nil {
				c.t.Errorf("seed %d, a snapshot: %v", c.seed, err)
				return
			}
		}
	})
	sessions.Wait()
	stop.Store(true)
	reader.Wait()
	must(c.t, c.w.db.Close())
	c.fs.Watch(nil)
	for _, n := range c.now() {
		c.commits += int(n)
	}
	c.points = append(c.points, crowdPoint{c.fs.Point(), c.now()})
	for _, p := range c.points {
		c.crash(p)
		if c.t.Failed() {
			return
		}
	}
}

// action is what a session does as its n-th commit.
type action struct {
	transfer bool
	load     int // rows for its last table
	sql      string
	tables   []string // that the session has afterwards, with their numbers of rows
}

// script returns the actions of a session.
func (c *crowd) script(i int) (list []action) {
	r := rand.New(rand.NewPCG(c.seed, uint64(100+i)))
	type table struct {
		name string
		rows int
	}
	var have []table
	db := fmt.Sprintf("s%d.", i)
	for n := 1; n <= crowdActions; n++ {
		a := action{}
		k := max(0, len(have)-1)
		switch what := r.IntN(10); {
		case what < 4:
			a.transfer = true
		case what < 6 || len(have) == 0:
			have = append(have, table{fmt.Sprint("t", n), 1})
			a.sql = fmt.Sprintf("CREATE TABLE %st%d AS SELECT SUM(balance) AS total, COUNT(*) AS n FROM gsql.account", db, n)
		case what == 6:
			a.sql = fmt.Sprintf("DROP TABLE %s%s", db, have[0].name)
			have = slices.Clone(have[1:])
		case what == 7:
			name := fmt.Sprint("r", n)
			a.sql = fmt.Sprintf("RENAME TABLE %s%s TO %s%s", db, have[k].name, db, name)
			have = slices.Clone(have)
			have[k].name = name
		case what == 8:
			a.sql = fmt.Sprintf("TRUNCATE TABLE %s%s", db, have[k].name)
			have = slices.Clone(have)
			have[k].rows = 0
		default:
			a.load = 1 + r.IntN(60)
			a.sql = db + have[k].name // the table
			have = slices.Clone(have)
			have[k].rows += a.load
		}
		for _, t := range have {
			a.tables = append(a.tables, fmt.Sprint(t.name, ":", t.rows))
		}
		slices.Sort(a.tables)
		list = append(list, a)
	}
	return list
}

// session runs a session's actions.
func (c *crowd) session(i int) {
	s, r := c.w.session(), rand.New(rand.NewPCG(c.seed, uint64(i)))
	defer s.Close()
	transfers := 0
	for n, a := range c.script(i) {
		var err error
		switch {
		case a.transfer:
			transfers++
			err = s.pay(r, i, transfers, crowdAccounts)
		case a.load > 0:
			rows := make([][]any, a.load)
			for k := range rows {
				rows[k] = []any{100 * crowdAccounts, crowdAccounts}
			}
			err = s.load(a.sql, rows)
		default:
			err = s.exec(a.sql)
		}
		if err != nil {
			c.t.Errorf("seed %d, session %d, action %d, %+v: %v", c.seed, i, n+1, a, err)
			return
		}
		c.acked[i].Store(int64(n + 1))
	}
}

// load appends rows to a table of another database than the session's.
func (s session) load(table string, rows [][]any) error {
	db, name, _ := strings.Cut(table, ".")
	if err := s.exec("USE " + db); err != nil {
		return err
	}
	return errors.Join(s.append(name, rows), s.exec("USE gsql"))
}

// crash opens what crashes at a point leave.
func (c *crowd) crash(p crowdPoint) {
	for _, keep := range crashfs.Keeps {
		c.opened++
		w, err := open(p.Crash(keep, c.r.Uint64()), c.settings)
		if err == nil {
			err = c.found(w, p.acked)
			if closed := w.db.Close(); err == nil {
				err = closed
			}
		}
		if err != nil {
			c.t.Errorf("seed %d, %+v, after %+v with %v kept and %v acknowledged: %v", c.seed, c.settings, p.Op, keep, p.acked, err)
			return
		}
	}
}

// found requires that a database has what was acknowledged, and of each session at most one commit more.
func (c *crowd) found(w *world, acked [crowdSessions]int64) error {
	s := w.session()
	defer s.Close()
	transfers, err := s.balanced(crowdSessions)
	if err != nil {
		return err
	}
	for i, n := range transfers {
		tables, err := s.tables(i)
		if err != nil {
			return err
		}
		if err := fits(c.script(i), int(acked[i]), n, tables); err != nil {
			return fmt.Errorf("session %d: %w", i, err)
		}
	}
	return nil
}

// tables lists a session's tables with their numbers of rows. Each row must have the sum of all balances at
// any time.
func (s session) tables(i int) (out []string, err error) {
	names, err := s.rows(fmt.Sprintf("SELECT table_name FROM information_schema.tables WHERE table_schema = 's%d'", i))
	if err != nil {
		return nil, err
	}
	for _, row := range names {
		name := strings.Trim(row[0], `"`)
		got, err := s.rows(fmt.Sprintf("SELECT COUNT(*), COALESCE(SUM(total <> %d OR n <> %d), 0) FROM s%d.%s", 100*crowdAccounts, crowdAccounts, i, name))
		if err != nil {
			return nil, err
		}
		if got[0][1] != `"0"` {
			return nil, fmt.Errorf("table %s has %q", name, got)
		}
		out = append(out, name+":"+strings.Trim(got[0][0], `"`))
	}
	slices.Sort(out)
	return out, nil
}

// fits requires that what is found is that of a session after so many of its actions, or one more.
func fits(script []action, acked, transfers int, tables []string) error {
	made := 0
	for n := 0; n <= min(acked+1, len(script)); n++ {
		var want []string
		if n > 0 {
			if want = script[n-1].tables; script[n-1].transfer {
				made++
			}
		}
		if n >= acked && made == transfers && slices.Equal(want, tables) {
			return nil
		}
	}
	return fmt.Errorf("there are %d transfers and the tables %q after %d of %+v", transfers, tables, acked, script)
}
