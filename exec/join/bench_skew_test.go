package join

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gsql/exec/op"
	"gsql/internal/cputime"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// BenchmarkMergeSkew merges sides whose pairs, or whose codes, are unevenly spread: one row with
// 10^7 partners on either side, a cross product of one key, Zipf's distribution, and a key far
// from all others.
func BenchmarkMergeSkew(b *testing.B) {
	const many = 10_000_000
	r := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(r, 1.1, 1, 1<<20)
	side := func(n int, key func(i int) int64) []*vec.Vector {
		return []*vec.Vector{ints(n, key), ints(n, func(int) int64 { return 1 })}
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
			bench(b, equality(physical.Merge, bigint), c.left, c.right, benchCols(rightID, c.right)[1:], c.want)
		})
	}
}

// BenchmarkRangeSkew joins one row with 10^7 that are greater.
func BenchmarkRangeSkew(b *testing.B) {
	const many = 10_000_000
	r := rand.New(rand.NewPCG(1, 1))
	left := []*vec.Vector{ints(1, func(int) int64 { return -1 })}
	right := []*vec.Vector{ints(many, func(int) int64 { return r.Int64N(many) }), ints(many, func(int) int64 { return 1 })}
	col := func(id expr.ColID) expr.Expr { return &expr.Col{ID: id, Name: fmt.Sprint("c", id), T: bigint} }
	j := &physical.Join{Algo: physical.Range, Ranges: []physical.RangePred{{Op: "<", L: col(leftID), R: col(rightID)}}}
	bench(b, j, left, right, benchCols(rightID, right)[1:], many)
}

// BenchmarkSortWords sorts 10^7 words of several distributions on two workers.
func BenchmarkSortWords(b *testing.B) {
	const n = 10_000_000
	r := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(r, 1.1, 1, 1<<20)
	for _, c := range []struct {
		name string
		word func(i int) uint64
	}{
		{"dense", func(int) uint64 { return r.Uint64N(n) }},
		{"random", func(int) uint64 { return r.Uint64() }},
		{"few", func(int) uint64 { return r.Uint64N(10) << 50 }},
		{"mostlyEqual", func(i int) uint64 { return uint64(i/(n-1)) << 40 }},
		{"zipf", func(int) uint64 { return zipf.Uint64() }},
		{"outlier", func(i int) uint64 {
			if i == n/2 {
				return math.MaxUint64
			}
			return r.Uint64N(n)
		}},
		{"clusters", func(int) uint64 { return r.Uint64N(2)<<60 + r.Uint64N(n) }},
		{"floats", func(i int) uint64 { return orderedFloat(float64(i%3) * r.Float64() * 1000) }},
	} {
		words := make([]uint64, n)
		for i := range words {
			words[i] = c.word(i)
		}
		words[0], words[n-1] = words[n-1], words[0] // not in order
		b.Run(fmt.Sprint(c.name), func(b *testing.B) {
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 2}
			before := cputime.Used().Seconds()
			for b.Loop() {
				b.StopTimer()
				in, err := mem.Alloc[uint64](ctx.Mem, n)
				if err != nil {
					b.Fatal(err)
				}
				copy(in.S, words)
				b.StartTimer()
				o, err := SortWords(ctx, ctx.Mem, in, nil)
				if err != nil {
					b.Fatal(err)
				}
				o.Free()
			}
			b.ReportMetric((cputime.Used().Seconds()-before)/float64(b.N), "cpu-s/op")
		})
	}
}
