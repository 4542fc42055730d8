//go:build sim || cuda

package join_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/join"
	"gsql/gpu/join/jointest"
	"gsql/sql/sqlerr"
)

const arena = 2 << 20

// random returns n values of the kind in [low, high], every fifth NULL.
func random(r *rand.Rand, kind column.Kind, n int, low, high int64) jointest.Values {
	v := jointest.Values{Kind: kind, Null: make([]bool, n)}
	for i := range n {
		x := low + int64(r.Uint64N(uint64(high-low)+1))
		if v.Null[i] = r.IntN(5) == 0; kind == column.F64 {
			v.Doubles = append(v.Doubles, float64(x)/4)
		} else {
			v.Ints = append(v.Ints, x)
		}
	}
	return v
}

// every is each aggregate of the columns.
func every(left bool, columns ...jointest.Values) []jointest.Agg {
	aggs := []jointest.Agg{{Func: join.CountRows}}
	for _, c := range columns {
		for f := join.Count; f <= join.Max; f++ {
			aggs = append(aggs, jointest.Agg{Func: f, Left: left, Column: c})
		}
	}
	return aggs
}

func onDevice(t *testing.T, task *engine.Task, aggs []jointest.Agg) []join.Agg {
	t.Helper()
	var out []join.Agg
	for _, a := range aggs {
		d := join.Agg{Func: a.Func, Left: a.Left}
		if a.Func != join.CountRows {
			d.Column = a.Column.Column(t, task)
		}
		out = append(out, d)
	}
	return out
}

func check(t *testing.T, what string, aggs []jointest.Agg, got []join.Value, pairs []jointest.Pair) {
	t.Helper()
	for i, a := range aggs {
		want := a.Aggregate(pairs)
		switch {
		case got[i].Null != want.Null:
			t.Errorf("%s: aggregate %d is NULL: %v, want %v", what, i, got[i].Null, want.Null)
		case want.Null:
		case a.Column.Kind == column.F64 && a.Func >= join.Sum:
			if math.Abs(got[i].F-want.F) > 1e-9*math.Abs(want.F) {
				t.Errorf("%s: aggregate %d is %g, want %g", what, i, got[i].F, want.F)
			}
		case jointest.Integer(got[i]).Cmp(want.Int) != 0:
			t.Errorf("%s: aggregate %d is %v, want %v", what, i, jointest.Integer(got[i]), want.Int)
		}
	}
}

func TestFromCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 33, 257, 5000} {
		for _, most := range []uint64{1, 2, 5} { // counts below 1 join nothing
			columns := []jointest.Values{
				random(r, column.I32, n, math.MinInt32, math.MaxInt32), random(r, column.I64, n, math.MinInt64+1, math.MaxInt64),
				random(r, column.F64, n, -1000, 1000), jointest.Ints(column.I32, make([]int64, n)...),
			}
			aggs := every(true, columns...)
			counts := make([]uint64, n)
			var pairs []jointest.Pair
			for i := range counts {
				counts[i] = r.Uint64N(most)
				for range counts[i] {
					pairs = append(pairs, jointest.Pair{Left: int32(i)})
				}
			}
			task := enginetest.Begin(t, enginetest.New(t, arena))
			got, err := join.FromCounts(task, enginetest.Upload(t, task, counts), int64(n), onDevice(t, task, aggs))
			if err != nil {
				t.Fatal(err)
			}
			check(t, "from counts", aggs, got, pairs)
		}
	}
}

// TestLargeCounts sums the extremes of 64 bits often: the sum needs more than 64 bits.
func TestLargeCounts(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, arena))
	v := jointest.Ints(column.I64, math.MinInt64, math.MinInt64, 3)
	counts := enginetest.Upload(t, task, []uint64{1 << 31, 1 << 31, 1})
	got, err := join.FromCounts(task, counts, 3, []join.Agg{{Func: join.Sum, Left: true, Column: v.Column(t, task)}})
	if err != nil {
		t.Fatal(err)
	}
	want := jointest.Integer(join.Value{Hi: ^uint64(1<<31 - 1), Lo: 3}) // 2 * 2^31 * -2^63 + 3
	if jointest.Integer(got[0]).Cmp(want) != 0 {
		t.Errorf("the sum is %v, want %v", jointest.Integer(got[0]), want)
	}
}

// cross puts out all pairs of two sides, as an algorithm without conditions would.
func cross(t *testing.T, task *engine.Task, left, right int64) func(out join.Output) error {
	var ls, rs []int32
	for i := range left * right {
		ls, rs = append(ls, int32(i/right)), append(rs, int32(i%right))
	}
	lefts, rights := enginetest.Upload(t, task, ls), enginetest.Upload(t, task, rs)
	return func(out join.Output) error {
		for at := int64(0); at < left*right; {
			l, r, capacity, err := out.Piece()
			if err != nil {
				return err
			}
			n := min(capacity, left*right-at)
			for to, from := range map[gpu.Ptr]gpu.Ptr{l: lefts, r: rights} {
				if err := task.Device.CopyDevice(to, from+gpu.Ptr(4*at), 4*n, task.Compute); err != nil {
					return err
				}
			}
			if err := out.Emit(n); err != nil {
				return err
			}
			at += n
		}
		return nil
	}
}

// conditions is one of each comparison over sides of the given sizes.
func conditions(r *rand.Rand, left, right int) [][]jointest.Condition {
	var all [][]jointest.Condition
	for _, kind := range []column.Kind{column.I32, column.I64, column.F64} {
		for op := join.EQ; op <= join.GE; op++ {
			one := jointest.Condition{Op: op, Left: random(r, kind, left, -4, 4), Right: random(r, kind, right, -4, 4)}
			two := jointest.Condition{Op: join.NE, Left: random(r, column.I32, left, 0, 2), Right: random(r, column.I32, right, 0, 2)}
			all = append(all, []jointest.Condition{one}, []jointest.Condition{one, two})
		}
	}
	return all
}

func device(t *testing.T, task *engine.Task, conditions []jointest.Condition) []join.Condition {
	var out []join.Condition
	for _, c := range conditions {
		out = append(out, join.Condition{Op: c.Op, Left: c.Left.Column(t, task), Right: c.Right.Column(t, task)})
	}
	return out
}

func TestFilter(t *testing.T) {
	const left, right = 50, 40
	r := rand.New(rand.NewPCG(3, 4))
	for i, cs := range conditions(r, left, right) {
		for _, room := range [][2]int64{{10000, 10000}, {300, 1000}, {1000, 137}, {133, 133}} {
			task := enginetest.Begin(t, enginetest.New(t, arena))
			out := jointest.NewOutput(t, task, room[1])
			rest := device(t, task, cs)
			if err := join.Filter(task, rest, out, room[0], cross(t, task, left, right)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out.Sorted(), jointest.Pairs(left, right, cs)) {
				t.Errorf("conditions %d, room %v: the pairs differ", i, room)
			}
		}
	}
}

func TestAggregatePairs(t *testing.T) {
	const left, right = 50, 45
	r := rand.New(rand.NewPCG(5, 6))
	in := join.Input{Left: left, Right: right}
	for i, cs := range conditions(r, left, right) {
		aggs := append(every(true, random(r, column.I32, left, -9, 9)), every(false, random(r, column.F64, right, -9, 9))...)
		if i%2 == 1 {
			aggs = every(i%4 == 1, random(r, column.I64, map[bool]int{true: left, false: right}[i%4 == 1], -9, 9))
		}
		task := enginetest.Begin(t, enginetest.New(t, arena))
		rest := device(t, task, cs)
		got, err := join.AggregatePairs(task, in, onDevice(t, task, aggs), 300, func(out join.Output) error {
			return join.Filter(task, rest, out, 200, cross(t, task, left, right))
		})
		if err != nil {
			t.Fatal(err)
		}
		check(t, "over pairs", aggs, got, jointest.Pairs(left, right, cs))
	}
}

// TestWithoutMemory runs each of the functions with less memory than it reports to need.
func TestWithoutMemory(t *testing.T) {
	const left, right = 50, 45
	r := rand.New(rand.NewPCG(7, 8))
	in := join.Input{Left: left, Right: right}
	cs := conditions(r, left, right)[1]
	aggs := every(true, random(r, column.I32, left, -9, 9))
	task := enginetest.Begin(t, enginetest.New(t, arena))
	rest, onDevice := device(t, task, cs), onDevice(t, task, aggs)
	produce := cross(t, task, left, right)
	bytes := join.AggregatePairsBytes(in, onDevice, 5000) + join.FilterBytes(rest, 5000)
	free := task.Free()
	for spare := int64(0); spare < free; spare += 2048 {
		m := task.Mark()
		if _, err := task.Alloc(free - spare); err != nil {
			t.Fatal(err)
		}
		got, err := join.AggregatePairs(task, in, onDevice, 5000, func(out join.Output) error {
			return join.Filter(task, rest, out, 5000, produce)
		})
		if err = errors.Join(err, task.Release(m)); err == nil {
			check(t, "with enough memory", aggs, got, jointest.Pairs(left, right, cs))
			return
		}
		if spare > bytes || !errors.Is(err, sqlerr.OutOfMemory) {
			t.Fatalf("%d bytes to spare: %v, want 1037 below %d", spare, err, bytes)
		}
		if err := task.Sync(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCancelled(t *testing.T) {
	e := enginetest.New(t, arena)
	ctx, cancel := context.WithCancel(context.Background())
	task, err := e.Begin(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	v := jointest.Ints(column.I32, 1, 2).Column(t, task)
	counts := enginetest.Upload(t, task, []uint64{1, 1})
	cancel()
	if _, err := join.FromCounts(task, counts, 2, []join.Agg{{Func: join.Sum, Left: true, Column: v}}); !errors.Is(err, context.Canceled) {
		t.Errorf("FromCounts gives %v after cancellation", err)
	}
	if err := task.End(); err != nil {
		t.Error(err)
	}
}
