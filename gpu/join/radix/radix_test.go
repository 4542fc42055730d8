//go:build sim || cuda

package radix

import (
	"context"
	"errors"
	"fmt"
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
)

// keys are n keys of a kind and shape; every seventh is NULL where nulls is set. Sides with
// different seeds have common keys in every shape but "apart".
func keys(kind column.Kind, shape string, n int, seed uint64, nulls bool) jointest.Values {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	zipf := rand.NewZipf(r, 1.1, 1, 1<<20)
	v := jointest.Values{Kind: kind}
	if nulls {
		v.Null = make([]bool, n)
	}
	for i := range n {
		var k int64
		switch shape {
		case "sparse":
			k = int64(r.IntN(2*n+2)-n) * 654321 % math.MaxInt32
		case "unique":
			k = int64(i*7919%max(n, 1)) - 20
		case "few":
			k = int64(r.IntN(19)) - 9
		case "equal":
			k = -5
		case "zipf":
			k = int64(zipf.Uint64())
		case "apart":
			k = int64(2*r.IntN(1000)) + int64(seed%2)
		case "extreme":
			k = []int64{math.MinInt32, math.MaxInt32, 0, -1, 1}[r.IntN(5)]
			if kind == column.I64 && r.IntN(2) == 0 {
				k = []int64{math.MinInt64, math.MaxInt64, math.MaxInt32 + 1}[r.IntN(3)]
			}
		}
		if kind == column.F64 {
			x := float64(k) * 1.5
			if shape == "few" && k == 3 {
				x = math.NaN()
			}
			v.Doubles = append(v.Doubles, x)
		} else {
			v.Ints = append(v.Ints, k)
		}
		if nulls {
			v.Null[i] = r.IntN(7) == 0
		}
	}
	return v
}

var shapes = []string{"sparse", "unique", "few", "equal", "zipf", "apart", "extreme"}

func equality(l, r jointest.Values) []jointest.Condition {
	return []jointest.Condition{{Op: join.EQ, Left: l, Right: r}}
}

// upload returns the input of conditions; unbounded forgets what is known of the values.
func upload(t *testing.T, task *engine.Task, conditions []jointest.Condition, unbounded bool) join.Input {
	in := join.Input{Left: conditions[0].Left.Rows(), Right: conditions[0].Right.Rows()}
	for _, c := range conditions {
		d := join.Condition{Op: c.Op, Left: c.Left.Column(t, task), Right: c.Right.Column(t, task)}
		if unbounded {
			d.Left.Bounded, d.Right.Bounded = false, false
		}
		in.Conditions = append(in.Conditions, d)
	}
	return in
}

// within runs f in a task of its own.
func within(t *testing.T, e *engine.Engine, f func(task *engine.Task)) {
	t.Helper()
	task, err := e.Begin(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := task.End(); err != nil {
			t.Error(err)
		}
	}()
	f(task)
}

// checkPairs compares the pairs of a join with those of nested loops.
func checkPairs(t *testing.T, task *engine.Task, in join.Input, conditions []jointest.Condition, capacity int64, opt Options) {
	t.Helper()
	out := jointest.NewOutput(t, task, capacity)
	free := task.Free()
	if err := Pairs(task, in, out, opt); err != nil {
		t.Fatal(err)
	}
	if task.Free() != free {
		t.Errorf("%d of %d bytes are free after the join", task.Free(), free)
	}
	got, want := out.Sorted(), jointest.Pairs(in.Left, in.Right, conditions)
	if !slices.Equal(got, want) {
		t.Errorf("%d x %d rows, pieces of %d, %+v: %d pairs, want %d", in.Left, in.Right, capacity, opt, len(got), len(want))
	}
	if least := (len(want) + int(capacity) - 1) / int(capacity); out.Pieces > 3*least+3 {
		t.Errorf("%d pairs came in %d pieces of %d", len(want), out.Pieces, capacity)
	}
}

func TestPairs(t *testing.T) {
	e := enginetest.New(t, 32<<20)
	for _, shape := range shapes {
		for k, kind := range []column.Kind{column.I32, column.I64, column.F64} {
			t.Run(shape+"/"+kind.Suffix(), func(t *testing.T) {
				for i, size := range [][2]int{{0, 3}, {3, 0}, {1, 1}, {31, 33}, {513, 2049}} {
					if shape == "zipf" {
						size = [2]int{min(size[0], 150), min(size[1], 400)}
					} else if shape == "equal" || shape == "few" || shape == "extreme" {
						size = [2]int{min(size[0], 60), min(size[1], 150)}
					}
					conditions := equality(keys(kind, shape, size[0], 1, i%2 == 1), keys(kind, shape, size[1], 2, i > 2))
					opt := Options{BuildLeft: (i+k)%2 == 0, Bits: []uint{0, 3, 10}[(i+k)%3]}
					within(t, e, func(task *engine.Task) {
						checkPairs(t, task, upload(t, task, conditions, i%3 == 1), conditions, 3000, opt)
					})
				}
			})
		}
	}
}

// TestChunks joins partitions of several chunks on both sides.
func TestChunks(t *testing.T) {
	e := enginetest.New(t, 64<<20)
	for _, kind := range []column.Kind{column.I32, column.I64} {
		build, probe := keys(kind, "sparse", 7000, 1, false), keys(kind, "sparse", 20000, 2, false)
		for i := range probe.Ints {
			if i%3 == 0 {
				probe.Ints[i] = build.Ints[i%50]
			}
		}
		within(t, e, func(task *engine.Task) {
			in := upload(t, task, equality(build, probe), true)
			out := jointest.NewOutput(t, task, 9000)
			if err := Pairs(task, in, out, Options{BuildLeft: true, Bits: 1}); err != nil {
				t.Fatal(err)
			}
			if got, want := out.Sorted(), equalPairs(build, probe); !slices.Equal(got, want) {
				t.Errorf("%s: %d pairs, want %d", kind.Suffix(), len(got), len(want))
			}
		})
	}
}

// equalPairs is the join of larger sides, by a map.
func equalPairs(left, right jointest.Values) []jointest.Pair {
	partners := map[int64][]int32{}
	for j, k := range right.Ints {
		if !right.IsNull(j) {
			partners[k] = append(partners[k], int32(j))
		}
	}
	var pairs []jointest.Pair
	for i, k := range left.Ints {
		if left.IsNull(i) {
			continue
		}
		for _, j := range partners[k] {
			pairs = append(pairs, jointest.Pair{Left: int32(i), Right: j})
		}
	}
	return pairs
}

// TestPieces cuts the output everywhere: between units, within them, within a probe row.
func TestPieces(t *testing.T) {
	e := enginetest.New(t, 16<<20)
	for _, shape := range []string{"unique", "few", "equal"} {
		conditions := equality(keys(column.I32, shape, 30, 1, false), keys(column.I32, shape, 40, 2, true))
		for _, capacity := range []int64{1, 2, 29, 30, 31, 500} {
			if capacity < 29 && shape != "unique" {
				capacity += 6
			}
			within(t, e, func(task *engine.Task) {
				checkPairs(t, task, upload(t, task, conditions, false), conditions, capacity, Options{BuildLeft: capacity%2 == 0})
			})
		}
	}
}

// TestSlices joins slices of the probe side, with and without NULLs.
func TestSlices(t *testing.T) {
	e := enginetest.New(t, 16<<20)
	for _, nulls := range []bool{false, true} {
		conditions := equality(keys(column.I64, "zipf", 100, 1, nulls), keys(column.I64, "zipf", 500, 2, nulls))
		second := jointest.Condition{Op: join.EQ, Left: keys(column.I32, "few", 100, 3, nulls), Right: keys(column.I32, "few", 500, 4, nulls)}
		for _, all := range [][]jointest.Condition{conditions, append(conditions, second)} {
			within(t, e, func(task *engine.Task) {
				checkPairs(t, task, upload(t, task, all, false), all, 5000, Options{BuildLeft: true, ProbeRows: 130})
			})
		}
	}
}

func TestCompositeKeys(t *testing.T) {
	const left, right = 200, 300
	e := enginetest.New(t, 16<<20)
	by := func(op join.Op, kind column.Kind, shape string, nulls bool) jointest.Condition {
		return jointest.Condition{Op: op, Left: keys(kind, shape, left, 3, nulls), Right: keys(kind, shape, right, 4, nulls)}
	}
	for name, conditions := range map[string][]jointest.Condition{
		"32 bits":      {by(join.EQ, column.I32, "few", false), by(join.EQ, column.I64, "unique", true)},
		"64 bits":      {by(join.EQ, column.I32, "sparse", false), by(join.EQ, column.I32, "few", true)},
		"too wide":     {by(join.EQ, column.I64, "sparse", false), by(join.EQ, column.I64, "extreme", true)},
		"double":       {by(join.EQ, column.F64, "few", true), by(join.EQ, column.I32, "few", false)},
		"and an order": {by(join.LT, column.I32, "sparse", true), by(join.EQ, column.I32, "few", true)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, unbounded := range []bool{false, true} {
				within(t, e, func(task *engine.Task) {
					checkPairs(t, task, upload(t, task, conditions, unbounded), conditions, 6000, Options{BuildLeft: unbounded})
				})
			}
		})
	}
}

// TestMemory joins with exactly the memory that Bytes returns. With less, the error must be 1037
// and all memory released.
func TestMemory(t *testing.T) {
	conditions := equality(keys(column.I64, "unique", 500, 1, true), keys(column.I64, "unique", 700, 2, true))
	aggs := []jointest.Agg{{Func: join.Sum, Left: true, Column: keys(column.I64, "sparse", 500, 5, true)}}
	e := enginetest.New(t, 16<<20)
	for _, opt := range []Options{{BuildLeft: true}, {Bits: 12}} {
		within(t, e, func(task *engine.Task) {
			in := upload(t, task, conditions, false)
			dev := uploadAggs(t, task, aggs)
			out := jointest.NewOutput(t, task, 1000)
			need := max(Bytes(in, nil, opt), Bytes(in, dev, opt))
			all := task.Free()
			for have := need; have > 0; have = have * 5 / 8 {
				m := task.Mark()
				if _, err := task.Alloc(all - have); err != nil {
					t.Fatal(err)
				}
				free := task.Free()
				_, aggErr := Aggregate(task, in, dev, opt)
				err := Pairs(task, in, out, opt)
				if have == need && (err != nil || aggErr != nil) {
					t.Errorf("%d bytes are not enough: %v, %v", need, err, aggErr)
				}
				if have < 8<<10 && (err == nil || aggErr == nil) {
					t.Errorf("%d of %d bytes are enough", have, need)
				}
				if task.Free() != free {
					t.Errorf("%d of %d bytes are free after an error", task.Free(), free)
				}
				if err := task.Release(m); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// discarded is an output that is not read.
type discarded struct{ left, right gpu.Ptr }

func (d *discarded) Piece() (left, right gpu.Ptr, capacity int64, err error) {
	return d.left, d.right, 50, nil
}

func (d *discarded) Emit(int64) error { return nil }

// cancelling is a context that is cancelled once it has been asked so many times.
type cancelling struct {
	context.Context
	left int
}

func (c *cancelling) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancellation cancels at every launch.
func TestCancellation(t *testing.T) {
	conditions := equality(keys(column.I32, "few", 40, 1, true), keys(column.I32, "few", 40, 2, true))
	e := enginetest.New(t, 16<<20)
	within(t, e, func(task *engine.Task) {
		in := upload(t, task, conditions, false)
		aggs := uploadAggs(t, task, []jointest.Agg{{Func: join.Max, Column: keys(column.I32, "sparse", 40, 5, true)}})
		out := &discarded{left: enginetest.Upload(t, task, make([]int32, 50)), right: enginetest.Upload(t, task, make([]int32, 50))}
		query := task.Ctx
		defer func() { task.Ctx = query }()
		for at := 0; ; at++ {
			if at > 1000 {
				t.Fatal("it never ends")
			}
			free := task.Free()
			task.Ctx = &cancelling{query, at}
			err := Pairs(task, in, out, Options{})
			task.Ctx = &cancelling{query, at}
			_, aggErr := Aggregate(task, in, aggs, Options{})
			for _, err := range []error{err, aggErr} {
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatalf("cancelled at %d: %v", at, err)
				}
			}
			if task.Free() != free {
				t.Fatalf("cancelled at %d: %d of %d bytes are free", at, task.Free(), free)
			}
			if err == nil && aggErr == nil {
				if at < 10 {
					t.Errorf("only %d launches", at)
				}
				return
			}
		}
	})
}

func uploadAggs(t *testing.T, task *engine.Task, aggs []jointest.Agg) []join.Agg {
	var all []join.Agg
	for _, a := range aggs {
		b := join.Agg{Func: a.Func, Left: a.Left}
		if a.Func != join.CountRows {
			b.Column = a.Column.Column(t, task)
		}
		all = append(all, b)
	}
	return all
}

// checkAggregate compares aggregates with folds over the pairs of nested loops.
func checkAggregate(t *testing.T, e *engine.Engine, conditions []jointest.Condition, aggs []jointest.Agg, opt Options) {
	t.Helper()
	within(t, e, func(task *engine.Task) {
		in := upload(t, task, conditions, false)
		got, err := Aggregate(task, in, uploadAggs(t, task, aggs), opt)
		if err != nil {
			t.Fatal(err)
		}
		pairs := jointest.Pairs(in.Left, in.Right, conditions)
		for i, a := range aggs {
			want := a.Aggregate(pairs)
			if !same(got[i], want, a) {
				t.Errorf("%+v: aggregate %d (%v, left %v, %s) is %+v, want %+v", opt, i, a.Func, a.Left, a.Column.Kind.Suffix(), got[i], want)
			}
		}
	})
}

func same(got join.Value, want jointest.Value, a jointest.Agg) bool {
	switch {
	case got.Null != want.Null:
		return false
	case want.Null:
		return true
	case a.Column.Kind == column.F64 && a.Func != join.Count && a.Func != join.CountRows:
		return math.Abs(got.F-want.F) <= 1e-12*math.Max(1, math.Abs(want.F))
	}
	return jointest.Integer(got).Cmp(want.Int) == 0
}

func TestAggregate(t *testing.T) {
	e := enginetest.New(t, 32<<20)
	sizes := [][2]int{{1, 1}, {0, 5}, {130, 300}}
	for i, shape := range shapes {
		for k, kind := range []column.Kind{column.I32, column.I64, column.F64} {
			t.Run(fmt.Sprint(shape, "/", kind.Suffix()), func(t *testing.T) {
				for s, size := range sizes {
					nulls := (s+i)%2 == 0
					conditions := equality(keys(kind, shape, size[0], 1, nulls), keys(kind, shape, size[1], 2, k == 1))
					var aggs []jointest.Agg
					for f := range join.Max + 1 {
						left := (int(f)+i+s)%2 == 0
						n := size[1]
						if left {
							n = size[0]
						}
						of := []column.Kind{column.I32, column.I64, column.F64}[(i+k+s)%3]
						aggs = append(aggs, jointest.Agg{Func: f, Left: left, Column: keys(of, "extreme", n, 7, s > 0)})
					}
					checkAggregate(t, e, conditions, aggs, Options{BuildLeft: s%2 == 0, Bits: uint(s * 2)})
				}
			})
		}
	}
}

// TestAggregateRepeats folds equal keys of more rows than a table has, and in slices.
func TestAggregateRepeats(t *testing.T) {
	e := enginetest.New(t, 32<<20)
	const build, probe = 6500, 120
	left, right := keys(column.I64, "equal", build, 1, false), keys(column.I64, "equal", probe, 2, true)
	value := keys(column.I64, "extreme", probe, 3, true)
	within(t, e, func(task *engine.Task) {
		in := upload(t, task, equality(left, right), true)
		aggs := []jointest.Agg{{Func: join.CountRows}, {Func: join.Sum, Column: value}, {Func: join.Count, Column: value}}
		got, err := Aggregate(task, in, uploadAggs(t, task, aggs), Options{ProbeRows: 50})
		if err != nil {
			t.Fatal(err)
		}
		var once []jointest.Pair
		for j := range int32(probe) {
			if !right.IsNull(int(j)) {
				once = append(once, jointest.Pair{Right: j})
			}
		}
		for i, a := range aggs {
			want := a.Aggregate(once).Int
			for n := 1; n < build; n++ {
				want.Add(want, a.Aggregate(once).Int)
			}
			if jointest.Integer(got[i]).Cmp(want) != 0 {
				t.Errorf("aggregate %d is %v, want %v", i, jointest.Integer(got[i]), want)
			}
		}
	})
}

// TestAggregateFurther aggregates a join with conditions that no key serves.
func TestAggregateFurther(t *testing.T) {
	e := enginetest.New(t, 16<<20)
	conditions := append(equality(keys(column.I32, "few", 60, 1, true), keys(column.I32, "few", 90, 2, false)),
		jointest.Condition{Op: join.GE, Left: keys(column.F64, "sparse", 60, 3, false), Right: keys(column.F64, "sparse", 90, 4, true)})
	aggs := []jointest.Agg{{Func: join.CountRows}, {Func: join.Sum, Left: true, Column: keys(column.I64, "extreme", 60, 5, true)},
		{Func: join.Min, Column: keys(column.F64, "sparse", 90, 6, true)}}
	checkAggregate(t, e, conditions, aggs, Options{})
}
