package random_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestCorrelatedSetOperations compares subqueries and LATERAL tables over UNION, INTERSECT and
// EXCEPT [ALL], whose branches refer to columns of the outer row, with a double loop in Go.
// GSQL_SEED=n repeats a run, GSQL_FOR=10m makes it longer, and GSQL_SETOPS_OUT=file writes the
// statements, so that another system can run them.
func TestCorrelatedSetOperations(t *testing.T) {
	seed, queries := sqltest.Seed(t), 0
	var out strings.Builder
	for budget := sqltest.NewBudget(t, 20); !budget.Spent() && !t.Failed(); seed++ {
		w := newSetWorld(rand.New(rand.NewPCG(seed, 1)))
		s := sqltest.Open(t, gsql.Config{Workers: 1 + w.r.IntN(3)})
		sqltest.Run(t, s, w.tables)
		out.WriteString(w.tables)
		for range 40 {
			if t.Failed() || !budget.Next() {
				break
			}
			q := w.query()
			queries++
			want := w.answer(q)
			got, err := sqltest.SortedLines(context.Background(), s, q.sql())
			if err != nil || !slices.Equal(got, want) {
				plan := sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN "+q.sql()))
				t.Errorf("seed %d: %s\n%s\n%v %v\nwant %v\n%s", seed, q.sql(), w.tables, got, err, want, plan)
			}
			fmt.Fprintf(&out, "%s; -- %q\n", q.sql(), want)
		}
		s.Close()
	}
	if file := os.Getenv("GSQL_SETOPS_OUT"); file != "" {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d queries", queries)
}

// cell is an integer or NULL.
type cell struct {
	n    int
	null bool
}

func (c cell) String() string {
	if c.null {
		return "NULL"
	}
	return fmt.Sprint(c.n)
}

// setWorld has the tables o, s and u with the columns a, b and c.
type setWorld struct {
	r      *rand.Rand
	rows   map[string][][]cell
	tables string
	notNil map[string]bool // columns without NULLs, such as "o.a"
}

var setColumns = []string{"a", "b", "c"}

func newSetWorld(r *rand.Rand) *setWorld {
	w := &setWorld{r: r, rows: map[string][][]cell{}, notNil: map[string]bool{}}
	var sql strings.Builder
	for _, table := range []string{"o", "s", "u"} {
		var defs []string
		for _, c := range setColumns {
			def := c + " INT"
			if w.notNil[table+"."+c] = r.IntN(3) == 0; w.notNil[table+"."+c] {
				def += " NOT NULL"
			}
			defs = append(defs, def)
		}
		fmt.Fprintf(&sql, "DROP TABLE IF EXISTS %s;\nCREATE TABLE %[1]s (%s);\n", table, strings.Join(defs, ", "))
		for range r.IntN(14) {
			var row []cell
			var text []string
			for _, c := range setColumns {
				x := cell{n: r.IntN(4)}
				if !w.notNil[table+"."+c] && r.IntN(5) == 0 {
					x = cell{null: true}
				}
				row, text = append(row, x), append(text, x.String())
			}
			w.rows[table] = append(w.rows[table], row)
			fmt.Fprintf(&sql, "INSERT INTO %s VALUES (%s);\n", table, strings.Join(text, ", "))
		}
	}
	w.tables = sql.String()
	return w
}

// setTerm is a comparison of a branch's column with one of the outer row, or with a constant.
type setTerm struct {
	inner int
	op    string
	outer int // -1 for value
	value int
}

// setNode is a branch of a set operation, or an operation over two nodes.
type setNode struct {
	op    string // "" for a branch
	l, r  *setNode
	table string
	items []int // columns; from 3 on those of the outer row
	terms []setTerm
}

// setQuery is a query over the rows of o and a set operation for each of them.
type setQuery struct {
	form string
	set  *setNode
}

// setForms are the queries. [set] stands for the set operation, whose columns are x and y.
var setForms = []string{
	"SELECT o.a, o.b, o.c, EXISTS ([set]) FROM o",
	"SELECT o.a, o.b, o.c, 1 FROM o WHERE EXISTS ([set])",
	"SELECT o.a, o.b, o.c, 1 FROM o WHERE NOT EXISTS ([set])",
	"SELECT o.a, o.b, o.c, (o.b, o.c) IN ([set]) FROM o",
	"SELECT o.a, o.b, o.c, 1 FROM o WHERE (o.b, o.c) IN ([set])",
	"SELECT o.a, o.b, o.c, 1 FROM o WHERE (o.b, o.c) NOT IN ([set])",
	"SELECT o.a, o.b, o.c, (SELECT COUNT(*) FROM ([set]) q) FROM o",
	"SELECT o.a, o.b, o.c, (SELECT COUNT(DISTINCT x) FROM ([set]) q) FROM o",
	"SELECT o.a, o.b, o.c, (SELECT SUM(x) FROM ([set]) q) FROM o",
	"SELECT o.a, o.b, o.c, (SELECT SUM(DISTINCT y) FROM ([set]) q) FROM o",
	"SELECT o.a, o.b, o.c, (SELECT COUNT(y) FROM ([set]) q WHERE x > 1) FROM o",
	"SELECT o.a, o.b, o.c, (SELECT MAX(x) FROM ([set]) q) FROM o",
	"SELECT o.a, o.b, o.c, 10 * x + y FROM o, LATERAL ([set]) q",
	"SELECT o.a, o.b, o.c, x FROM o LEFT JOIN LATERAL ([set]) q ON q.y = o.c",
}

func (w *setWorld) query() setQuery {
	return setQuery{setForms[w.r.IntN(len(setForms))], w.node(1 + w.r.IntN(2))}
}

func (w *setWorld) node(depth int) *setNode {
	if depth > 0 && w.r.IntN(8) > 0 {
		n := &setNode{op: []string{"UNION", "INTERSECT", "EXCEPT"}[w.r.IntN(3)]}
		if w.r.IntN(2) == 0 {
			n.op += " ALL"
		}
		n.l, n.r = w.node(depth-1), w.node(depth-1)
		return n
	}
	n := &setNode{table: []string{"s", "u"}[w.r.IntN(2)], items: []int{w.r.IntN(3), w.r.IntN(3)}}
	if w.r.IntN(8) == 0 {
		n.items[w.r.IntN(2)] = 3 + w.r.IntN(3)
	}
	for range w.r.IntN(3) {
		t := setTerm{inner: w.r.IntN(3), op: []string{"=", "=", "<=>", "<", "<=", ">", ">=", "<>"}[w.r.IntN(8)], outer: w.r.IntN(3)}
		if w.r.IntN(5) == 0 {
			t.outer, t.value = -1, w.r.IntN(4)
		}
		n.terms = append(n.terms, t)
	}
	return n
}

func (q setQuery) sql() string { return strings.Replace(q.form, "[set]", q.set.sql(), 1) }

func (n *setNode) sql() string {
	if n.op != "" {
		side := func(m *setNode) string {
			if m.op == "" {
				return m.sql()
			}
			return "(" + m.sql() + ")"
		}
		return side(n.l) + " " + n.op + " " + side(n.r)
	}
	column := func(i int) string {
		if i < 3 {
			return n.table + "." + setColumns[i]
		}
		return "o." + setColumns[i-3]
	}
	sql := fmt.Sprintf("SELECT %s AS x, %s AS y FROM %s", column(n.items[0]), column(n.items[1]), n.table)
	for i, t := range n.terms {
		right := fmt.Sprint(t.value)
		if t.outer >= 0 {
			right = "o." + setColumns[t.outer]
		}
		sql += []string{" WHERE ", " AND "}[min(i, 1)] + n.table + "." + setColumns[t.inner] + " " + t.op + " " + right
	}
	return sql
}

// compare returns the truth value of a comparison as 0, 1 or NULL.
func compare(a cell, op string, b cell) cell {
	if op == "<=>" {
		return truth(a.null == b.null && (a.null || a.n == b.n))
	}
	if a.null || b.null {
		return cell{null: true}
	}
	return truth(map[string]bool{"=": a.n == b.n, "<>": a.n != b.n, "<": a.n < b.n, "<=": a.n <= b.n, ">": a.n > b.n, ">=": a.n >= b.n}[op])
}

func truth(b bool) cell {
	if b {
		return cell{n: 1}
	}
	return cell{}
}

// rowsFor returns the rows of n for an outer row.
func (w *setWorld) rowsFor(n *setNode, outer []cell) (rows [][2]cell) {
	if n.op != "" {
		return combined(n.op, w.rowsFor(n.l, outer), w.rowsFor(n.r, outer))
	}
	for _, row := range w.rows[n.table] {
		ok := true
		for _, t := range n.terms {
			right := cell{n: t.value}
			if t.outer >= 0 {
				right = outer[t.outer]
			}
			ok = ok && compare(row[t.inner], t.op, right) == truth(true)
		}
		all := slices.Concat(row, outer)
		if ok {
			rows = append(rows, [2]cell{all[n.items[0]], all[n.items[1]]})
		}
	}
	return rows
}

// combined returns the rows of a set operation, in which NULL equals NULL.
func combined(op string, l, r [][2]cell) (rows [][2]cell) {
	in := map[[2]cell]int{}
	for _, x := range r {
		in[x]++
	}
	done := map[[2]cell]bool{}
	add := func(x [2]cell) {
		if !done[x] {
			done[x] = true
			rows = append(rows, x)
		}
	}
	switch op {
	case "UNION ALL":
		return slices.Concat(l, r)
	case "UNION":
		for _, x := range slices.Concat(l, r) {
			add(x)
		}
	case "INTERSECT", "EXCEPT":
		for _, x := range l {
			if (in[x] > 0) == (op == "INTERSECT") {
				add(x)
			}
		}
	default:
		for _, x := range l {
			if (in[x] > 0) == (op == "INTERSECT ALL") {
				rows = append(rows, x)
			}
			in[x]--
		}
	}
	return rows
}

// answer returns the lines of the query's result.
func (w *setWorld) answer(q setQuery) []string {
	lines := []string{}
	for _, o := range w.rows["o"] {
		rows := w.rowsFor(q.set, o)
		for _, x := range valuesOf(q.form, o, rows) {
			lines = append(lines, fmt.Sprintf("%v|%v|%v|%v", o[0], o[1], o[2], x))
		}
	}
	slices.Sort(lines)
	return lines
}

// valuesOf returns the last column of the rows that a form makes of an outer row and the rows of
// its set operation.
func valuesOf(form string, o []cell, rows [][2]cell) []cell {
	one := []cell{{n: 1}}
	keep := func(c cell) []cell {
		if c == one[0] {
			return one
		}
		return nil
	}
	switch {
	case strings.Contains(form, "NOT EXISTS"):
		return keep(truth(len(rows) == 0))
	case strings.Contains(form, "WHERE EXISTS"):
		return keep(truth(len(rows) > 0))
	case strings.Contains(form, "EXISTS"):
		return []cell{truth(len(rows) > 0)}
	case strings.Contains(form, "WHERE (o.b, o.c) NOT IN"):
		in := isIn(o, rows)
		return keep(cell{1 - in.n, in.null})
	case strings.Contains(form, "WHERE (o.b, o.c) IN"):
		return keep(isIn(o, rows))
	case strings.Contains(form, ") IN "):
		return []cell{isIn(o, rows)}
	case strings.Contains(form, "LEFT JOIN"):
		var out []cell
		for _, x := range rows {
			if compare(x[1], "=", o[2]) == one[0] {
				out = append(out, x[0])
			}
		}
		if out == nil {
			out = []cell{{null: true}}
		}
		return out
	case strings.Contains(form, "LATERAL"):
		var out []cell
		for _, x := range rows {
			sum := cell{null: x[0].null || x[1].null}
			if !sum.null {
				sum.n = 10*x[0].n + x[1].n
			}
			out = append(out, sum)
		}
		return out
	}
	return []cell{aggregated(form, rows)}
}

// isIn returns the value of (o.b, o.c) IN (rows).
func isIn(o []cell, rows [][2]cell) (in cell) {
	for _, x := range rows {
		a, b := compare(o[1], "=", x[0]), compare(o[2], "=", x[1])
		switch {
		case a == truth(true) && b == a:
			return a
		case a != truth(false) && b != truth(false):
			in.null = true
		}
	}
	return in
}

// aggregated returns the value of the aggregate of a form.
func aggregated(form string, rows [][2]cell) (sum cell) {
	at := 0
	if strings.Contains(form, "(y)") || strings.Contains(form, "DISTINCT y") {
		at = 1
	}
	seen := map[int]bool{}
	count, total, most := 0, 0, 0
	for _, x := range rows {
		v := x[at]
		if strings.Contains(form, "COUNT(*)") {
			v = cell{}
		}
		if v.null || strings.Contains(form, "DISTINCT") && seen[v.n] || strings.Contains(form, "x > 1") && (x[0].null || x[0].n <= 1) {
			continue
		}
		seen[v.n] = true
		count, total, most = count+1, total+v.n, max(most, v.n)
	}
	switch {
	case strings.Contains(form, "COUNT"):
		return cell{n: count}
	case count == 0:
		return cell{null: true}
	case strings.Contains(form, "MAX"):
		return cell{n: most}
	}
	return cell{n: total}
}
