//go:build sim || cuda

package merge_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/join"
	"gsql/gpu/join/jointest"
	"gsql/gpu/join/merge"
	"gsql/sql/sqlerr"
)

const arena = 3 << 20

// query is a join with aggregates, on the CPU.
type query struct {
	left, right int64
	conditions  []jointest.Condition
	aggs        []jointest.Agg
}

// newQuery adds aggregates of columns of both sides: the first key, and others.
func newQuery(r *rand.Rand, conditions ...jointest.Condition) *query {
	first := conditions[0]
	q := &query{left: first.Left.Rows(), right: first.Right.Rows(), conditions: conditions}
	q.aggs = []jointest.Agg{{Func: join.CountRows}}
	for f := join.Count; f <= join.Max; f++ {
		q.aggs = append(q.aggs,
			jointest.Agg{Func: f, Left: true, Column: first.Left}, jointest.Agg{Func: f, Column: first.Right},
			jointest.Agg{Func: f, Left: true, Column: values(r, column.I32, int(q.left), spread, 3)},
			jointest.Agg{Func: f, Column: values(r, column.F64, int(q.right), spread, 0)})
	}
	return q
}

// device is the query in device memory of a task. Equal columns are uploaded once.
func (q *query) device(t *testing.T, task *engine.Task) (join.Input, []join.Agg) {
	t.Helper()
	type slices struct {
		ints    *int64
		doubles *float64
	}
	have := map[slices]column.Column{}
	get := func(v jointest.Values) column.Column {
		var at slices
		if len(v.Ints) > 0 {
			at.ints = &v.Ints[0]
		} else if len(v.Doubles) > 0 {
			at.doubles = &v.Doubles[0]
		}
		if c, ok := have[at]; ok && v.Rows() > 0 {
			return c
		}
		have[at] = v.Column(t, task)
		return have[at]
	}
	in := join.Input{Left: q.left, Right: q.right}
	for _, c := range q.conditions {
		in.Conditions = append(in.Conditions, join.Condition{Op: c.Op, Left: get(c.Left), Right: get(c.Right)})
	}
	var aggs []join.Agg
	for _, a := range q.aggs {
		d := join.Agg{Func: a.Func, Left: a.Left}
		if a.Func != join.CountRows {
			d.Column = get(a.Column)
		}
		aggs = append(aggs, d)
	}
	return in, aggs
}

func inTask(t *testing.T, e *engine.Engine, ctx context.Context, f func(task *engine.Task)) {
	t.Helper()
	task, err := e.Begin(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	f(task)
	if err := task.End(); err != nil {
		t.Error(err)
	}
}

// check runs Pairs, in pieces of the capacity, and Aggregate, and
// compares them with two loops.
func check(t *testing.T, e *engine.Engine, what string, q *query, capacity int64) {
	t.Helper()
	want := jointest.Pairs(q.left, q.right, q.conditions)
	inTask(t, e, context.Background(), func(task *engine.Task) {
		in, aggs := q.device(t, task)
		out := jointest.NewOutput(t, task, capacity)
		free := task.Free()
		if err := merge.Pairs(task, in, out, merge.Options{}); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if !slices.Equal(out.Sorted(), want) {
			t.Fatalf("%s: %d pairs, want %d, or others", what, len(out.Sorted()), len(want))
		}
		got, err := merge.Aggregate(task, in, aggs, merge.Options{})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		checkValues(t, what, q.aggs, got, want)
		if task.Free() != free {
			t.Errorf("%s: %d bytes were kept", what, free-task.Free())
		}
	})
}

func checkValues(t *testing.T, what string, aggs []jointest.Agg, got []join.Value, pairs []jointest.Pair) {
	t.Helper()
	for i, a := range aggs {
		want := a.Aggregate(pairs)
		switch {
		case got[i].Null != want.Null:
			t.Errorf("%s: aggregate %d is NULL: %v, want %v", what, i, got[i].Null, want.Null)
		case want.Null:
		case a.Column.Kind == column.F64 && a.Func >= join.Sum:
			if !(math.Abs(got[i].F-want.F) <= 1e-9*math.Abs(want.F)) && !(math.IsNaN(want.F) && math.IsNaN(got[i].F)) {
				t.Errorf("%s: aggregate %d is %g, want %g", what, i, got[i].F, want.F)
			}
		case jointest.Integer(got[i]).Cmp(want.Int) != 0:
			t.Errorf("%s: aggregate %d is %v, want %v", what, i, jointest.Integer(got[i]), want.Int)
		}
	}
}

// shape is how keys are.
type shape int

const (
	spread  shape = iota // in a range as large as the side
	few                  // of a few values
	same                 // one
	hot                  // half of them one
	extreme              // the least and greatest of the kind among a few
	inOrder              // ascending with repetitions
	shapes
)

// values returns n keys; every nulls-th is NULL, none where that is 0.
func values(r *rand.Rand, kind column.Kind, n int, s shape, nulls int) jointest.Values {
	v := jointest.Values{Kind: kind}
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if kind == column.I32 {
		low, high = math.MinInt32, math.MaxInt32
	}
	for i := range n {
		x := r.Int64N(int64(n)) - int64(n)/2
		switch {
		case s == few:
			x = r.Int64N(7) - 3
		case s == same || s == hot && r.IntN(2) == 0:
			x = -2
		case s == extreme:
			x = []int64{low, low + 1, high, high - 1, 0, -1}[r.IntN(6)]
		case s == inOrder:
			x = int64(i)/2 - 20
		}
		if kind == column.F64 {
			v.Doubles = append(v.Doubles, float64(x)/8)
		} else {
			v.Ints = append(v.Ints, x)
		}
		if nulls > 0 {
			v.Null = append(v.Null, r.IntN(nulls) == 0)
		}
	}
	return v
}

var kinds = []column.Kind{column.I32, column.I64, column.F64}

func TestEqualities(t *testing.T) {
	e := enginetest.New(t, arena)
	r := rand.New(rand.NewPCG(1, 1))
	for left := range shapes {
		for right := range shapes {
			kind := kinds[int(left+right)%3]
			nulls := []int{0, 4, 0, 1}[r.IntN(4)]
			c := jointest.Condition{Left: values(r, kind, 90, left, nulls), Right: values(r, kind, 75, right, 0)}
			check(t, e, fmt.Sprintf("%v, shapes %d and %d", kind, left, right), newQuery(r, c), []int64{1 << 13, 500}[r.IntN(2)])
		}
	}
}

func TestSizes(t *testing.T) {
	e := enginetest.New(t, arena)
	r := rand.New(rand.NewPCG(2, 2))
	for _, n := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {31, 33}, {256, 1}, {1, 257}, {1920, 1920}, {1900, 1941}, {3000, 2000}} {
		for _, op := range []join.Op{join.EQ, join.LT} {
			kind := kinds[r.IntN(3)]
			c := jointest.Condition{Op: op, Left: values(r, kind, n[0], spread, 9), Right: values(r, kind, n[1], spread, 0)}
			if op == join.LT && n[0]*n[1] > 1<<20 {
				continue // millions of pairs
			}
			check(t, e, fmt.Sprintf("%v, %d x %d, op %d", kind, n[0], n[1], op), newQuery(r, c), 3000)
		}
	}
}

// TestRuns has keys that repeat often, whose pairs cross tiles, pieces and blocks.
func TestRuns(t *testing.T) {
	e := enginetest.New(t, 2*arena)
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range [][2]int{{400, 300}, {6000, 3}, {3, 6000}} {
		for _, capacity := range []int64{999, 1 << 17} {
			c := jointest.Condition{Left: values(r, column.I32, n[0], hot, 0), Right: values(r, column.I32, n[1], hot, 0)}
			check(t, e, fmt.Sprintf("%v in pieces of %d", n, capacity), newQuery(r, c), capacity)
		}
	}
}

func TestRanges(t *testing.T) {
	e := enginetest.New(t, arena)
	r := rand.New(rand.NewPCG(4, 4))
	for op := join.LT; op <= join.GE; op++ {
		for s := range shapes {
			kind := kinds[(int(op)+int(s))%3]
			n := [][2]int{{70, 90}, {90, 70}}[r.IntN(2)]
			c := jointest.Condition{Op: op, Left: values(r, kind, n[0], s, []int{0, 5}[r.IntN(2)]), Right: values(r, kind, n[1], s, []int{0, 5}[r.IntN(2)])}
			check(t, e, fmt.Sprintf("%v, op %d, shape %d", kind, op, s), newQuery(r, c), []int64{1 << 14, 777}[r.IntN(2)])
		}
	}
}

// TestBetween compares one column with two of the other side, from both sides.
func TestBetween(t *testing.T) {
	e := enginetest.New(t, arena)
	r := rand.New(rand.NewPCG(5, 5))
	for i := range 8 {
		kind := kinds[i%3]
		low, high := values(r, kind, 60, spread, 7), values(r, kind, 60, spread, 7)
		x := values(r, kind, 80, shape(i%6), 5)
		ops := [][2]join.Op{{join.LE, join.GE}, {join.LT, join.GT}}[i%2]
		within := []jointest.Condition{{Op: ops[0], Left: low, Right: x}, {Op: ops[1], Left: high, Right: x}}
		if i >= 4 {
			within = []jointest.Condition{{Op: ops[1], Left: x, Right: low}, {Op: ops[0], Left: x, Right: high}}
		}
		check(t, e, fmt.Sprintf("%v, between %d", kind, i), newQuery(r, within...), 500)
	}
}

// TestConjunctions has packed keys and conditions that are checked for each pair.
func TestConjunctions(t *testing.T) {
	e := enginetest.New(t, arena)
	r := rand.New(rand.NewPCG(6, 6))
	pair := func(op join.Op, kind column.Kind, s shape) jointest.Condition {
		return jointest.Condition{Op: op, Left: values(r, kind, 130, s, 6), Right: values(r, kind, 110, s, 6)}
	}
	for i, cs := range [][]jointest.Condition{
		{pair(join.EQ, column.I32, few), pair(join.EQ, column.I32, few)},
		{pair(join.EQ, column.I64, few), pair(join.EQ, column.I32, spread), pair(join.NE, column.F64, few)},
		{pair(join.LT, column.I32, spread), pair(join.EQ, column.I32, few)},
		{pair(join.EQ, column.F64, few), pair(join.EQ, column.I64, extreme)},
		{pair(join.NE, column.I32, few), pair(join.GE, column.F64, spread)},
		{pair(join.LT, column.I32, spread), pair(join.GT, column.I64, spread)},
	} {
		for _, capacity := range []int64{1 << 14, 2000} {
			check(t, e, fmt.Sprintf("conjunction %d", i), newQuery(r, cs...), capacity)
		}
	}
}

// TestNaN: NaN compares with nothing, on either side.
func TestNaN(t *testing.T) {
	e := enginetest.New(t, arena)
	r := rand.New(rand.NewPCG(7, 7))
	nan := math.NaN()
	c := jointest.Condition{
		Left:  jointest.Doubles(nan, 1, math.Inf(1), -nan, 2, math.Inf(-1), 2),
		Right: jointest.Doubles(2, nan, math.Inf(-1), -math.NaN(), 1, math.Inf(1), nan, 3),
	}
	c.Left.Doubles[3] = math.Float64frombits(math.Float64bits(nan) | 1<<63)
	for op := join.EQ; op <= join.GE; op++ {
		if op == join.NE {
			continue
		}
		c.Op = op
		q := newQuery(r, c)
		q.aggs = q.aggs[:1]
		want := jointest.Pairs(q.left, q.right, q.conditions)
		want = slices.DeleteFunc(want, func(p jointest.Pair) bool {
			return math.IsNaN(c.Left.Doubles[p.Left]) || math.IsNaN(c.Right.Doubles[p.Right])
		})
		inTask(t, e, context.Background(), func(task *engine.Task) {
			in, aggs := q.device(t, task)
			out := jointest.NewOutput(t, task, 100)
			if err := merge.Pairs(task, in, out, merge.Options{}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out.Sorted(), want) {
				t.Errorf("op %d: pairs %v, want %v", op, out.Sorted(), want)
			}
			got, err := merge.Aggregate(task, in, aggs, merge.Options{})
			if err != nil || got[0].Lo != uint64(len(want)) {
				t.Errorf("op %d: counts %d (%v), want %d", op, got[0].Lo, err, len(want))
			}
		})
	}
}

// cases are joins for the tests of failures: each phase is in one of them.
func cases() []*query {
	r := rand.New(rand.NewPCG(8, 8))
	pair := func(op join.Op, nulls int) jointest.Condition {
		return jointest.Condition{Op: op, Left: values(r, column.I32, 150, hot, nulls), Right: values(r, column.I32, 140, spread, 0)}
	}
	return []*query{newQuery(r, pair(join.EQ, 4)), newQuery(r, pair(join.LE, 4)), newQuery(r, pair(join.EQ, 0), pair(join.GT, 0))}
}

// TestWithoutMemory leaves the join ever more memory until it succeeds, by Bytes at the latest.
func TestWithoutMemory(t *testing.T) {
	e := enginetest.New(t, 2*arena)
	for i, q := range cases() {
		want := jointest.Pairs(q.left, q.right, q.conditions)
		inTask(t, e, context.Background(), func(task *engine.Task) {
			in, aggs := q.device(t, task)
			out := jointest.NewOutput(t, task, 1<<13)
			free, limit := task.Free(), max(merge.Bytes(in, nil, merge.Options{}), merge.Bytes(in, aggs, merge.Options{}))
			for spare := int64(0); ; spare += 2048 {
				m := task.Mark()
				if _, err := task.Alloc(free - spare); err != nil {
					t.Fatal(err)
				}
				out.Reset()
				err := merge.Pairs(task, in, out, merge.Options{})
				var got []join.Value
				if err == nil {
					got, err = merge.Aggregate(task, in, aggs, merge.Options{})
				}
				if err := errors.Join(task.Sync(), task.Release(m)); err != nil {
					t.Fatal(err)
				}
				if err == nil {
					if !slices.Equal(out.Sorted(), want) {
						t.Errorf("case %d: the pairs differ with %d bytes", i, spare)
					}
					checkValues(t, fmt.Sprint("case ", i), q.aggs, got, want)
					return
				}
				if !errors.Is(err, sqlerr.OutOfMemory) || spare > limit {
					t.Fatalf("case %d: %d bytes to spare of %d: %v, want 1037", i, spare, limit, err)
				}
			}
		})
	}
}

// countdown is cancelled when it has been asked left times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// ignored is an output that is not read.
type ignored struct{ *jointest.Output }

func (ignored) Emit(int64) error { return nil }

// TestCancelled cancels at points where a join asks, several of which are in each phase.
func TestCancelled(t *testing.T) {
	e := enginetest.New(t, arena)
	for i, q := range cases() {
		for points := i; ; points += 4 {
			ctx := &countdown{context.Background(), math.MaxInt}
			done := false
			inTask(t, e, ctx, func(task *engine.Task) {
				in, aggs := q.device(t, task)
				out := ignored{jointest.NewOutput(t, task, 1<<11)}
				ctx.left = points
				err := merge.Pairs(task, in, out, merge.Options{})
				if err == nil {
					_, err = merge.Aggregate(task, in, aggs, merge.Options{})
				}
				ctx.left = math.MaxInt
				if done = err == nil; !done && !errors.Is(err, context.Canceled) {
					t.Fatalf("case %d, point %d: %v", i, points, err)
				}
			})
			if done {
				if points < 10 {
					t.Errorf("case %d asks %d times only", i, points)
				}
				break
			}
		}
	}
}

func TestNothingToSortBy(t *testing.T) {
	e := enginetest.New(t, arena)
	inTask(t, e, context.Background(), func(task *engine.Task) {
		v := jointest.Ints(column.I32, 1).Column(t, task)
		for _, cs := range [][]join.Condition{nil, {{Op: join.NE, Left: v, Right: v}}} {
			in := join.Input{Left: 1, Right: 1, Conditions: cs}
			if err := merge.Pairs(task, in, nil, merge.Options{}); !errors.Is(err, sqlerr.InternalError) {
				t.Errorf("%d conditions: %v", len(cs), err)
			}
		}
	})
}
