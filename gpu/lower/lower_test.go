package lower_test

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql"
	"gsql/exec"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/pipelinetest"
	"gsql/internal/dec128"
	"gsql/internal/inside"
	"gsql/internal/mem"
	"gsql/internal/sqltest"
	"gsql/internal/tpch"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// lines runs the program of a subtree and formats its rows, sorted. Kernels of programs over few rows
// must return the same.
func lines(t *testing.T, q *lower.Query, host known) (out []string, full bool) {
	t.Helper()
	base := baseOf(q, host)
	columns, rows, full := pipelinetest.Run(q.Program, base)
	out = formatted(t, q, columns, rows)
	slices.Sort(out)
	if isSmall(q.Program) && !full {
		x := &executor{}
		columns, rows, full = x.run(t, q.Program, base)
		got := formatted(t, q, columns, rows)
		if slices.Sort(got); !full && !equalLines(out, got) {
			t.Errorf("the kernels return %d rows %.300v, want %d %.300v", len(got), got, len(out), out)
		}
	}
	return out, full
}

func baseOf(q *lower.Query, host known) func(c int) pipelinetest.Column {
	return func(c int) pipelinetest.Column {
		at := &q.Program.Columns[c]
		return host.column(&q.Relations[at.Relation], at.Ordinal).values
	}
}

func isSmall(p *pipeline.Program) bool {
	n := int64(0)
	for i := range p.Pipelines {
		n += p.Pipelines[i].Rows
	}
	return n < 10000
}

// formatted formats the rows of a result in their order.
func formatted(t *testing.T, q *lower.Query, columns []pipelinetest.Column, rows int) (out []string) {
	for _, r := range arranged(q.Program.Result.Order, columns, rows) {
		b := &vec.Batch{N: 1}
		for _, o := range q.Outputs {
			v := vec.NewFlat(o.Type, 1)
			d := datum(t, &o, columns, r)
			if o.Form == lower.Row && !d.Null {
				d = placed(t, q.Relations[o.Relation].Table, o.Ordinal, d.I64)
			}
			d.Put(v, 0)
			b.Cols = append(b.Cols, v)
		}
		out = append(out, sqltest.Line(b, 0))
	}
	return out
}

// arranged returns the numbers of a result's rows in their order.
func arranged(o *pipeline.Order, columns []pipelinetest.Column, rows int) []int {
	numbers := make([]int, rows)
	for r := range numbers {
		numbers[r] = r
	}
	if o == nil {
		return numbers
	}
	slices.SortFunc(numbers, func(x, y int) int {
		for _, c := range o.Words {
			if d := cmp.Compare(columns[c].Ints[x], columns[c].Ints[y]); d != 0 {
				return d
			}
		}
		return 0
	})
	from, to := o.Part(rows)
	return numbers[from:to]
}

// datum returns a value of a result.
func datum(t *testing.T, o *lower.Output, columns []pipelinetest.Column, r int) catalog.Datum {
	d := catalog.Datum{Type: o.Type}
	if o.Valid != pipeline.None && columns[o.Valid].Ints[r] == 0 || o.Count != pipeline.None && columns[o.Count].Ints[r] == 0 {
		d.Null = true
		return d
	}
	if o.Form == lower.Real || o.Form == lower.RealMean {
		d.F64 = columns[o.Value].Floats[r]
		if o.Form == lower.RealMean {
			d.F64 /= float64(columns[o.Count].Ints[r])
		}
		return d
	}
	n := big.NewInt(columns[o.Value].Ints[r])
	if o.High != pipeline.None {
		bits := uint(32)
		if o.Form == lower.Long {
			bits = 64
		}
		n.Add(n, new(big.Int).Lsh(big.NewInt(columns[o.High].Ints[r]), bits))
	}
	x, scale := decimal128.FromBigInt(n), 0
	if o.Type.Kind() == types.KindDec {
		scale = int(o.Type.Scale)
	}
	switch o.Form {
	case lower.Row:
		d.I64 = n.Int64()
		return d
	case lower.Text:
		d.Str = o.Texts.Texts[n.Int64()]
		return d
	case lower.Mean, lower.WideMean:
		var ok bool
		divide := dec128.Div
		if expr.MeanCutsOff(o.Type, types.Dec(types.MaxPrecision, o.Scale)) {
			divide = dec128.Quo
		}
		if x, ok = divide(x, scale-o.Scale, decimal128.FromI64(columns[o.Count].Ints[r])); !ok {
			t.Fatal("a mean overflows")
		}
	default:
		var ok bool
		if x, ok = dec128.Rescale(x, o.Scale, scale); !ok {
			t.Fatal("a value overflows")
		}
	}
	if d.Dec = x; o.Type.Kind() != types.KindDec {
		d.I64 = int64(x.LowBits())
	}
	return d
}

// placed returns a value of a table's row.
func placed(t *testing.T, table catalog.Table, ordinal int, row int64) catalog.Datum {
	c, err := table.(catalog.PlaceReader).ReadPlaces(context.Background(), []int64{row}, []int{ordinal})
	if err != nil {
		t.Fatal(err)
	}
	return catalog.DatumAt(c[0], 0)
}

// answers runs a plan on the CPU and returns its rows, sorted.
func answers(t *testing.T, n *physical.Node) []string {
	out := inOrder(t, n)
	slices.Sort(out)
	return out
}

// inOrder runs a plan on the CPU and returns its rows.
func inOrder(t *testing.T, n *physical.Node) []string {
	t.Helper()
	account := mem.NewRoot("test", 0)
	res, err := exec.Run(context.Background(), n, exec.DefaultRegistry(), exec.Options{Mem: account, Workers: 1, BatchSize: vec.BatchSize})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	var out []string
	for {
		b, err := res.Next()
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return out
		}
		for i := range b.N {
			out = append(out, sqltest.Line(b, i))
		}
	}
}

// bare returns a copy of a subtree whose scans and joins do without dynamic filters, which might cross
// its border.
func bare(n *physical.Node) *physical.Node {
	c := *n
	switch op := n.Op.(type) {
	case *physical.Scan:
		s := *op
		s.Dynamic, s.Bound = nil, nil
		c.Op = &s
	case *physical.Join:
		j := *op
		j.Filters = nil
		if j.Algo == physical.Index {
			j.Algo = physical.Hash
		}
		c.Op = &j
	}
	c.In = nil
	for _, in := range n.In {
		c.In = append(c.In, bare(in))
	}
	return &c
}

// planOf returns the plan of a query.
func planOf(t *testing.T, s *gsql.Session, sql string) *physical.Node {
	t.Helper()
	rows, err := s.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	return inside.Plan(rows)
}

// compare compares the largest subtrees of a plan that have a form, and returns why others have none.
func compare(t *testing.T, n *physical.Node, host known) (lowered int, refused []string) {
	t.Helper()
	if _, ok := n.Op.(*physical.Scan); ok {
		return 0, nil
	}
	q, err := lower.Lower(n, host)
	if err == nil {
		want := answers(t, bare(n))
		got, full := lines(t, q, host)
		for factor := 1.0; full && factor < 1e7; factor *= 16 {
			if q, err = lower.LowerFor(n, host, lower.Options{More: factor, Repeats: true}); err != nil {
				t.Fatal(err)
			}
			got, full = lines(t, q, host)
		}
		if !equalLines(want, got) {
			name, _ := n.Op.Describe()
			t.Errorf("%s:\n%d rows %.300v\nwant\n%d rows %.300v", name, len(got), got, len(want), want)
		}
		return 1, nil
	}
	refused = append(refused, err.Error())
	for _, in := range n.In {
		below, why := compare(t, in, host)
		lowered += below
		refused = append(refused, why...)
	}
	return lowered, refused
}

// equalLines compares rows; doubles may differ in their last digits.
func equalLines(want, got []string) bool {
	return slices.EqualFunc(want, got, func(a, b string) bool {
		return slices.EqualFunc(strings.Split(a, "|"), strings.Split(b, "|"), func(x, y string) bool {
			f, errF := strconv.ParseFloat(x, 64)
			g, errG := strconv.ParseFloat(y, 64)
			return x == y || errF == nil && errG == nil && strings.ContainsAny(x, "e.") && (f-g)*(f-g) <= 1e-24*f*f
		})
	})
}

// TestTPCH lowers what has a form of each query.
func TestTPCH(t *testing.T) {
	dir := t.TempDir()
	if err := tpch.Generate(context.Background(), dir, 0.01, nil); err != nil {
		t.Fatal(err)
	}
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	for _, name := range []string{"region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"} {
		sqltest.Run(t, s, fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM `%s.parquet`", name, name))
	}
	for _, key := range []string{"region (r_regionkey)", "nation (n_nationkey)", "supplier (s_suppkey)", "customer (c_custkey)", "part (p_partkey)",
		"partsupp (ps_partkey, ps_suppkey)", "orders (o_orderkey)"} {
		table, columns, _ := strings.Cut(key, " ")
		sqltest.Run(t, s, "ALTER TABLE "+table+" ADD PRIMARY KEY "+columns)
	}
	host := hostColumns{}
	withFunctions := raw{host, map[string]*hostColumn{}}
	for q := 1; q <= 22; q++ {
		text, err := os.ReadFile(sqltest.Testdata(fmt.Sprintf("tpch/q%02d.sql", q)))
		if err != nil {
			t.Fatal(err)
		}
		plan := planOf(t, s, string(text))
		compare(t, plan, late{host})
		compare(t, plan, withFunctions)
		lowered, refused := compare(t, plan, host)
		t.Logf("q%02d: %d subtrees; %q", q, lowered, refused)
	}
}

// TestStatements lowers statements over two tables with NULLs, duplicates and values of all types.
func TestStatements(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fill(t, s)
	host := hostColumns{}
	withFunctions := raw{host, map[string]*hostColumn{}}
	for _, sql := range []string{
		"SELECT id, i + 2 * j, -d, d * e, ABS(i) FROM a WHERE i > 3 AND d < 5.5 OR j IS NULL",
		"SELECT SUM(i), SUM(d), SUM(d * e), COUNT(*), COUNT(j), MIN(j), MAX(d), AVG(i), AVG(d), SUM(f), AVG(f) FROM a",
		"SELECT SUM(i), COUNT(*), MIN(d), AVG(j) FROM a WHERE i > 1000",
		"SELECT j, t, COUNT(*), SUM(d), AVG(e), MIN(t), MAX(t) FROM a GROUP BY j, t",
		"SELECT big, COUNT(*), SUM(big) FROM a GROUP BY big",
		"SELECT t, SUM(CASE WHEN i > 3 THEN d WHEN i < 0 THEN -d ELSE 0 END), SUM(IF(j IS NULL, 1, 0)) FROM a GROUP BY t HAVING COUNT(*) > 2",
		"SELECT id FROM a WHERE t = 'b' OR t > 'c' OR t IN ('a', 'zz') AND t <> 'x'",
		"SELECT id, LENGTH(t), UPPER(t), SUBSTRING(t, 1, 1) FROM a WHERE t LIKE '%a%' AND NOT t LIKE 'b%'",
		"SELECT YEAR(day), MONTH(day), COUNT(*) FROM a WHERE day BETWEEN '2020-01-05' AND DATE_ADD('2020-01-05', INTERVAL 1 MONTH) GROUP BY YEAR(day), MONTH(day)",
		"SELECT COUNT(*), SUM(a.d + b.d), MIN(b.t) FROM a JOIN b ON a.j = b.k",
		"SELECT COUNT(*), SUM(a.i) FROM a JOIN b ON a.j = b.k AND a.i < b.v",
		"SELECT a.id, b.v, b.t FROM a LEFT JOIN b ON a.j = b.k AND b.v > 2 WHERE a.i > 0",
		"SELECT COUNT(*), COUNT(b.v), SUM(b.d) FROM a LEFT JOIN b ON a.j = b.k",
		"SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.j AND b.v <> a.i)",
		"SELECT a.id FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.j AND b.v > a.i)",
		"SELECT a.id FROM a WHERE a.i IN (SELECT v FROM b WHERE v > 3) OR a.i = 2",
		"SELECT a.t, COUNT(*) FROM a JOIN b ON a.t = b.t GROUP BY a.t",
		"SELECT x.id, COUNT(*) FROM u x JOIN b ON x.id = b.k JOIN a ON a.i = x.w GROUP BY x.id",
		"SELECT g.j, g.n, x.w FROM (SELECT j, COUNT(*) n FROM a GROUP BY j) g JOIN u x ON x.id = g.j WHERE g.n > 1",
		"SELECT DISTINCT i, j, d, big FROM a",
		"SELECT id, w FROM u UNION SELECT id, w + 1 FROM u",
		"SELECT q.id, q.w, COUNT(*) FROM (SELECT id, w FROM u UNION ALL SELECT id, w + 1 FROM u) q GROUP BY q.id, q.w",
		"SELECT u.w, u.id, COUNT(*), SUM(a.d) FROM a LEFT JOIN u ON u.id = a.j GROUP BY u.w, u.id",
		"SELECT u.id, u.w, a.t, MIN(a.d) FROM a JOIN u ON u.id = a.j GROUP BY u.id, u.w, a.t HAVING u.w > 2",
		"SELECT AVG(big * 10), AVG(-big) FROM a",
		"SELECT i, AVG(-d), AVG(d * 1000000) FROM a GROUP BY i",
		"SELECT a.id FROM a JOIN (SELECT j, AVG(d) m, AVG(i) n FROM a GROUP BY j) g ON g.j = a.j WHERE a.d < 0.7 * g.m AND a.i > g.n",
		"SELECT id FROM a WHERE d > (SELECT AVG(e) / 10 FROM a)",
		"SELECT id, d FROM a WHERE d > (SELECT AVG(d) FROM a WHERE i > 3)",
		"SELECT i, COUNT(DISTINCT j), SUM(DISTINCT j) FROM a GROUP BY i",
		"SELECT COUNT(DISTINCT t) FROM a WHERE i > 1000",
		"SELECT COUNT(DISTINCT d), AVG(DISTINCT d) FROM a",
		"SELECT i, COUNT(DISTINCT j), COUNT(*), COUNT(d), SUM(d), AVG(e), MIN(t), MAX(d), SUM(DISTINCT j), MIN(j) FROM a GROUP BY i",
		"SELECT COUNT(DISTINCT j), COUNT(*), COUNT(d), SUM(f), AVG(f), SUM(big), AVG(big), MAX(big), MIN(DISTINCT d) FROM a",
		"SELECT COUNT(DISTINCT j), COUNT(*), SUM(d), AVG(d), MIN(d) FROM a WHERE i > 1000",
		"SELECT i, COUNT(DISTINCT j), COUNT(DISTINCT t), SUM(DISTINCT d), COUNT(*), SUM(big), AVG(DISTINCT j) FROM a GROUP BY i",
		"SELECT COUNT(DISTINCT j), COUNT(DISTINCT t), SUM(DISTINCT i), AVG(d) FROM a",
		"SELECT COUNT(DISTINCT j), COUNT(DISTINCT t), SUM(DISTINCT i) FROM a WHERE i > 1000",
		"SELECT t, j, COUNT(DISTINCT d), COUNT(DISTINCT e), MIN(f) FROM a WHERE i > 2 GROUP BY t, j HAVING COUNT(DISTINCT e) > 1",
		"SELECT a.j, COUNT(DISTINCT b.v), COUNT(DISTINCT a.t), COUNT(*) FROM a JOIN b ON a.j = b.k GROUP BY a.j",
		"SELECT i, MIN(f), MAX(-f), MIN(f * d) FROM a GROUP BY i HAVING MAX(f) > 0.5",
		"SELECT MIN(f), MAX(f), COUNT(DISTINCT i) FROM a WHERE j < 3",
		"SELECT i, BIT_OR(j), BIT_XOR(j), BIT_AND(id), BIT_AND(id) & 7 FROM a GROUP BY i",
		"SELECT BIT_OR(id), BIT_XOR(id), BIT_OR(j), COUNT(DISTINCT i) FROM a",
		"SELECT BIT_OR(j), BIT_XOR(id), COUNT(*) FROM a WHERE i > 1000",
		"SELECT MIN(f), MAX(f - 1) FROM a WHERE i > 1000",
		"SELECT t, COUNT(DISTINCT i) n, SUM(e) FROM a GROUP BY t HAVING SUM(e) > 100 AND n > 3",
		"SELECT COALESCE(j, i, 0), CAST(d AS SIGNED), CAST(i AS DECIMAL(10,3)), i <=> j FROM a",
		"SELECT SUM(q.n) FROM (SELECT i, COUNT(*) n FROM a GROUP BY i) q WHERE q.n < 100",
		"SELECT id, d, t, f FROM a WHERE i > 3 UNION ALL SELECT v, d, t, NULL FROM b WHERE k < 9",
		"SELECT j, t FROM a UNION SELECT k, t FROM b",
		"SELECT j, 'b' FROM a WHERE i > 2 UNION ALL SELECT v, t FROM b WHERE v > 3 UNION ALL SELECT 7, t FROM a WHERE t <> 'aa'",
		"SELECT x, COUNT(*), SUM(y) FROM (SELECT t x, d y FROM a WHERE i > 0 UNION ALL SELECT t, v FROM b) q GROUP BY x",
		"SELECT j, t FROM a EXCEPT SELECT k, t FROM b",
		"SELECT j, t FROM a EXCEPT ALL SELECT k, t FROM b", "SELECT j FROM a INTERSECT ALL SELECT k FROM b", "SELECT t FROM a INTERSECT ALL SELECT t FROM b",
		"SELECT d, big FROM a EXCEPT ALL SELECT d, v FROM b", "SELECT j % 3, i FROM a EXCEPT ALL SELECT k % 3, v FROM b", "SELECT j % 3 FROM a INTERSECT ALL SELECT k % 3 FROM b",
		"SELECT j, NULL FROM a WHERE i > 0 INTERSECT SELECT k, NULL FROM b",
		"SELECT x.j, COUNT(*) FROM (SELECT i j FROM a INTERSECT SELECT v FROM b) x JOIN a ON a.j = x.j GROUP BY x.j",
		"SELECT f, COUNT(*), SUM(i) FROM a GROUP BY f",
		"SELECT f, big, t, COUNT(*), MAX(d) FROM a GROUP BY f, big, t",
		"SELECT DISTINCT -f, big * 30 FROM a",
		"SELECT f * 0 z, COUNT(DISTINCT f) FROM a GROUP BY z",
		"SELECT i, STDDEV(f), VAR_SAMP(f), VARIANCE(d * f), STDDEV_SAMP(j * f), COUNT(*), AVG(f) FROM a GROUP BY i",
		"SELECT STDDEV(f), VAR_SAMP(f * 1000 + 7e6), VAR_POP(i * f), STDDEV_SAMP(e) FROM a",
		"SELECT f, big, VAR_POP(e * f), COUNT(*) FROM a GROUP BY f, big",
		"SELECT big * 30.0 x, COUNT(*), SUM(i) FROM a GROUP BY x",
		"SELECT DISTINCT big * CAST(big * 2 AS DECIMAL(20,0)) FROM a",
		"SELECT d, big * 30.0 FROM a EXCEPT SELECT d, v FROM b",
		"SELECT VAR_SAMP(f), STDDEV(5e0), COUNT(*) FROM a WHERE i > 1000",
		"SELECT id, VAR_SAMP(f), VAR_POP(f), STDDEV(0.1e0) FROM a GROUP BY id HAVING VAR_POP(f) = 0",
		"SELECT id, d / e, i / 7, big * 100.5, big * 10.0 / (i + 6), d % 0.7, IF(i = 0, 0, j / i), ROUND(big / 3, 1) FROM a WHERE big / 3 > i",
		"SELECT i, SUM(d) / SUM(e), SUM(big) / 3, AVG(big) / AVG(e), SUM(big * d), AVG(big * e), AVG(f) * 2 FROM a GROUP BY i HAVING SUM(big) / 2 < 1000000 OR AVG(d) IS NULL",
		"SELECT q.s, b.v FROM b JOIN (SELECT j, SUM(big) s, AVG(big * 3) m FROM a GROUP BY j) q ON q.j = b.k WHERE q.m > b.v",
		"SELECT i, SUM(big) / 7 FROM a GROUP BY i UNION ALL SELECT i, d FROM a",
	} {
		plan := planOf(t, s, sql)
		compare(t, plan, late{host})
		compare(t, plan, withFunctions)
		lowered, refused := compare(t, plan, host)
		if lowered == 0 {
			t.Errorf("%s: %q", sql, refused)
		}
		t.Logf("%d of %s %q", lowered, sql, refused)
	}
}

func fill(t *testing.T, s *gsql.Session) {
	r := rand.New(rand.NewPCG(3, 4))
	sqltest.Run(t, s, `CREATE TABLE a (id INT NOT NULL, i INT NOT NULL, j INT, d DECIMAL(10,2), e DECIMAL(6,3) NOT NULL, f DOUBLE, t VARCHAR(10), day DATE, big BIGINT);
		CREATE TABLE b (k INT, v INT NOT NULL, d DECIMAL(8,4), t VARCHAR(10)); CREATE TABLE u (id INT PRIMARY KEY, w INT)`)
	null := func(x any) string { return sqltest.OrNull(r, x) }
	text := func() string { return "'" + strings.Repeat(string(rune('a'+r.IntN(4))), 1+r.IntN(2)) + "'" }
	var rows []string
	for id := range 400 {
		rows = append(rows, fmt.Sprintf("(%d, %d, %s, %s, %d.%03d, %s, %s, %s, %s)", id, r.IntN(20)-5, null(r.IntN(12)), null(fmt.Sprintf("%d.%02d", r.IntN(20)-10, r.IntN(100))),
			r.IntN(50), r.IntN(1000), null(r.Float64()), null(text()), null(fmt.Sprintf("'2020-%02d-%02d'", 1+r.IntN(3), 1+r.IntN(28))), null((r.Int64N(3)-1)*(1<<58)+r.Int64N(9))))
	}
	sqltest.Run(t, s, "INSERT INTO a VALUES "+strings.Join(rows, ","))
	rows = nil
	for range 150 {
		rows = append(rows, fmt.Sprintf("(%s, %d, %s, %s)", null(r.IntN(15)), r.IntN(9), null(fmt.Sprintf("%d.%04d", r.IntN(9), r.IntN(10000))), null(text())))
	}
	sqltest.Run(t, s, "INSERT INTO b VALUES "+strings.Join(rows, ","))
	rows = nil
	for id := range 10 {
		rows = append(rows, fmt.Sprintf("(%d, %s)", id, null(r.IntN(9))))
	}
	sqltest.Run(t, s, "INSERT INTO u VALUES "+strings.Join(rows, ","))
}
