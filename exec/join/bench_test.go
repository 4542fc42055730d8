package join

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"gsql/exec/op"
	"gsql/internal/cputime"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// columnar is an input over whole flat columns, sliced into batches without copying.
type columnar struct {
	cols []*vec.Vector
	next atomic.Int64
}

func (c *columnar) Open(*op.Ctx) error         { c.next.Store(0); return nil }
func (c *columnar) Ordered() bool              { return false }
func (c *columnar) Close() error               { return nil }
func (c *columnar) Stream() (op.Stream, error) { return &columnarStream{c: c}, nil }

type columnarStream struct {
	c        *columnar
	from, to int
	b        vec.Batch
}

func (s *columnarStream) Close() error { return nil }

func (s *columnarStream) Next() (*vec.Batch, error) {
	const morsel = 32 * vec.BatchSize
	if s.from == s.to {
		s.from = int(s.c.next.Add(1)-1) * morsel
		s.to = min(s.from+morsel, s.c.cols[0].N)
		if s.from >= s.to {
			s.from, s.to = 0, 0
			return nil, nil
		}
	}
	end := min(s.from+vec.BatchSize, s.to)
	s.b.N, s.b.Cols = end-s.from, s.b.Cols[:0]
	for _, v := range s.c.cols {
		s.b.Cols = append(s.b.Cols, v.Slice(s.from, end))
	}
	s.from = end
	return &s.b, nil
}

func ints(n int, f func(i int) int64) *vec.Vector {
	v := vec.NewFlat(bigint, n)
	for i := range v.I64 {
		v.I64[i] = f(i)
	}
	return v
}

func floats(n int, f func(i int) float64) *vec.Vector {
	v := vec.NewFlat(double, n)
	for i := range v.F64 {
		v.F64[i] = f(i)
	}
	return v
}

// bench runs a join over columnar inputs, gathers the output's last column and sums it.
// want is the expected number of rows.
func bench(b *testing.B, j *physical.Join, l, r []*vec.Vector, out []logical.Column, want int) {
	b.Helper()
	node := &physical.Node{Op: j, In: []*physical.Node{{Cols: benchCols(leftID, l)}, {Cols: benchCols(rightID, r)}}, Cols: out}
	ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 2}
	b.ReportAllocs()
	before := cputime.Used().Seconds()
	var busiest float64 // share of the rows that one stream gave
	for b.Loop() {
		o, err := New(node, &columnar{cols: l}, &columnar{cols: r})
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

func benchCols(base int, vs []*vec.Vector) []logical.Column {
	var cols []logical.Column
	for i, v := range vs {
		cols = append(cols, logical.Column{ID: expr.ColID(base + i), Name: fmt.Sprintf("c%d", base+i), T: v.Type})
	}
	return cols
}

func equality(algo physical.JoinAlgo, t types.Type) *physical.Join {
	return &physical.Join{Algo: algo, Keys: []physical.KeyPair{{
		L: &expr.Col{ID: leftID, Name: "l.key", T: t}, R: &expr.Col{ID: rightID, Name: "r.key", T: t}}}}
}

// BenchmarkPKFK joins build rows of a primary key with 10^7 foreign keys and sums a
// payload of the build side.
func BenchmarkPKFK(b *testing.B) {
	const probes = 10_000_000
	for _, builds := range []int{1_000_000, 10_000_000} {
		for _, spread := range []int64{1, 1_000_003} {
			r := rand.New(rand.NewPCG(1, 1))
			perm := r.Perm(builds)
			right := []*vec.Vector{ints(builds, func(i int) int64 { return int64(perm[i]) * spread }), ints(builds, func(i int) int64 { return int64(i) })}
			left := []*vec.Vector{ints(probes, func(int) int64 { return r.Int64N(int64(builds)) * spread })}
			for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
				b.Run(fmt.Sprintf("%s/%dx%d/spread%d", algo, builds, probes, spread), func(b *testing.B) {
					bench(b, equality(algo, bigint), left, right, benchCols(rightID, right)[1:], probes)
				})
			}
		}
	}
}

func BenchmarkStrings(b *testing.B) {
	const builds, probes = 1_000_000, 4_000_000
	r := rand.New(rand.NewPCG(1, 1))
	key := func(n int, f func(i int) int) *vec.Vector {
		v := vec.NewFlat(text, n)
		for i := range v.Str {
			v.Str[i] = fmt.Sprintf("customer#%09d", f(i))
		}
		return v
	}
	right := []*vec.Vector{key(builds, func(i int) int { return i }), ints(builds, func(i int) int64 { return int64(i) })}
	left := []*vec.Vector{key(probes, func(int) int { return r.IntN(builds) })}
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
		b.Run(string(algo), func(b *testing.B) {
			bench(b, equality(algo, text), left, right, benchCols(rightID, right)[1:], probes)
		})
	}
}

// BenchmarkNestedLoop has comparisons in tight loops: 10^9 pairs, one in 10^4 matching.
func BenchmarkNestedLoop(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	right := []*vec.Vector{ints(20_000, func(i int) int64 { return int64(i) }), ints(20_000, func(i int) int64 { return 1 })}
	left := []*vec.Vector{ints(50_000, func(int) int64 { return r.Int64N(20_000) })}
	bench(b, equality(physical.NestedLoop, bigint), left, right, benchCols(rightID, right)[1:], 50_000)
}

// BenchmarkZipCodes pairs 42,000 points that are within 0.1 degrees in both dimensions.
func BenchmarkZipCodes(b *testing.B) {
	const n = 42_000
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, n), make([]float64, n)
	for i := range n { // clusters, as towns are
		x[i], y[i] = 25+25*r.Float64(), -125+60*r.Float64()
		if i%2 == 1 {
			x[i], y[i] = x[i-1]+r.NormFloat64(), y[i-1]+r.NormFloat64()
		}
	}
	side := []*vec.Vector{floats(n, func(i int) float64 { return x[i] }), floats(n, func(i int) float64 { return y[i] }), ints(n, func(i int) int64 { return 1 })}
	col := func(id expr.ColID) expr.Expr { return &expr.Col{ID: id, Name: fmt.Sprint("c", id), T: double} }
	far := floats(1, func(int) float64 { return 0.1 })
	shift := func(fn string, id expr.ColID) expr.Expr { return call(b, fn, col(id), constOf(far)) }
	j := &physical.Join{Algo: physical.Range, Ranges: []physical.RangePred{
		{Op: "<=", L: shift("-", leftID), R: col(rightID)}, {Op: ">=", L: shift("+", leftID), R: col(rightID)}},
		Residual: []expr.Expr{call(b, ">=", col(rightID+1), shift("-", leftID+1)), call(b, "<=", col(rightID+1), shift("+", leftID+1))}}
	bench(b, j, side, side, benchCols(rightID, side)[2:], -1)
}

// BenchmarkPointInPeriod finds the periods that contain points: two one-sided
// comparisons on different columns.
func BenchmarkPointInPeriod(b *testing.B) {
	const points, periods = 1_000_000, 100_000
	r := rand.New(rand.NewPCG(1, 1))
	from := ints(periods, func(int) int64 { return r.Int64N(1_000_000_000) })
	left := []*vec.Vector{ints(points, func(int) int64 { return r.Int64N(1_000_000_000) })}
	right := []*vec.Vector{from, ints(periods, func(i int) int64 { return from.I64[i] + r.Int64N(100_000) }), ints(periods, func(int) int64 { return 1 })}
	col := func(id expr.ColID) expr.Expr { return &expr.Col{ID: id, Name: fmt.Sprint("c", id), T: bigint} }
	ranges := []physical.RangePred{{Op: ">=", L: col(leftID), R: col(rightID)}, {Op: "<=", L: col(leftID), R: col(rightID + 1)}}
	for _, kind := range []logical.JoinKind{logical.Inner, logical.Anti} {
		out := benchCols(rightID, right)[2:]
		if kind == logical.Anti {
			out = benchCols(leftID, left)
		}
		b.Run(fmt.Sprint("kind", kind), func(b *testing.B) {
			bench(b, &physical.Join{Algo: physical.Range, Type: kind, Ranges: ranges}, left, right, out, -1)
		})
	}
}

func constOf(v *vec.Vector) expr.Expr { return &expr.Const{Value: catalog.DatumAt(v, 0)} }
