package join_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"gsql/exec/join"
	"gsql/exec/join/jointest"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/cputime"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// bench runs a join over columnar inputs, gathers the output's last column and sums it.
// want is the expected number of rows.
func bench(b *testing.B, j *physical.Join, l, r []*vec.Vector, out []logical.Column, want int) {
	b.Helper()
	node := &physical.Node{Op: j, In: []*physical.Node{{Cols: jointest.BenchCols(jointest.LeftID, l)}, {Cols: jointest.BenchCols(jointest.RightID, r)}}, Cols: out}
	ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 2}
	b.ReportAllocs()
	before := cputime.Used().Seconds()
	var busiest float64 // share of the rows that one stream returned
	for b.Loop() {
		o, err := join.New(node, &optest.Columns{Cols: l}, &optest.Columns{Cols: r})
		if err != nil {
			b.Fatal(err)
		}
		if err := o.Open(ctx); err != nil {
			b.Fatal(err)
		}
		var sum, rows, most atomic.Int64
		err = op.Drain(ctx, o, func(_ int, s op.Stream) error {
			var flat vec.Vector
			total, n := int64(0), 0
			for {
				batch, err := s.Next()
				if err != nil || batch == nil {
					sum.Add(total)
					for m := most.Load(); m < int64(n) && !most.CompareAndSwap(m, int64(n)); m = most.Load() {
					}
					rows.Add(int64(n))
					return err
				}
				n += batch.N
				for _, x := range batch.Cols[len(batch.Cols)-1].Flatten(&flat).I64 {
					total += x
				}
			}
		})
		if err != nil || rows.Load() != int64(want) && want >= 0 {
			b.Fatalf("%d rows, want %d (%v)", rows.Load(), want, err)
		}
		busiest = float64(most.Load()) / float64(max(1, rows.Load()))
		if err := o.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(busiest, "busiest")
	probes := float64(l[0].N) * float64(b.N) / 1e6
	b.ReportMetric(probes/b.Elapsed().Seconds(), "Mprobe/s")
	cpu := cputime.Used().Seconds() - before
	b.ReportMetric(probes/cpu, "Mprobe/cpu-s")
	b.ReportMetric(cpu/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(ctx.Mem.Peak())/1e6, "MBpeak")
}

// BenchmarkPKFK joins build rows of a primary key with 10^7 foreign keys and sums a payload
// column of the build side.
func BenchmarkPKFK(b *testing.B) {
	const probes = 10_000_000
	for _, builds := range []int{1_000_000, 10_000_000} {
		for _, spread := range []int64{1, 1_000_003} {
			r := rand.New(rand.NewPCG(1, 1))
			perm := r.Perm(builds)
			right := []*vec.Vector{jointest.Ints(builds, func(i int) int64 { return int64(perm[i]) * spread }), jointest.Ints(builds, func(i int) int64 { return int64(i) })}
			left := []*vec.Vector{jointest.Ints(probes, func(int) int64 { return r.Int64N(int64(builds)) * spread })}
			for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
				b.Run(fmt.Sprintf("%s/%dx%d/spread%d", algo, builds, probes, spread), func(b *testing.B) {
					bench(b, jointest.Equality(algo, jointest.Bigint), left, right, jointest.BenchCols(jointest.RightID, right)[1:], probes)
				})
			}
		}
	}
}

func BenchmarkStrings(b *testing.B) {
	const builds, probes = 1_000_000, 4_000_000
	r := rand.New(rand.NewPCG(1, 1))
	key := func(n int, f func(i int) int) *vec.Vector {
		v := vec.NewFlat(jointest.Text, n)
		for i := range v.Str {
			v.Str[i] = fmt.Sprintf("customer#%09d", f(i))
		}
		return v
	}
	right := []*vec.Vector{key(builds, func(i int) int { return i }), jointest.Ints(builds, func(i int) int64 { return int64(i) })}
	left := []*vec.Vector{key(probes, func(int) int { return r.IntN(builds) })}
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
		b.Run(string(algo), func(b *testing.B) {
			bench(b, jointest.Equality(algo, jointest.Text), left, right, jointest.BenchCols(jointest.RightID, right)[1:], probes)
		})
	}
}

// BenchmarkNestedLoop runs comparisons in tight loops: 10^9 pairs, one in 10^4 of which match.
func BenchmarkNestedLoop(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	right := []*vec.Vector{jointest.Ints(20_000, func(i int) int64 { return int64(i) }), jointest.Ints(20_000, func(i int) int64 { return 1 })}
	left := []*vec.Vector{jointest.Ints(50_000, func(int) int64 { return r.Int64N(20_000) })}
	bench(b, jointest.Equality(physical.NestedLoop, jointest.Bigint), left, right, jointest.BenchCols(jointest.RightID, right)[1:], 50_000)
}

// BenchmarkZipCodes pairs 42,000 points that are within 0.1 degrees in both dimensions.
func BenchmarkZipCodes(b *testing.B) {
	const n = 42_000
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, n), make([]float64, n)
	for i := range n { // clustered, as towns are
		x[i], y[i] = 25+25*r.Float64(), -125+60*r.Float64()
		if i%2 == 1 {
			x[i], y[i] = x[i-1]+r.NormFloat64(), y[i-1]+r.NormFloat64()
		}
	}
	side := []*vec.Vector{jointest.Floats(n, func(i int) float64 { return x[i] }), jointest.Floats(n, func(i int) float64 { return y[i] }), jointest.Ints(n, func(i int) int64 { return 1 })}
	col := func(id expr.ColID) expr.Expr { return &expr.Col{ID: id, Name: fmt.Sprint("c", id), T: jointest.Double} }
	far := jointest.Floats(1, func(int) float64 { return 0.1 })
	shift := func(fn expr.FuncID, id expr.ColID) expr.Expr { return jointest.Call(b, fn, col(id), constOf(far)) }
	j := &physical.Join{Algo: physical.Range, Ranges: []physical.RangePred{
		{Op: "<=", L: shift("-", jointest.LeftID), R: col(jointest.RightID)}, {Op: ">=", L: shift("+", jointest.LeftID), R: col(jointest.RightID)}},
		Residual: []expr.Expr{jointest.Call(b, ">=", col(jointest.RightID+1), shift("-", jointest.LeftID+1)), jointest.Call(b, "<=", col(jointest.RightID+1), shift("+", jointest.LeftID+1))}}
	bench(b, j, side, side, jointest.BenchCols(jointest.RightID, side)[2:], -1)
}

// BenchmarkPointInPeriod finds the periods that contain points: two one-sided
// comparisons on different columns.
func BenchmarkPointInPeriod(b *testing.B) {
	const points, periods = 1_000_000, 100_000
	r := rand.New(rand.NewPCG(1, 1))
	from := jointest.Ints(periods, func(int) int64 { return r.Int64N(1_000_000_000) })
	left := []*vec.Vector{jointest.Ints(points, func(int) int64 { return r.Int64N(1_000_000_000) })}
	right := []*vec.Vector{from, jointest.Ints(periods, func(i int) int64 { return from.I64[i] + r.Int64N(100_000) }), jointest.Ints(periods, func(int) int64 { return 1 })}
	col := func(id expr.ColID) expr.Expr { return &expr.Col{ID: id, Name: fmt.Sprint("c", id), T: jointest.Bigint} }
	ranges := []physical.RangePred{{Op: ">=", L: col(jointest.LeftID), R: col(jointest.RightID)}, {Op: "<=", L: col(jointest.LeftID), R: col(jointest.RightID + 1)}}
	for _, kind := range []logical.JoinKind{logical.Inner, logical.Anti} {
		out := jointest.BenchCols(jointest.RightID, right)[2:]
		if kind == logical.Anti {
			out = jointest.BenchCols(jointest.LeftID, left)
		}
		b.Run(fmt.Sprint("kind", kind), func(b *testing.B) {
			bench(b, &physical.Join{Algo: physical.Range, Type: kind, Ranges: ranges}, left, right, out, -1)
		})
	}
}

func constOf(v *vec.Vector) expr.Expr { return &expr.Const{Value: catalog.DatumAt(v, 0)} }
