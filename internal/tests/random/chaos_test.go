package random_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gsql"
	"gsql/exec"
	"gsql/internal/inside"
	"gsql/internal/mem"
	"gsql/internal/sqlgen"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestChaos runs random statements under random limits of memory, numbers of workers and sizes of
// batches; it cancels some after a random time and leaves others before their end, on one
// connection or on several side by side, between which others commit. A statement that ends well
// gives what it gives without limits on one worker in the same snapshot, a change that fails leaves
// all as it was, and afterwards no memory is held, no mapping, goroutine or file is left. The seed
// is printed; GSQL_SEED=n repeats a run as far as goroutines allow, and GSQL_FOR=10m makes it
// longer.
func TestChaos(t *testing.T) {
	mem.PoisonFreed()
	exec.VerifyNotNull()
	seed, runs, ended := sqltest.Seed(t), 0, 0
	for budget := sqltest.NewBudget(t, 120); !budget.Spent() && !t.Failed(); seed++ {
		c := newChaos(t, seed, budget)
		c.round()
		for _, x := range c.connections {
			runs, ended = runs+x.runs, ended+x.ended
		}
	}
	t.Logf("%d runs, %d to their end", runs, ended)
}

// chaos is a database with connections that do as they please.
type chaos struct {
	t           *testing.T
	seed        uint64
	budget      *sqltest.Budget
	db          *gsql.DB
	dir         string // of temporary files
	goroutines  int    // at first
	mappings    int64  // at first
	connections []*connection
}

// connection runs statements on a session of its own.
type connection struct {
	*chaos
	s           *gsql.Session
	r           *rand.Rand
	gen         *sqlgen.Gen
	tables      []*sqlgen.Table
	alone       bool
	runs, ended int
}

// slowest is how long a statement may take that is run under all conditions, and longest how long
// any runs.
const slowest, longest = 20 * time.Millisecond, 300 * time.Millisecond

func newChaos(t *testing.T, seed uint64, budget *sqltest.Budget) *chaos {
	t.Helper()
	c := &chaos{t: t, seed: seed, budget: budget, dir: t.TempDir(), goroutines: runtime.NumGoroutine(), mappings: mem.Mappings()}
	db, err := gsql.Open(gsql.Config{Variables: map[string]string{"gsql_temp_directory": c.dir, "gsql_workers": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	c.db = db
	inside.Of(db).RunFewWithAll()
	r := rand.New(rand.NewPCG(seed, 0))
	inside.Of(db).SetSegmentRows(8 << r.IntN(8))
	tables := sqlgen.Tables(r, 0, 1, 30, 100+r.IntN(200), 600)
	cluster(r, tables[3])
	n := 1
	if seed%2 == 0 {
		n = 2 + r.IntN(3)
	}
	for i := range n {
		x := &connection{chaos: c, s: db.NewSession(), r: rand.New(rand.NewPCG(seed, uint64(i)+1)), tables: tables, alone: n == 1}
		x.gen = &sqlgen.Gen{R: x.r, Tables: tables, Dialect: sqlgen.All}
		c.connections = append(c.connections, x)
	}
	for _, table := range tables {
		for _, sql := range table.Script("") {
			sqltest.Run(t, c.connections[0].s, sql)
		}
	}
	return c
}

// round has all connections run some statements.
func (c *chaos) round() {
	var wg sync.WaitGroup
	for _, x := range c.connections {
		wg.Go(func() {
			defer x.s.Close()
			for i := 0; i < 30 && !c.t.Failed() && c.budget.Next(); i++ {
				last := x.step()
				if x.alone {
					c.nothingLeft(last)
				}
			}
		})
	}
	wg.Wait()
	c.nothingLeft("all connections")
	if err := c.db.Close(); err != nil {
		c.t.Error(err)
	}
}

// step runs a query or a change in every way, or changes something for all. It returns the statement.
func (x *connection) step() (sql string) {
	switch x.r.IntN(8) {
	case 0, 1:
		return x.commit()
	case 2:
		sql = x.gen.Change().String()
		x.inSnapshot(func() { x.change(sql) })
	case 3:
		sql = x.gen.Query().String()
		x.inSnapshot(func() { x.query(sql) })
	default:
		sql = x.gen.Block().Node().String()
		x.inSnapshot(func() { x.query(sql) })
	}
	return sql
}

// commit changes rows or tables.
func (x *connection) commit() string {
	table := x.tables[x.r.IntN(len(x.tables))]
	script := []string{x.gen.Change().String()}
	switch x.r.IntN(8) {
	case 0:
		script = append([]string{"DROP TABLE IF EXISTS " + table.Name}, table.Script("")...)
	case 1:
		script = []string{"CREATE TABLE n0 AS SELECT * FROM " + table.Name, "INSERT INTO n0 SELECT * FROM n0", "DROP TABLE n0"}
	case 2:
		script = []string{"DELETE FROM " + table.Name, "INSERT IGNORE" + strings.TrimPrefix(strings.Join(table.Script("")[1:], ";INSERT IGNORE"), "INSERT")}
	}
	for _, sql := range script {
		if _, err := x.exec(longest, sql); errors.Is(err, sqlerr.InternalError) {
			x.fail(sql, "", err)
		}
	}
	return script[len(script)-1]
}

// inSnapshot runs f in a transaction that is rolled back.
func (x *connection) inSnapshot(f func()) {
	sqltest.Run(x.t, x.s, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
	f()
	sqltest.Run(x.t, x.s, "ROLLBACK")
}

// query compares the answers to a query under several conditions with the answer without any.
func (x *connection) query(sql string) {
	start := time.Now()
	want, err := x.rows(longest, sql, -1)
	if err != nil || time.Since(start) > slowest {
		x.bug(sql, "", err)
		return
	}
	took := time.Since(start)
	for range 3 {
		way := x.conditions()
		limit, most := longest, -1
		switch x.r.IntN(4) {
		case 0:
			limit = time.Duration(x.r.Int64N(int64(2 * took)))
		case 1:
			most = x.r.IntN(4)
		}
		got, err := x.rows(limit, sql, most)
		switch {
		case err != nil:
			x.tolerate(sql, way, err)
		case most >= 0 && !among(got, want), most < 0 && !slices.Equal(got, want):
			x.fail(sql, way, fmt.Errorf("%d rows %.300q, otherwise %d rows %.300q", len(got), got, len(want), want))
		}
		x.normal()
	}
}

// change compares what a change does under several conditions with what it does without any. Keys
// that others have committed meanwhile are met by inserted rows, so that a connection that is not
// alone only sees that failed changes do nothing.
func (x *connection) change(sql string) {
	sqltest.Run(x.t, x.s, "SAVEPOINT p")
	before, start := x.all(), time.Now()
	n, err := x.exec(longest, sql)
	if err != nil || time.Since(start) > slowest {
		x.bug(sql, "", err)
		return
	}
	took, want := time.Since(start), x.all()
	for range 2 {
		sqltest.Run(x.t, x.s, "ROLLBACK TO p")
		way := x.conditions()
		limit := longest
		if x.r.IntN(3) == 0 {
			limit = time.Duration(x.r.Int64N(int64(2 * took)))
		}
		m, err := x.exec(limit, sql)
		if errors.Is(err, sqlerr.WriteConflict) && !x.alone { // which ends the transaction
			x.normal()
			return
		}
		if err != nil {
			m, n, want = 0, 0, before
		}
		if x.bug(sql, way, err); err != nil && x.alone {
			x.tolerate(sql, way, err)
		}
		x.normal()
		if got := x.all(); (x.alone || err != nil) && (m != n || !slices.Equal(got, want)) {
			x.fail(sql, way, fmt.Errorf("%d rows are changed, otherwise %d, or others (%v)", m, n, err))
		}
		if err != nil {
			return
		}
	}
}

// all returns the rows of all tables that are there.
func (x *connection) all() (rows []string) {
	for _, table := range x.tables {
		got, err := x.rows(time.Hour, "SELECT * FROM "+table.Name, -1)
		x.bug(table.Name, "", err)
		rows = append(rows, got...)
	}
	return rows
}

// conditions sets random ones and names them.
func (x *connection) conditions() string {
	limit := "0"
	if x.r.IntN(3) > 0 {
		limit = strconv.Itoa(1 << (10 + x.r.IntN(12)) * (8 + x.r.IntN(8)) / 8)
	}
	way := fmt.Sprintf("SET gsql_memory_limit = '%s', gsql_workers = %d, gsql_batch_size = %d", limit, 1+x.r.IntN(6), []int{1, 3, 50, 2048}[x.r.IntN(4)])
	sqltest.Run(x.t, x.s, way)
	return way
}

// normal sets the conditions of answers that others are compared with.
func (x *connection) normal() {
	sqltest.Run(x.t, x.s, "SET gsql_memory_limit = 0, gsql_workers = 1, gsql_batch_size = 2048")
}

// tolerate accepts errors that a statement has only under conditions: too little memory, and
// interruption.
func (x *connection) tolerate(sql, way string, err error) {
	switch {
	case errors.Is(err, sqlerr.OutOfMemory) && !strings.Contains(way, "limit = '0'"):
	case errors.Is(err, sqlerr.QueryInterrupted), errors.Is(err, sqlerr.QueryTimeout):
	default:
		x.fail(sql, way, err)
	}
}

// bug reports an error that no statement may end in.
func (x *connection) bug(sql, way string, err error) {
	if errors.Is(err, sqlerr.InternalError) {
		x.fail(sql, way, err)
	}
}

func (x *connection) fail(sql, way string, err error) {
	x.t.Errorf("seed %d: %v\n%s\n%s\n%v", x.seed, err, way, sql, errors.Unwrap(err)) // which tells where a panic was
}

// exec runs a statement for a time and returns the number of changed rows.
func (x *connection) exec(limit time.Duration, sql string) (int64, error) {
	x.runs++
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	n, _, err := x.s.Exec(ctx, sql)
	return n, err
}

// rows runs a query for a time and returns its rows as sorted texts, or those of its first batches.
func (x *connection) rows(limit time.Duration, sql string, batches int) (out []string, err error) {
	x.runs++
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	rows, err := x.s.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	for ; batches != 0; batches-- {
		b, err := rows.NextBatch()
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		if b == nil {
			x.ended++
			break
		}
		for i := range b.N {
			out = append(out, sqltest.Line(b, i))
		}
	}
	slices.Sort(out)
	return out, rows.Close()
}

// among reports whether sorted rows are among others, as often at most.
func among(some, all []string) bool {
	for _, row := range some {
		i, ok := slices.BinarySearch(all, row)
		if !ok {
			return false
		}
		all = all[i+1:]
	}
	return true
}

// nothingLeft waits for goroutines to end, and looks for what is left of statements.
func (c *chaos) nothingLeft(after string) {
	for range 12_000 {
		if runtime.NumGoroutine() <= c.goroutines+1 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if n := runtime.NumGoroutine() - c.goroutines - 1; n > 0 {
		c.t.Errorf("seed %d: %d goroutines are left after %s", c.seed, n, after)
	}
	if bytes, maps := inside.Of(c.db).MemoryUsed(), mem.Mappings()-c.mappings; bytes != 0 || maps != 0 {
		c.t.Errorf("seed %d: %d bytes and %d mappings are held after %s", c.seed, bytes, maps, after)
	}
	if files, err := os.ReadDir(c.dir); err != nil || len(files) > 0 {
		c.t.Errorf("seed %d: %v, %v are left after %s", c.seed, err, files, after)
	}
}
