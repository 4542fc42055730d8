package theta_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/exec/join/match"
	"gsql/exec/join/merge"
	"gsql/exec/join/theta"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// TestManyRows joins enough rows for several workers to sort, partition and merge, on four
// workers that take turns. Each pair found must satisfy the condition and be found once. The
// number of pairs is checked by binary search.
func TestManyRows(t *testing.T) {
	defer theta.KeepFactors()()
	r := rand.New(rand.NewPCG(71, 72))
	const n = 40_000
	perm := r.Perm(n)
	key := jointest.Ints(n, func(i int) int64 { // one key has 600 rows, one is far from all others
		switch {
		case i%64 == 3:
			return 7
		case i == n/2:
			return math.MaxInt64
		}
		return int64(perm[i])
	})
	group := jointest.Ints(n, func(int) int64 { return r.Int64N(50) })
	lo := jointest.Ints(n, func(int) int64 { return r.Int64N(1_000_000) })
	hi := jointest.Ints(n, func(i int) int64 { return lo.I64[i] + r.Int64N(300) })
	at := jointest.Ints(n, func(int) int64 { return r.Int64N(1_000_000) })
	at.Null = make([]bool, n)
	for i := range at.Null {
		at.Null[i] = i%100 == 0
	}
	inside := func(l, r int32) bool { return !at.Null[r] && lo.I64[l] <= at.I64[r] && at.I64[r] <= hi.I64[l] }
	col := func(id expr.ColID) expr.Expr { return &expr.Col{ID: id, Name: "c", T: jointest.Bigint} }
	band := []theta.Comparison{{Op: "<=", L: col(1), R: col(101)}, {Op: ">=", L: col(2), R: col(101)}}
	apart := []theta.Comparison{{Op: "<=", L: col(1), R: col(101)}, {Op: ">=", L: col(2), R: col(102)}} // the same operand, treated as two
	for name, c := range map[string]struct {
		pairer      match.Pairer
		left, right []*vec.Vector
		is          func(l, r int32) bool
		want        int
	}{
		"merge": {&merge.Pairer{NullSafe: []bool{false}}, []*vec.Vector{key}, []*vec.Vector{key}, func(l, r int32) bool { return key.I64[l] == key.I64[r] },
			countPairs(n, func(l int) (int64, int64, int64) { return 0, key.I64[l], key.I64[l] }, func(r int) (int64, int64, bool) { return 0, key.I64[r], true })},
		"band": {&theta.RangePairer{Comparisons: band}, []*vec.Vector{lo, hi}, []*vec.Vector{at, at}, inside,
			countPairs(n, func(l int) (int64, int64, int64) { return 0, lo.I64[l], hi.I64[l] }, func(r int) (int64, int64, bool) { return 0, at.I64[r], !at.Null[r] })},
		"sweep": {&theta.RangePairer{Comparisons: apart}, []*vec.Vector{lo, hi}, []*vec.Vector{at, at}, inside,
			countPairs(n, func(l int) (int64, int64, int64) { return 0, lo.I64[l], hi.I64[l] }, func(r int) (int64, int64, bool) { return 0, at.I64[r], !at.Null[r] })},
		"band in groups": {&theta.RangePairer{NullSafe: []bool{false}, Comparisons: band}, []*vec.Vector{group, lo, hi}, []*vec.Vector{group, at, at},
			func(l, r int32) bool { return inside(l, r) && group.I64[l] == group.I64[r] },
			countPairs(n, func(l int) (int64, int64, int64) { return group.I64[l], lo.I64[l], hi.I64[l] }, func(r int) (int64, int64, bool) { return group.I64[r], at.I64[r], !at.Null[r] })},
	} {
		if theta.Favour(0); name == "sweep" {
			theta.Favour(1)
		}
		root := mem.NewRoot("query", 0)
		ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: 4}
		if err := c.pairer.Build(ctx, root, &match.Side{Rows: n, Keys: c.left}, &match.Side{Rows: n, Keys: c.right}); err != nil {
			t.Fatal(err)
		}
		var workers []match.PairWorker
		for range ctx.Workers {
			workers = append(workers, c.pairer.Worker())
		}
		seen := make(map[[2]int32]bool, c.want)
		for len(workers) > 0 {
			i := r.IntN(len(workers))
			p, done, err := workers[i].Next(3000)
			if err != nil {
				t.Fatal(err)
			}
			for k, l := range p.Probe {
				pair := [2]int32{l, p.Build[k]}
				if seen[pair] || !c.is(l, p.Build[k]) {
					t.Fatalf("%s: pair %v comes twice (%v), or is none", name, pair, seen[pair])
				}
				seen[pair] = true
			}
			if done {
				workers = slices.Delete(workers, i, i+1)
			}
		}
		if len(seen) != c.want {
			t.Errorf("%s: %d pairs, want %d", name, len(seen), c.want)
		}
		if c.pairer.Close(); root.Used() != 0 {
			t.Errorf("%s: %d bytes are held", name, root.Used())
		}
	}
}

// countPairs counts the pairs among n rows of either side. A left row has a group and bounds; a
// right row has a group, a value, and a flag that reports whether it takes part.
func countPairs(n int, left func(int) (group, lo, hi int64), right func(int) (group, value int64, ok bool)) (pairs int) {
	values := map[int64][]int64{}
	for r := range n {
		if g, x, ok := right(r); ok {
			values[g] = append(values[g], x)
		}
	}
	for _, xs := range values {
		slices.Sort(xs)
	}
	for l := range n {
		g, lo, hi := left(l)
		from, _ := slices.BinarySearch(values[g], lo)
		to := len(values[g])
		if hi < math.MaxInt64 {
			to, _ = slices.BinarySearch(values[g], hi+1)
		}
		pairs += to - from
	}
	return pairs
}
