package join_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// BenchmarkMergeSkew merges sides whose pairs or codes are distributed unevenly: one row with
// 10^7 partners on either side, a cross product of one key, Zipf's distribution, and a key far
// from all others.
func BenchmarkMergeSkew(b *testing.B) {
	const many = 10_000_000
	r := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(r, 1.1, 1, 1<<20)
	side := func(n int, key func(i int) int64) []*vec.Vector {
		return []*vec.Vector{jointest.Ints(n, key), jointest.Ints(n, func(int) int64 { return 1 })}
	}
	one := func(int) int64 { return 7 }
	outlier := func(n int) func(i int) int64 {
		perm := r.Perm(n)
		return func(i int) int64 {
			if i == n/2 {
				return math.MaxInt64
			}
			return int64(perm[i])
		}
	}
	for _, c := range []struct {
		name        string
		left, right []*vec.Vector
		want        int
	}{
		{"row", side(1, one), side(many, one), many},
		{"rightRow", side(many, one), side(1, one), many},
		{"cross", side(4000, one), side(4000, one), 4000 * 4000},
		{"zipf", side(1<<20, func(i int) int64 { return int64(i) * 7 % (1 << 20) }), side(many, func(int) int64 { return int64(zipf.Uint64()) }), -1},
		{"outlier", side(1_000_000, outlier(1_000_000)), side(many, outlier(many)), -1},
	} {
		b.Run(c.name, func(b *testing.B) {
			bench(b, jointest.Equality(physical.Merge, jointest.Bigint), c.left, c.right, jointest.BenchCols(jointest.RightID, c.right)[1:], c.want)
		})
	}
}

// BenchmarkRangeSkew joins one row with the 10^7 rows that are greater.
func BenchmarkRangeSkew(b *testing.B) {
	const many = 10_000_000
	r := rand.New(rand.NewPCG(1, 1))
	left := []*vec.Vector{jointest.Ints(1, func(int) int64 { return -1 })}
	right := []*vec.Vector{jointest.Ints(many, func(int) int64 { return r.Int64N(many) }), jointest.Ints(many, func(int) int64 { return 1 })}
	col := func(id expr.ColID) expr.Expr { return &expr.Col{ID: id, Name: fmt.Sprint("c", id), T: jointest.Bigint} }
	j := &physical.Join{Algo: physical.Range, Ranges: []physical.RangePred{{Op: "<", L: col(jointest.LeftID), R: col(jointest.RightID)}}}
	bench(b, j, left, right, jointest.BenchCols(jointest.RightID, right)[1:], many)
}
