package random_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql"
	"gsql/internal/inside"
	"gsql/internal/sqlgen"
	"gsql/internal/sqltest"
)

// TestRunsAnswer runs random queries and changes over tables whose columns are kept as runs,
// and over the same rows in no segment. GSQL_FOR=10m makes it longer.
func TestRunsAnswer(t *testing.T) {
	seed := sqltest.Seed(t)
	budget := sqltest.NewBudget(t, 240)
	queries := 0
	for ; !budget.Spent(); seed++ {
		r := rand.New(rand.NewPCG(seed, 9))
		tables := sqlgen.Tables(r, 300+r.IntN(500), 1, 6, 20)
		cluster(r, tables[0])
		x := &inRuns{runs: loaded(t, seed, r, tables, 32<<r.IntN(5))}
		r.Shuffle(len(tables[0].Rows), func(i, j int) {
			rows := tables[0].Rows
			rows[i], rows[j] = rows[j], rows[i]
		})
		x.plain = loaded(t, seed, r, tables, 1<<20)
		gen, changes := &sqlgen.Gen{R: r, Tables: tables, Dialect: sqlgen.All}, &sqlgen.Gen{R: r, Tables: tables, Dialect: sqlgen.All}
		if seed%2 == 0 {
			gen.Tables = tables[:1]
		}
		for i := 0; i < 60 && budget.Next(); i++ {
			if i%10 == 9 {
				x.change(changes.Change().String())
			}
			x.compare(gen.Block().Node().String())
			queries++
		}
	}
	t.Logf("%d queries", queries)
}

// cluster makes the values of each column but the first come in runs.
func cluster(r *rand.Rand, t *sqlgen.Table) {
	for c := range t.Cols[1:] {
		mean := 1 + r.IntN(80)
		for i := range t.Rows[1:] {
			if r.IntN(mean) > 0 {
				t.Rows[i+1][c+1] = t.Rows[i][c+1]
			}
		}
	}
}

// inRuns has the same rows with runs and without.
type inRuns struct{ runs, plain *metamorphic }

// loaded makes a database of tables that are cut into segments of so many rows.
func loaded(t *testing.T, seed uint64, r *rand.Rand, tables []*sqlgen.Table, segmentRows int) *metamorphic {
	t.Helper()
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		t.Fatal(err)
	}
	inside.Of(db).SetSegmentRows(segmentRows)
	if seed%2 == 0 {
		inside.Of(db).RunFewWithAll()
	}
	m := &metamorphic{t: t, seed: seed, s: db.NewSession(), r: r}
	t.Cleanup(func() { m.s.Close(); db.Close() })
	for _, table := range tables {
		for _, sql := range table.Script("") {
			sqltest.Run(t, m.s, sql)
		}
	}
	return m
}

// compare runs a query on both, in batches of several sizes.
func (x *inRuns) compare(sql string) {
	want, err := x.plain.rows(sql)
	if err != nil {
		x.plain.tolerate(sql, "without runs", err)
		return
	}
	for _, size := range []string{"DEFAULT", "3", "100"} {
		sqltest.Run(x.runs.t, x.runs.s, "SET gsql_batch_size = "+size)
		got, err := x.runs.rows(sql)
		if err != nil {
			x.runs.tolerate(sql, "with runs", err)
		} else if !slices.Equal(got, want) {
			x.runs.differ("with runs, "+size+" rows a batch", sql, got, want)
		}
	}
}

// change runs a statement on both; it must do the same.
func (x *inRuns) change(sql string) {
	n, _, err := x.plain.s.Exec(context.Background(), sql)
	n2, _, err2 := x.runs.s.Exec(context.Background(), sql)
	if n != n2 || (err == nil) != (err2 == nil) {
		x.runs.t.Fatalf("seed %d: %d rows, %v with runs; %d rows, %v without\n%s", x.runs.seed, n2, err2, n, err, sql)
	}
	x.compare("SELECT * FROM t0")
}
