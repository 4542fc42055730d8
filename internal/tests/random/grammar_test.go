package random_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/internal/inside"
	"gsql/internal/sqlgen"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestGrammarFuzz runs random statements, most of them broken at the level of tokens or of
// the tree. Whatever a statement is, it ends soon with rows or an error of MySQL's, and
// holds no memory and no goroutine afterwards. GSQL_FOR says how long, as in 1h, and
// GSQL_SEED where to begin; a failure names its seed, and the file that GSQL_FUZZ_LAST
// names has the statement that is running, for when the process does not live to tell.
func TestGrammarFuzz(t *testing.T) {
	budget := sqltest.NewBudget(t, 1500)
	seed := sqltest.Seed(t)
	f := &grammarFuzz{t: t, last: os.Getenv("GSQL_FUZZ_LAST"), dir: t.TempDir(), found: map[string]bool{}}
	for ; !budget.Spent() && len(f.found) < 50; seed++ {
		f.round(seed, budget)
	}
	t.Logf("%d statements, %d of them answered", f.runs, f.answered)
}

type grammarFuzz struct {
	t              *testing.T
	last, dir      string
	runs, answered int
	found          map[string]bool // texts of failures without their numbers
}

// files keeps statements from touching files and from waiting on purpose.
var files = regexp.MustCompile(`(?i)outfile|infile|dumpfile|import|sleep|benchmark|\.(csv|parquet|arrow|tsv|ipc|feather)`)

// round opens a database, fills it and runs some statements.
func (f *grammarFuzz) round(seed uint64, budget *sqltest.Budget) {
	r := rand.New(rand.NewPCG(seed, 1))
	db, err := gsql.Open(gsql.Config{Dir: f.dir, Workers: 2, MemoryLimit: 64 << 20})
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	s := db.NewSession()
	defer s.Close()
	tables := sqlgen.Tables(r, 0, 1, 6, 20)
	if seed%3 == 0 {
		inside.Of(db).SetSegmentRows(16)
		cluster(r, tables[3])
	}
	for _, table := range tables {
		for _, sql := range table.Script("") {
			sqltest.Run(f.t, s, sql)
		}
	}
	sqltest.Run(f.t, s, fuzzSchema)
	if seed%2 == 0 {
		sqltest.Run(f.t, s, "SET sql_mode = 'STRICT_TRANS_TABLES', time_zone = 'Europe/Berlin'")
	}
	g := &sqlgen.Gen{R: r, Tables: tables, Dialect: sqlgen.All}
	for i := 0; i < 60 && budget.Next(); i++ {
		text := statementText(r, g)
		if !files.MatchString(text) {
			f.check(s, text, seed)
		}
	}
}

// statementText returns a statement, broken in four of five cases.
func statementText(r *rand.Rand, g *sqlgen.Gen) string {
	tree := func() *sqlgen.Node {
		switch r.IntN(4) {
		case 0:
			return g.Define()
		case 1:
			return g.Change()
		}
		return g.Query().Node
	}
	switch r.IntN(5) {
	case 0:
		return tree().String()
	case 1, 2:
		return sqlgen.MutateTree(r, tree(), tree()).String()
	case 3:
		return sqlgen.MutateText(r, fuzzSeeds[r.IntN(len(fuzzSeeds))], tree().String())
	}
	return sqlgen.MutateText(r, tree().String(), fuzzSeeds[r.IntN(len(fuzzSeeds))])
}

// check runs a statement under a limit of time.
func (f *grammarFuzz) check(s *gsql.Session, text string, seed uint64) {
	f.runs++
	if f.last != "" {
		if err := os.WriteFile(f.last, []byte(text), 0o644); err != nil {
			f.t.Fatal(err)
		}
	}
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	start := time.Now()
	_, _, err := s.Exec(ctx, text)
	switch took := time.Since(start); {
	case errors.Is(err, sqlerr.InternalError):
		f.fail(seed, text, err.Error())
	case took > time.Minute:
		f.fail(seed, text, "did not end with its context")
	case err != nil && sqlerr.From(err).Pos > len(text):
		f.fail(seed, text, "position behind the text: "+err.Error())
	case err == nil:
		f.answered++
	}
	if err != nil {
		sqlerr.Render(err, text)
	}
	for _, name := range prepared.FindAllStringSubmatch(text, -1) { // which an error before the text's own left
		_, _, _ = s.Exec(context.Background(), "DEALLOCATE PREPARE "+name[1])
	}
	if n := inside.Of(s.DB()).MemoryUsed(); n != 0 {
		f.fail(seed, text, "memory is still held")
	}
	for range 12_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	f.fail(seed, text, "goroutines are left")
}

// prepared finds the names of prepared statements.
var prepared = regexp.MustCompile("(?i)prepare\\s+([a-z0-9_$]+|`[^`]*`)")

var digits = regexp.MustCompile(`\d+`)

// fail reports a failure once.
func (f *grammarFuzz) fail(seed uint64, text, what string) {
	kind := digits.ReplaceAllString(strings.SplitN(what, "\n", 2)[0], "n")
	if f.found[kind] {
		return
	}
	f.found[kind] = true
	f.t.Errorf("seed %d: %s\n%s", seed, what, text)
}
