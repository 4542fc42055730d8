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
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestNotInAgainstNotExists compares NOT IN over correlated subqueries with NOT EXISTS, in
// which the NULLs that NOT IN minds are written out, and the time that it takes with that
// of its parts. GSQL_SEED=n repeats a run, and GSQL_FOR=10m makes
// it longer.
func TestNotInAgainstNotExists(t *testing.T) {
	seed, queries := sqltest.Seed(t), 0
	for budget := sqltest.NewBudget(t, 20); !budget.Spent() && !t.Failed(); seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		small, large := notInTables(t, r, 60+r.IntN(400)), notInTables(t, r, 20000+r.IntN(20000))
		for i := 0; i < 25 && !t.Failed() && budget.Next(); i++ {
			q := newNotIn(r)
			q.compareAnswers(t, seed, small)
			q.compareTimes(t, seed, large)
			queries++
		}
		small.Close()
		large.Close()
	}
	t.Logf("%d queries", queries)
}

// notInTables makes tables x and y, whose columns a, b and c may be NULL.
func notInTables(t *testing.T, r *rand.Rand, rows int) *gsql.Session {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "SET cte_max_recursion_depth = 1000000")
	nulls := []int{3, 50, 1 << 30}[r.IntN(3)]
	for _, name := range []string{"x", "y"} {
		column := func(shift int) string {
			values := 1 + rows/(1+r.IntN(20))
			return fmt.Sprintf("NULLIF(i * %d %% %d, IF(i %% %d = %d, i * %d %% %d, -1))", 7919+shift, values, nulls, shift+1, 7919+shift, values)
		}
		sqltest.Run(t, s, "CREATE TABLE "+name+" (id INT PRIMARY KEY, a INT, b INT, c INT)")
		sqltest.Run(t, s, fmt.Sprintf("INSERT INTO %s %s SELECT i, %s, %s, %s FROM r", name, sqltest.Series(1, rows), column(0), column(1), column(2)))
	}
	return s
}

// notIn is x.left NOT IN (SELECT y.item FROM y WHERE correlated).
type notIn struct{ left, item, correlated string }

func newNotIn(r *rand.Rand) notIn {
	column := func() string { return []string{"a", "b", "c", "id"}[r.IntN(4)] }
	var terms []string
	for range 1 + r.IntN(3) {
		terms = append(terms, "y."+column()+[]string{" < ", " <= ", " > ", " >= ", " <> ", " = ", " <=> "}[r.IntN(7)]+"x."+column())
	}
	if r.IntN(3) == 0 {
		terms = append(terms, fmt.Sprintf("y.%s > %d", column(), r.IntN(50)))
	}
	q := notIn{"x." + column(), "y." + column(), strings.Join(terms, " AND ")}
	for strings.Contains(q.correlated, q.left) { // there are no pairs with its NULLs then, which makes the parts cheap
		q.left = "x." + column()
	}
	return q
}

const notExists = "SELECT x.id FROM x WHERE NOT EXISTS (SELECT 1 FROM y WHERE %s AND %s)"

func (q notIn) String() string {
	return fmt.Sprintf("SELECT x.id FROM x WHERE %s NOT IN (SELECT %s FROM y WHERE %s)", q.left, q.item, q.correlated)
}

// compareAnswers requires the rows of the equivalent NOT EXISTS.
func (q notIn) compareAnswers(t *testing.T, seed uint64, s *gsql.Session) {
	same := fmt.Sprintf(notExists, q.correlated, fmt.Sprintf("(%s = %s OR %s IS NULL OR %s IS NULL)", q.item, q.left, q.item, q.left))
	want, err := sqltest.SortedLines(context.Background(), s, same)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, same)
	}
	got, err := sqltest.SortedLines(context.Background(), s, q.String())
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("seed %d: %d rows, %d of NOT EXISTS (%v)\n%s\n%s", seed, len(got), len(want), err, q, same)
	}
}

// compareTimes wants no more than ten times the time of the three NOT EXISTS that NOT IN
// consists of, and half a minute, as the machine may be busy: for the equality, for NULLs on the left and for NULLs in
// the subquery. It leaves out <=>, by which each NULL has all NULLs of the other side as
// partners: the order in which such pairs are tried decides about the time.
func (q notIn) compareTimes(t *testing.T, seed uint64, s *gsql.Session) {
	if strings.Contains(q.correlated, "<=>") {
		return
	}
	parts := []string{
		fmt.Sprintf(notExists, q.correlated, q.item+" = "+q.left),
		fmt.Sprintf(notExists, q.correlated, "TRUE") + " AND " + q.left + " IS NULL",
		fmt.Sprintf(notExists, q.correlated, q.item+" IS NULL"),
	}
	timed := func(sql string, limit time.Duration) (time.Duration, error) {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		start := time.Now()
		_, err := sqltest.SortedLines(ctx, s, sql)
		return time.Since(start), err
	}
	var base time.Duration
	for _, part := range parts {
		took, err := timed(part, 5*time.Second)
		if errors.Is(err, sqlerr.QueryInterrupted) || errors.Is(err, sqlerr.QueryTimeout) {
			return
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, part)
		}
		base += took
	}
	if took, err := timed(q.String(), 10*base+30*time.Second); err != nil {
		t.Errorf("seed %d: NOT IN took more than %v, its parts %v (%v)\n%s\n%s", seed, took, base, err, q, strings.Join(parts, "\n"))
	}
}
