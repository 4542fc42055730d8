package gsql_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/planner"
)

// TestMetamorphic runs random queries in ways that must not change their answers: split
// by a predicate into TRUE, FALSE and NULL, with every rule disabled in turn, with each
// join algorithm forced, and with other numbers of workers and rows a batch. The seed
// is printed; GSQL_SEED=n repeats a run.
func TestMetamorphic(t *testing.T) {
	seed := testSeed(t)
	m := &metamorphic{t: t, r: rand.New(rand.NewPCG(seed, 0))}
	m.create(seed)
	m.deadline = time.Now().Add(4 * time.Second)
	for i := 0; i < 150 && time.Now().Before(m.deadline); i++ {
		m.check(m.query([]string{"small", "few", "none", "one", "few"}), planner.RuleNames())
		if i%10 == 0 { // parallel paths: fewer ways, as they take longer
			m.check(m.query([]string{"large", "few", "small"}), nil)
		}
	}
	t.Logf("%d runs", m.runs)
}

// testSeed gives the seed of a random test and prints it.
func testSeed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("GSQL_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("seed %d", seed)
	return seed
}

// metamorphic makes queries over its tables, which have the same columns.
type metamorphic struct {
	t    *testing.T
	s    *gsql.Session
	r    *rand.Rand
	runs int

	deadline time.Time // no run begins after it
}

// randomQuery is "SELECT items FROM from WHERE where" with a predicate to split it by.
type randomQuery struct {
	items, from, where, split string
	aliases                   []string
	grouped                   bool // items aggregate, so that parts do not add up
	large                     bool
}

func (q randomQuery) sql(hint, also string) string {
	text := "SELECT " + hint + q.items + " FROM " + q.from
	switch {
	case q.where != "" && also != "":
		return text + " WHERE (" + q.where + ") AND " + also
	case q.where+also != "":
		return text + " WHERE " + q.where + also
	}
	return text
}

// create fills the tables; fractions are halves, so that sums are exact in any order.
func (m *metamorphic) create(seed uint64) {
	m.s = session(m.t, gsql.Config{})
	run(m.t, m.s, "CREATE TABLE digits (d INT NOT NULL)")
	run(m.t, m.s, "INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)")
	for _, name := range []string{"none", "one", "small", "few", "large"} {
		run(m.t, m.s, "CREATE TABLE "+name+" (id INT NOT NULL, a INT, b BIGINT, f DOUBLE, s VARCHAR(9))")
	}
	for name, n := range map[string]int{"one": 1, "small": 6, "few": 40} {
		for i := range n {
			run(m.t, m.s, fmt.Sprintf("INSERT INTO %s VALUES (%d, %s, %s, %s, %s)", name, i,
				m.orNull(m.r.IntN(8)-2), m.orNull(m.r.IntN(30)-5), m.orNull(float64(m.r.IntN(12))/2),
				m.orNull("'"+strings.Repeat("ab", m.r.IntN(3))+string(rune('a'+m.r.IntN(3)))+"'")))
		}
	}
	run(m.t, m.s, fmt.Sprintf("INSERT INTO large SELECT n, NULLIF(n * 7 %% 5003, %d), n * 31 %% 60 - 5, n %% 24 / 2e0, "+
		"CASE n %% 4 WHEN 0 THEN 'a' WHEN 1 THEN 'abb' WHEN 2 THEN 'ababc' END FROM "+
		"(SELECT d1.d + 10*d2.d + 100*d3.d + 1000*d4.d + 10000*d5.d AS n FROM digits d1, digits d2, digits d3, digits d4, digits d5 WHERE d5.d < 3) x",
		seed%5000))
}

func (m *metamorphic) orNull(x any) string {
	if m.r.IntN(4) == 0 {
		return "NULL"
	}
	return fmt.Sprint(x)
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// query joins tables; the first of them may be the large one.
func (m *metamorphic) query(tables []string) randomQuery {
	q := randomQuery{aliases: []string{"x0"}, large: tables[0] == "large"}
	q.from = pick(m.r, tables...) + " x0"
	if q.large {
		q.from = "large x0"
		tables = tables[1:]
	}
	for i := 1; i <= m.r.IntN(3); i++ {
		x := fmt.Sprintf("x%d", i)
		old := pick(m.r, q.aliases...)
		q.aliases = append(q.aliases, x)
		col := pick(m.r, "a", "a", "b", "f", "s")
		on := fmt.Sprintf("%s.%s %s %s.%s", old, col, pick(m.r, "=", "=", "=", "<=>", "<", ">="), x, col)
		switch m.r.IntN(4) {
		case 0:
			on += " AND " + m.predicate(q.aliases, 1)
		case 1:
			on = fmt.Sprintf("%s.b BETWEEN %s.b - 2 AND %s.b + 2 AND %s.a <= %s.a", x, old, old, x, old)
		}
		q.from += fmt.Sprintf(" %s %s %s ON %s", pick(m.r, "JOIN", "LEFT JOIN", "RIGHT JOIN"), pick(m.r, tables...), x, on)
	}
	if m.r.IntN(3) > 0 {
		q.where = m.predicate(q.aliases, 2)
	}
	q.split = m.predicate(q.aliases, 2)
	q.items = m.items(&q)
	return q
}

func (m *metamorphic) items(q *randomQuery) string {
	if q.large || m.r.IntN(4) == 0 {
		q.grouped = true
		x := pick(m.r, q.aliases...)
		return fmt.Sprintf("COUNT(*), SUM(%s), COUNT(DISTINCT %s), MIN(%s), MAX(%s)", x+"."+pick(m.r, "a", "b", "f"),
			m.column(q.aliases), m.column(q.aliases), m.column(q.aliases))
	}
	return m.column(q.aliases) + " AS c0, " + m.column(q.aliases) + " AS c1, COALESCE(" + pick(m.r, q.aliases...) + ".a, -9) AS c2"
}

func (m *metamorphic) column(aliases []string) string {
	return pick(m.r, aliases...) + "." + pick(m.r, "id", "a", "b", "f", "s")
}

// predicate gives a condition on columns of the aliases, with subqueries over the small
// tables.
func (m *metamorphic) predicate(aliases []string, depth int) string {
	if depth > 0 && m.r.IntN(2) == 0 {
		a, b := m.predicate(aliases, depth-1), m.predicate(aliases, depth-1)
		return pick(m.r, "("+a+" AND "+b+")", "("+a+" OR "+b+")", "(NOT "+a+")")
	}
	x, y := pick(m.r, aliases...), pick(m.r, aliases...)
	inner := pick(m.r, "small", "few", "one", "none")
	switch m.r.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s IS NULL)", m.column(aliases))
	case 1:
		return fmt.Sprintf("(%s.s LIKE '%s')", x, pick(m.r, "a%", "%b_", "_", "%"))
	case 2:
		return fmt.Sprintf("(%s.a %sIN (1, 2, %s))", x, pick(m.r, "", "NOT "), pick(m.r, "3", "NULL"))
	case 3:
		return fmt.Sprintf("(%s.a %sIN (SELECT a FROM %s WHERE b > %s))", x, pick(m.r, "", "NOT "), inner, pick(m.r, "3", y+".b"))
	case 4:
		return fmt.Sprintf("(%sEXISTS (SELECT 1 FROM %s z WHERE z.a = %s.a AND z.f >= %s))", pick(m.r, "", "NOT "), inner, x, pick(m.r, "2", y+".f"))
	case 5:
		return fmt.Sprintf("(%s.b %s (SELECT %s(z.b) FROM %s z WHERE z.a %s %s.a))", x, pick(m.r, "<", "=", ">="),
			pick(m.r, "MIN", "MAX", "COUNT", "SUM"), inner, pick(m.r, "=", "<>", ">"), y)
	case 6:
		return fmt.Sprintf("(%s.f %s %s (SELECT f FROM %s))", x, pick(m.r, "<", "=", ">="), pick(m.r, "ANY", "ALL"), inner)
	case 7:
		return fmt.Sprintf("(%s.a BETWEEN %d AND %s.b)", x, m.r.IntN(4)-1, y)
	}
	return fmt.Sprintf("(%s.%s %s %s.%s)", x, pick(m.r, "a", "b", "f"), pick(m.r, "=", "<", "<>", "<=>"), y, pick(m.r, "a", "b", "f"))
}

// check runs q in every way.
func (m *metamorphic) check(q randomQuery, ruleNames []string) {
	want := m.rows(q.sql("", ""), "default")
	same := func(sql, way string) {
		if time.Now().After(m.deadline) {
			return
		}
		if got := m.rows(sql, way); !slices.Equal(got, want) {
			m.t.Fatalf("%s: %d rows %.300q, otherwise %d rows %.300q\n%s", way, len(got), got, len(want), want, sql)
		}
	}
	for _, hint := range []string{"HASH_JOIN", "MERGE_JOIN", "RADIX_JOIN", "NL_JOIN", "RANGE_JOIN"} {
		if len(q.aliases) > 1 {
			same(q.sql("/*+ "+hint+"("+strings.Join(q.aliases, ", ")+") */ ", ""), hint)
		}
	}
	for _, rule := range ruleNames {
		m.with("gsql_disable_rules", rule, func() { same(q.sql("", ""), rule+" disabled") })
	}
	for _, w := range []string{"1", "4"} {
		m.with("gsql_workers", w, func() { same(q.sql("", ""), w+" workers") })
	}
	for _, n := range []string{"1", "3"} {
		m.with("gsql_batch_size", n, func() { same(q.sql("", ""), n+" rows a batch") })
	}
	if !q.grouped {
		parts := slices.Concat(m.rows(q.sql("", q.split), "TRUE"), m.rows(q.sql("", "(NOT "+q.split+")"), "FALSE"),
			m.rows(q.sql("", "("+q.split+" IS NULL)"), "NULL"))
		slices.Sort(parts)
		if !slices.Equal(parts, want) {
			m.t.Fatalf("split by %s: %d rows %.300q, whole: %d rows %.300q\n%s", q.split, len(parts), parts, len(want), want, q.sql("", ""))
		}
	}
}

// with sets a variable while f runs.
func (m *metamorphic) with(name, value string, f func()) {
	run(m.t, m.s, "SET "+name+" = '"+value+"'")
	f()
	run(m.t, m.s, "SET "+name+" = DEFAULT")
}

// rows gives the rows of a query as sorted texts.
func (m *metamorphic) rows(sql, way string) []string {
	m.runs++
	rows, err := tryTable(m.s, sql)
	if err != nil {
		m.t.Fatalf("%s: %v\n%s", way, err, sql)
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = strings.Join(r, "|")
	}
	slices.Sort(out)
	return out
}
