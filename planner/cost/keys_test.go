package cost

import (
	"math/rand"
	"testing"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// counted gives the true number of rows of l that keep, joined with those of r that keep by
// equal values of the listed columns.
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

// TestFilteredSides checks that predicates on other columns of either side leave the odds of
// equal keys as they are: a fact table finds of a filtered dimension what the filter leaves.
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

// TestCompositeKeys checks joins by the two columns of a key of the smaller table, which the
// larger one has combinations of, where the product of their values says far more.
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

// TestAntiJoinWithResidual: rows find a partner by chance where more than equal keys is asked
// for, so that some find none.
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
