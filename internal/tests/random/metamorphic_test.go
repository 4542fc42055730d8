package random_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/exec"
	"gsql/internal/mem"
	"gsql/internal/sqlgen"
	"gsql/internal/sqltest"
	"gsql/planner"
	"gsql/sql/sqlerr"
)

// TestMetamorphic runs random queries in ways that must not change their answers: split
// by a predicate into TRUE, FALSE and NULL, FULL JOIN taken apart, with rules disabled,
// with each join algorithm forced, with other numbers of workers and rows a batch, and in
// little memory, where error 1037 is an answer too. The seed is printed; GSQL_SEED=n
// repeats a run, and GSQL_FOR=10m makes it longer.
func TestMetamorphic(t *testing.T) {
	mem.PoisonFreed()
	exec.VerifyNotNull()
	seed := sqltest.Seed(t)
	budget := sqltest.NewBudget(t, 300)
	runs, queries := 0, 0
	for ; !budget.Spent(); seed++ {
		m := newMetamorphic(t, seed)
		for i := 0; i < 40 && budget.Next(); i++ {
			m.check(m.gen.Block())
			queries++
		}
		runs += m.runs
	}
	t.Logf("%d queries, %d runs", queries, runs)
}

// metamorphic makes queries over its tables and runs them.
type metamorphic struct {
	t    *testing.T
	seed uint64
	s    *gsql.Session
	gen  *sqlgen.Gen
	r    *rand.Rand
	runs int
	slow time.Duration // a query that takes longer is not run again
}

func newMetamorphic(t *testing.T, seed uint64) *metamorphic {
	r := rand.New(rand.NewPCG(seed, 0))
	tables := sqlgen.Tables(r, 0, 1, 6, 20, 5000)
	segmentRows := 1 << 17
	if seed%3 == 0 { // many segments, with columns of runs
		segmentRows = 16 << r.IntN(8)
		for _, table := range tables[1:] {
			cluster(r, table)
		}
	}
	m := loaded(t, seed, r, tables, segmentRows)
	m.gen, m.slow = &sqlgen.Gen{R: m.r, Tables: tables, Dialect: sqlgen.All}, 50*time.Millisecond
	if seed%4 > 0 { // mostly small tables, for more queries
		m.gen.Tables, m.slow = tables[:4], 10*time.Millisecond
	}
	return m
}

// check runs a query in every way.
func (m *metamorphic) check(b *sqlgen.Block) {
	sql := b.Node().String()
	start := time.Now()
	want, err := m.rows(sql)
	if err != nil {
		m.tolerate(sql, "default", err)
		return
	}
	if time.Since(start) > m.slow {
		return
	}
	same := func(sql, way string) {
		if got, err := m.rows(sql); err != nil {
			m.tolerate(sql, way, err)
		} else if !slices.Equal(got, want) {
			m.differ(way, sql, got, want)
		}
	}
	for _, hint := range []string{"HASH_JOIN", "INDEX_JOIN", "MERGE_JOIN", "RADIX_JOIN", "NL_JOIN", "RANGE_JOIN"} {
		if len(b.Aliases) > 1 {
			hinted := *b
			hinted.Hint = "/*+ " + hint + "(" + strings.Join(b.Aliases, ", ") + ") */ "
			same(hinted.Node().String(), hint)
		}
	}
	names := planner.RuleNames()
	m.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, off := range append(names[:6:6], strings.Join(names, ",")) {
		m.with("gsql_disable_rules", off, func() { same(sql, "without "+off) })
	}
	for _, n := range []string{"1", "4"} {
		m.with("gsql_workers", n, func() { same(sql, n+" workers") })
	}
	for _, n := range []string{"1", "3"} {
		m.with("gsql_batch_size", n, func() { same(sql, n+" rows a batch") })
	}
	for _, n := range []string{"20KB", "300KB", "2MB"} {
		m.with("gsql_memory_limit", n, func() { same(sql, n+" of memory") })
	}
	m.split(b, want)
	m.splitAggregates(b)
	m.countWithoutFilter(b)
	m.takeApart(b)
}

// split compares a query with the union of its parts, by a predicate on its rows or, for
// a grouped one, on its groups.
func (m *metamorphic) split(b *sqlgen.Block, want []string) {
	part := func(format string) *sqlgen.Block { return b.And(sqlgen.N(sqlgen.Bool, format, b.Split)) }
	if b.Grouped {
		if b.Having != nil || b.Filter == nil {
			return
		}
		part = func(format string) *sqlgen.Block {
			c := *b
			c.Having = sqlgen.N(sqlgen.Bool, format, b.Filter)
			return &c
		}
	}
	if !b.Grouped && strings.Contains(b.Node().String(), " OVER ") {
		return // windows see the rows of their part alone
	}
	var got []string
	for _, format := range []string{"$", "(NOT $)", "($ IS NULL)"} {
		sql := part(format).Node().String()
		rows, err := m.rows(sql)
		if err != nil {
			m.tolerate(sql, "split", err)
			return
		}
		got = append(got, rows...)
	}
	slices.Sort(got)
	if b.Distinct { // of doubles also those that look the same once they are rounded
		got, want = slices.Compact(got), slices.Compact(slices.Clone(want))
	}
	if !slices.Equal(got, want) {
		m.differ("split by "+part("$").Node().String(), b.Node().String(), got, want)
	}
}

// splitAggregates compares aggregates of all rows with those of the parts' aggregates.
func (m *metamorphic) splitAggregates(b *sqlgen.Block) {
	v := b.Values
	partial := b.With(sqlgen.N("", "COUNT(*)"), sqlgen.N("", "SUM($)", v[0]), sqlgen.N("", "MIN($)", v[1]), sqlgen.N("", "MAX($)", v[2]))
	var parts []string
	for _, format := range []string{"$", "(NOT $)", "($ IS NULL)"} {
		parts = append(parts, partial.And(sqlgen.N(sqlgen.Bool, format, b.Split)).Node().String())
	}
	m.agree("parts of aggregates", partial.Node().String(), "SELECT SUM(c0), SUM(c1), MIN(c2), MAX(c3) FROM ("+strings.Join(parts, " UNION ALL ")+") AS x")
}

// countWithoutFilter compares a count of filtered rows with one of rows for which the
// predicate, computed as a value, is true.
func (m *metamorphic) countWithoutFilter(b *sqlgen.Block) {
	plain := b.With(sqlgen.N("", "COUNT(*)"))
	plain.Where = b.Split
	value := b.With(sqlgen.N("", "($ IS TRUE)", b.Split))
	value.Where = nil
	m.agree("no filter", plain.Node().String(), "SELECT COALESCE(SUM(c0), 0) FROM ("+value.Node().String()+") AS x")
}

// agree runs two queries that must give the same.
func (m *metamorphic) agree(way, a, b string) {
	want, err := m.rows(a)
	if err != nil {
		m.tolerate(a, way, err)
		return
	}
	got, err := m.rows(b)
	if err != nil {
		m.tolerate(b, way, err)
	} else if !slices.Equal(got, want) {
		m.differ(way, a+"\n"+b, got, want)
	}
}

func (m *metamorphic) differ(way, sql string, got, want []string) {
	m.t.Fatalf("seed %d, %s: %d rows %.300q, otherwise %d rows %.300q\n%s", m.seed, way, len(got), got, len(want), want, sql)
}

// tolerate accepts errors that a query may have one way and not another: too little
// memory, too long, and overflow, which depends on the rows that are computed.
func (m *metamorphic) tolerate(sql, way string, err error) {
	for _, code := range []sqlerr.Code{sqlerr.OutOfMemory, sqlerr.QueryTimeout, sqlerr.QueryInterrupted, sqlerr.DataOutOfRange} {
		if errors.Is(err, code) {
			return
		}
	}
	m.t.Fatalf("seed %d, %s: %v\n%s\n%v", m.seed, way, err, sql, errors.Unwrap(err)) // which tells where a panic was
}

// with sets a variable while f runs.
func (m *metamorphic) with(name, value string, f func()) {
	sqltest.Run(m.t, m.s, "SET "+name+" = '"+value+"'")
	f()
	sqltest.Run(m.t, m.s, "SET "+name+" = DEFAULT")
}

// rows returns the rows of a query as sorted texts, with those digits of doubles that do not depend
// on an order. It has a time limit.
func (m *metamorphic) rows(sql string) ([]string, error) {
	m.runs++
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	return sqltest.SortedLines(ctx, m.s, sql)
}
