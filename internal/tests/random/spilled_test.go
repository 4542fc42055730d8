package random_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/exec"
	"gsql/internal/mem"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestSpilledJoins runs random FULL JOINs, NOT INs and other joins of tables that do not fit in the
// memory they get, with each algorithm, on one worker and on several, and compares the rows with
// those of the same query in enough memory. There, a FULL JOIN is compared with the LEFT JOIN and
// the anti join that it consists of, and NOT IN with NOT EXISTS, in which its NULLs are written out.
// GSQL_SEED=n repeats a run, and GSQL_FOR=10m makes it longer.
func TestSpilledJoins(t *testing.T) {
	mem.PoisonFreed()
	exec.VerifyNotNull()
	seed, s := sqltest.Seed(t), &spilledJoins{T: t}
	for budget := sqltest.NewBudget(t, 24); !budget.Spent() && !t.Failed(); seed++ {
		s.r, s.seed = rand.New(rand.NewPCG(seed, 7)), seed
		s.session = spilledTables(t, s.r)
		for i := 0; i < 12 && !t.Failed() && budget.Next(); i++ {
			s.full()
			s.notIn()
		}
		s.session.Close()
	}
	t.Logf("%d runs, %d of %d spilled, %d out of memory", s.runs, s.spilled, s.asked, s.refused)
	if s.asked > 10 && s.spilled == 0 || s.asked >= 100 && s.spilled < s.asked/4 { // few say little about the share
		t.Errorf("only %d of %d spilled", s.spilled, s.asked)
	}
}

// spilledJoins runs queries over tables x and y.
type spilledJoins struct {
	*testing.T
	seed                          uint64
	r                             *rand.Rand
	session                       *gsql.Session
	runs, asked, spilled, refused int
}

// spilledTables makes tables x and y with keys of few and of many values, texts and NULLs.
func spilledTables(t *testing.T, r *rand.Rand) *gsql.Session {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "SET cte_max_recursion_depth = 1000000")
	for _, name := range []string{"x", "y"} {
		rows := []int{0, 40, 900, 3000}[min(3, r.IntN(12))]
		values := func(shift int) string {
			nulls := []int{3, 30, 1 << 30}[r.IntN(3)]
			return fmt.Sprintf("IF(i * %d %% %d = 0, NULL, i * %d %% %d)", 31+shift, nulls, 7919+shift, 1+rows/(1+r.IntN(20)))
		}
		sqltest.Run(t, s, "CREATE TABLE "+name+" (id INT NOT NULL, a INT, b INT, c INT, s VARCHAR(40), n INT NOT NULL)")
		sqltest.Run(t, s, fmt.Sprintf("INSERT INTO %s %s SELECT i, %s, %s, %s, CONCAT('text ', %s), i %% 7 FROM r", name,
			sqltest.Series(1, max(rows, 1)), values(0), values(2), values(6), values(8)))
		if rows == 0 {
			sqltest.Run(t, s, "DELETE FROM "+name)
		}
	}
	return s
}

func (s *spilledJoins) one(of ...string) string { return of[s.r.IntN(len(of))] }

// condition returns conditions between x and y, with an equality or without.
func (s *spilledJoins) condition() string {
	var terms []string
	if s.r.IntN(4) > 0 {
		k := s.one("a", "b", "c", "s", "id")
		terms = append(terms, "x."+k+s.one(" = ", " = ", " <=> ")+"y."+k)
	}
	for range s.r.IntN(3) {
		terms = append(terms, "x."+s.one("a", "b", "c", "id", "n")+s.one(" < ", " <= ", " > ", " >= ", " <> ", " = ")+"y."+s.one("a", "b", "c", "id", "n"))
	}
	switch s.r.IntN(5) {
	case 0:
		terms = append(terms, fmt.Sprintf("x.a BETWEEN y.a - %d AND y.a + %d", s.r.IntN(9), s.r.IntN(9)))
	case 1:
		terms = append(terms, fmt.Sprintf("(x.a + y.b) %% %d > x.n", 2+s.r.IntN(30)))
	case 2:
		terms = append(terms, s.one("x", "y")+".n < "+fmt.Sprint(s.r.IntN(8)))
	}
	if len(terms) == 0 {
		return "x.id = y.id"
	}
	return strings.Join(terms, " AND ")
}

// full compares a FULL JOIN.
func (s *spilledJoins) full() {
	on := s.condition()
	rows := "SELECT %sx.id, x.a, x.s, y.id, y.b, y.s FROM x %s JOIN y ON " + strings.ReplaceAll(on, "%", "%%")
	full := func(hint string) string { return fmt.Sprintf(rows, hint, "FULL") }
	apart := fmt.Sprintf(rows, "", "LEFT") + " UNION ALL SELECT NULL, NULL, NULL, y.id, y.b, y.s FROM y WHERE NOT EXISTS (SELECT 1 FROM x WHERE " + on + ")"
	s.compare(full, apart)
	test := s.one("x.id IS NULL", "y.id IS NULL", "NOT x.n <=> y.n", "(x.n = 1) IS NOT TRUE", "COALESCE(x.n, -1) = COALESCE(y.n, -1)")
	s.compare(func(hint string) string { return full(hint) + " WHERE " + test }, "")
}

// notIn compares NOT IN, whose operands may be rows and whose subquery may be correlated. Under OR
// it is a value instead of a condition.
func (s *spilledJoins) notIn() {
	left, right, keys := "x.a", "y.a", []string{"a"}
	if s.r.IntN(3) == 0 {
		left, right, keys = "(x.a, x.b)", "y.a, y.b", []string{"a", "b"}
	} else if s.r.IntN(3) == 0 {
		left, right, keys = "x.s", "y.s", []string{"s"}
	}
	var where, mayEqual []string
	switch s.r.IntN(3) {
	case 0:
		where = append(where, fmt.Sprintf("y.n < %d", s.r.IntN(8)))
	case 1:
		where = append(where, s.condition())
	}
	for _, k := range keys {
		mayEqual = append(mayEqual, fmt.Sprintf("(x.%s = y.%[1]s OR x.%[1]s IS NULL OR y.%[1]s IS NULL)", k))
	}
	inner := "TRUE"
	if len(where) > 0 {
		inner = strings.Join(where, " AND ")
	}
	tail := s.one("", "", fmt.Sprintf(" OR x.n = %d", s.r.IntN(7)))
	exists := "SELECT x.id, x.s FROM x WHERE NOT EXISTS (SELECT 1 FROM y WHERE " + inner + " AND " + strings.Join(mayEqual, " AND ") + ")" + tail
	s.compare(func(hint string) string {
		return "SELECT x.id, x.s FROM x WHERE " + left + " NOT IN (SELECT " + strings.Replace(hint, "x, ", "", 1) + right + " FROM y WHERE " + inner + ")" + tail
	}, exists)
}

// compare runs a query in little memory in several ways, and another one, if there is one, in
// enough memory.
func (s *spilledJoins) compare(query func(hint string) string, same string) {
	want, err := s.rows(query(""), 0)
	if s.tolerated(query(""), "", err) {
		return
	}
	if same != "" {
		got, err := s.rows(same, 0)
		if !s.tolerated(same, "", err) && !slices.Equal(got, want) {
			s.differ("the same query", query("")+"\n"+same, got, want)
		}
	}
	for range 4 {
		hint := ""
		if s.r.IntN(3) > 0 {
			hint = "/*+ " + s.one("HASH_JOIN", "MERGE_JOIN", "RADIX_JOIN", "NL_JOIN", "RANGE_JOIN") + "(x, y) */ "
		}
		limit, workers, batch := (64+s.r.IntN(200))<<10, 1+s.r.IntN(3), s.one("DEFAULT", "DEFAULT", "7", "100")
		way := fmt.Sprintf("SET gsql_memory_limit = %d, gsql_workers = %d, gsql_batch_size = %s", limit, workers, batch)
		sqltest.Run(s.T, s.session, way)
		got, err := s.rows(query(hint), limit)
		if !s.tolerated(query(hint), way, err) && !slices.Equal(got, want) {
			s.differ(way, query(hint), got, want)
		}
		if s.r.IntN(8) == 0 {
			if lines, err := s.rows("EXPLAIN ANALYZE "+query(hint), limit); err == nil {
				if s.asked++; strings.Contains(strings.Join(lines, ""), " on disk") {
					s.spilled++
				}
			}
		}
		sqltest.Run(s.T, s.session, "SET gsql_memory_limit = DEFAULT, gsql_workers = DEFAULT, gsql_batch_size = DEFAULT")
	}
}

func (s *spilledJoins) differ(way, sql string, got, want []string) {
	s.Errorf("seed %d, %s: %d rows %.300q, otherwise %d rows %.300q\n%s", s.seed, way, len(got), got, len(want), want, sql)
}

// tolerated reports whether a query failed. It may take too long, and fail for lack of memory only
// if it has little.
func (s *spilledJoins) tolerated(sql, way string, err error) bool {
	switch {
	case err == nil:
		return false
	case errors.Is(err, sqlerr.QueryTimeout), errors.Is(err, sqlerr.QueryInterrupted):
	case way != "" && errors.Is(err, sqlerr.OutOfMemory):
		s.refused++
		s.Errorf("seed %d: %v\n%s\n%s", s.seed, err, way, sql)
	default:
		s.Errorf("seed %d: %v\n%s\n%s\n%v", s.seed, err, way, sql, errors.Unwrap(err))
	}
	return true
}

func (s *spilledJoins) rows(sql string, limit int) ([]string, error) {
	s.runs++
	wait := 2 * time.Second
	if limit > 0 {
		wait = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	return sqltest.SortedLines(ctx, s.session, sql)
}
