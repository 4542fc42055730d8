package cost

import (
	"math/rand"
	"testing"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// counted returns the true number of pairs of rows of l that satisfy keepL and rows of r that
// satisfy keepR with equal values in the listed columns, and the number of rows of l that have a
// partner.
func counted(l, r *table, lk, rk []int, keepL, keepR func(row int) bool) (pairs, matched float64) {
	byKey := map[[2]int64]int{}
	key := func(t *table, cols []int, row int) (k [2]int64) {
		for i, c := range cols {
			k[i] = t.rows[c][row]
		}
		return k
	}
	for i := range r.rows[0] {
		if keepR(i) {
			byKey[key(r, rk, i)]++
		}
	}
	for i := range l.rows[0] {
		if n := byKey[key(l, lk, i)]; keepL(i) && n > 0 {
			pairs += float64(n)
			matched++
		}
	}
	return pairs, matched
}

// TestFilteredSides checks that predicates on other columns of either side do not change the
// probability of equal keys: the share of a fact table that joins with a filtered dimension is
// the share that the filter keeps.
func TestFilteredSides(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	const dims, facts = 3000, 60000
	seq := make([]int64, dims)
	for i := range seq {
		seq[i] = int64(i)
	}
	dim := newTable(seq, uniform(rng, dims, 0, 99))                                // 1 key, 2 attribute
	fact := newTable(uniform(rng, facts, 0, dims*2/3), uniform(rng, facts, 0, 99)) // 11 foreign key, 12 attribute
	on := []expr.Expr{call("=", col(1), col(11))}
	for _, tt := range []struct{ dim, fact int64 }{{100, 100}, {10, 100}, {100, 10}, {10, 5}, {5, 50}, {50, 1}} {
		var l logical.Node = &logical.Filter{In: dim.scan(1), Preds: []expr.Expr{call("<", col(2), num(tt.dim))}}
		var r logical.Node = &logical.Filter{In: fact.scan(11), Preds: []expr.Expr{call("<", col(12), num(tt.fact))}}
		keepDim, keepFact := func(i int) bool { return dim.rows[1][i] < tt.dim }, func(i int) bool { return fact.rows[1][i] < tt.fact }
		pairs, found := counted(dim, fact, []int{0}, []int{0}, keepDim, keepFact)
		_, used := counted(fact, dim, []int{0}, []int{0}, keepFact, keepDim)
		kept := float64(0)
		for i := range seq {
			if keepDim(i) {
				kept++
			}
		}
		rows := func(kind logical.JoinKind, l, r logical.Node) float64 {
			return NewEstimator().Derive(&logical.Join{Kind: kind, L: l, R: r, On: on}).Rows
		}
		within(t, "inner", rows(logical.Inner, l, r), pairs, 1.4)
		within(t, "semi of the dimension", rows(logical.Semi, l, r), found, 1.3)
		within(t, "anti of the dimension", rows(logical.Anti, l, r), kept-found, 1.4)
		within(t, "semi of the facts", rows(logical.Semi, r, l), used, 1.4)
	}
}

// TestCompositeKeys checks joins by the two-column key of the smaller table, whose combinations
// the larger table repeats, although the product of the columns' values is much larger.
func TestCompositeKeys(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	const parents, children = 2000, 40000
	parent := newTable(uniform(rng, parents, 0, 999), uniform(rng, parents, 0, 499), uniform(rng, parents, 0, 9))
	a, b := make([]int64, children), make([]int64, children)
	for i := range a {
		p := rng.Intn(parents)
		a[i], b[i] = parent.rows[0][p], parent.rows[1][p]
	}
	child := newTable(a, b)
	on := []expr.Expr{call("=", col(11), col(1)), call("=", col(12), col(2))}
	all := func(int) bool { return true }
	for _, tt := range []struct {
		unique bool
		factor float64
	}{{true, 1.3}, {false, 5}} {
		parent.schema.Indexes = nil
		if tt.unique {
			parent.schema.Indexes = []catalog.Index{{Name: "k", Columns: []int{1, 0}, Unique: true}}
		}
		pairs, _ := counted(child, parent, []int{0, 1}, []int{0, 1}, all, all)
		within(t, "all", NewEstimator().Derive(&logical.Join{L: child.scan(11), R: parent.scan(1), On: on}).Rows, pairs, tt.factor)
		pairs, _ = counted(child, parent, []int{0, 1}, []int{0, 1}, all, func(i int) bool { return parent.rows[2][i] == 3 })
		filtered := &logical.Filter{In: parent.scan(1), Preds: []expr.Expr{call("=", col(3), num(3))}}
		within(t, "filtered parents", NewEstimator().Derive(&logical.Join{L: child.scan(11), R: filtered, On: on}).Rows, pairs, tt.factor)
	}
}

// TestAntiJoinWithResidual checks joins in which equal keys are not enough for a match: rows find
// partners by chance, and some find none.
func TestAntiJoinWithResidual(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	const n = 20000
	tab := newTable(uniform(rng, n, 0, n/3), uniform(rng, n, 0, 99))
	on := []expr.Expr{call("=", col(1), col(11)), call("<>", col(2), col(12))}
	alone := 0.0
	byKey := map[int64]map[int64]bool{}
	for i, k := range tab.rows[0] {
		if byKey[k] == nil {
			byKey[k] = map[int64]bool{}
		}
		byKey[k][tab.rows[1][i]] = true
	}
	for _, k := range tab.rows[0] {
		if len(byKey[k]) == 1 {
			alone++
		}
	}
	within(t, "anti", NewEstimator().Derive(&logical.Join{Kind: logical.Anti, L: tab.scan(1), R: tab.scan(11), On: on}).Rows, alone, 2)
}

// countedTable reports the number of combinations of values of its columns.
type countedTable struct{ *table }

func (t countedTable) Combinations(columns []int) (float64, bool) {
	seen := map[[2]int64]bool{}
	for i := range t.rows[0] {
		seen[[2]int64{t.rows[columns[0]][i], t.rows[columns[len(columns)-1]][i]}] = true
	}
	return float64(len(seen)), len(columns) == 2
}

func (t countedTable) scan(base expr.ColID) *logical.Scan {
	s := t.table.scan(base)
	s.Table = t
	return s
}

// drawPairs returns pairs of values drawn from a table's first two columns.
func drawPairs(rng *rand.Rand, from *table, n int) *table {
	a, b := make([]int64, n), make([]int64, n)
	for i := range a {
		at := rng.Intn(len(from.rows[0]))
		a[i], b[i] = from.rows[0][at], from.rows[1][at]
	}
	return newTable(a, b)
}

// TestCombinedKeys checks joins by two columns, and groups by them, of tables that report their
// numbers of combinations. None of the tables has a declared key.
func TestCombinedKeys(t *testing.T) {
	rng := rand.New(rand.NewSource(8))
	distinct := func(n int) *table { // pairs that occur once, of 1000 and 500 values
		at := rng.Perm(1000 * 500)[:n]
		a, b, c := make([]int64, n), make([]int64, n), make([]int64, n)
		for i, x := range at {
			a[i], b[i], c[i] = int64(x/500), int64(x%500), rng.Int63n(10)
		}
		return newTable(a, b, c)
	}
	parent := distinct(20000)
	city := newTable(uniform(rng, 3000, 0, 99)) // one column determines the other
	city.rows = append(city.rows, nil)
	for _, x := range city.rows[0] {
		city.rows[1] = append(city.rows[1], x/3)
	}
	city = newTable(city.rows...)
	whole := newTable(uniform(rng, 30000, 0, 49), uniform(rng, 30000, 0, 79)) // all combinations
	for _, tt := range []struct {
		name   string
		l, r   *table
		factor float64
	}{
		{"children and parents", drawPairs(rng, parent, 60000), parent, 1.05},
		{"some of the children", drawPairs(rng, parent, 3000), parent, 1.05},
		{"children of the same parents", drawPairs(rng, parent, 60000), drawPairs(rng, parent, 50000), 1.1},
		{"a column that follows from the other", drawPairs(rng, city, 4000), city, 1.1},
		{"columns that have nothing to do with each other", whole, newTable(uniform(rng, 9000, 0, 49), uniform(rng, 9000, 0, 79)), 1.1},
	} {
		l, r := countedTable{tt.l}, countedTable{tt.r}
		on := []expr.Expr{call("=", col(11), col(1)), call("=", col(12), col(2))}
		all := func(int) bool { return true }
		pairs, found := counted(tt.l, tt.r, []int{0, 1}, []int{0, 1}, all, all)
		rows := func(kind logical.JoinKind, l, r logical.Node) float64 {
			return NewEstimator().Derive(&logical.Join{Kind: kind, L: l, R: r, On: on}).Rows
		}
		within(t, tt.name, rows(logical.Inner, l.scan(11), r.scan(1)), pairs, tt.factor)
		within(t, tt.name+", turned round", rows(logical.Inner, r.scan(1), l.scan(11)), pairs, tt.factor)
		within(t, tt.name+", semi", rows(logical.Semi, l.scan(11), r.scan(1)), found, 1.2)
		first := &logical.Filter{In: r.scan(1), Preds: []expr.Expr{call("<", col(1), num(10))}}
		pairs, _ = counted(tt.l, tt.r, []int{0, 1}, []int{0, 1}, all, func(i int) bool { return tt.r.rows[0][i] < 10 })
		within(t, tt.name+", some values", rows(logical.Inner, l.scan(11), first), pairs, 1.3)
		groups, _ := r.Combinations([]int{0, 1})
		within(t, tt.name+", groups", NewEstimator().Derive(&logical.Aggregate{In: r.scan(1), Keys: r.scan(1).Columns[:2]}).Rows, groups, 1.7)
	}
}

// TestFilteredBesideKey joins a table by its key, and by another column with a column of a third
// table. No two-column foreign key relates these columns.
func TestFilteredBesideKey(t *testing.T) {
	rng := rand.New(rand.NewSource(9))
	seq := make([]int64, 2000)
	for i := range seq {
		seq[i] = int64(i)
	}
	keyed := newTable(seq, uniform(rng, len(seq), 0, 24))
	lines, others := newTable(uniform(rng, 5000, 0, 1999)), newTable(uniform(rng, 50, 0, 24))
	both := &logical.Join{Kind: logical.Inner, L: lines.scan(11), R: others.scan(21)}
	on := []expr.Expr{call("=", col(11), col(1)), call("=", col(21), col(2))}
	want := 5000.0 * 50 / 25
	within(t, "join", NewEstimator().Derive(&logical.Join{L: both, R: countedTable{keyed}.scan(1), On: on}).Rows, want, 1.3)
}
