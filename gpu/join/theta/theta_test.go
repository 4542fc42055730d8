//go:build sim || cuda

package theta_test

import (
	"context"
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
	"gsql/gpu/join/theta"
)

const arena = 4 << 20

// query is a join whose columns lie in host memory. Conditions share a column where they
// name the same *jointest.Values.
type query struct {
	left, right int
	conditions  []condition
	unbounded   bool // the columns' bounds are unknown
}

type condition struct {
	op          join.Op
	left, right *jointest.Values
}

func (q *query) pairs() []jointest.Pair {
	var all []jointest.Condition
	for _, c := range q.conditions {
		all = append(all, jointest.Condition{Op: c.op, Left: *c.left, Right: *c.right})
	}
	return jointest.Pairs(int64(q.left), int64(q.right), all)
}

// input uploads the columns, each once.
func (q *query) input(t testing.TB, task *engine.Task) join.Input {
	t.Helper()
	at := map[*jointest.Values]column.Column{}
	get := func(v *jointest.Values) column.Column {
		if _, ok := at[v]; !ok {
			c := v.Column(t, task)
			c.Bounded = c.Bounded && !q.unbounded
			at[v] = c
		}
		return at[v]
	}
	in := join.Input{Left: int64(q.left), Right: int64(q.right)}
	for _, c := range q.conditions {
		in.Conditions = append(in.Conditions, join.Condition{Op: c.op, Left: get(c.left), Right: get(c.right)})
	}
	return in
}

// inTask runs f in a task that must give back all memory that it takes after begin.
func inTask(t *testing.T, e *engine.Engine, f func(task *engine.Task)) {
	t.Helper()
	task, err := e.Begin(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	f(task)
	if err := task.End(); err != nil {
		t.Error(err)
	}
}

// check runs Pairs and Aggregate and compares them with two loops.
func check(t *testing.T, e *engine.Engine, what string, q *query, capacity int64, opt theta.Options) {
	t.Helper()
	want := q.pairs()
	inTask(t, e, func(task *engine.Task) {
		in, out := q.input(t, task), jointest.NewOutput(t, task, capacity)
		free := task.Free()
		if err := theta.Pairs(task, in, out, opt); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if task.Free() != free {
			t.Errorf("%s: %d bytes were left allocated", what, free-task.Free())
		}
		if got := out.Sorted(); !slices.Equal(got, want) {
			t.Errorf("%s: %d pairs, want %d, or others", what, len(got), len(want))
		}
		checkAggregates(t, task, what, q, in, want, opt)
	})
}

// checkAggregates counts and sums a column of each side.
func checkAggregates(t *testing.T, task *engine.Task, what string, q *query, in join.Input, pairs []jointest.Pair, opt theta.Options) {
	t.Helper()
	left, right := payload(q.left), payload(q.right)
	free := task.Free()
	m := task.Mark()
	aggs := []join.Agg{{Func: join.CountRows}, {Func: join.Sum, Left: true, Column: left.Column(t, task)}, {Func: join.Sum, Column: right.Column(t, task)}}
	got, err := theta.Aggregate(task, in, aggs, opt)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for i, a := range []jointest.Agg{{Func: join.CountRows}, {Func: join.Sum, Left: true, Column: left}, {Func: join.Sum, Column: right}} {
		if w := a.Aggregate(pairs); got[i].Null != w.Null || !w.Null && jointest.Integer(got[i]).Cmp(w.Int) != 0 {
			t.Errorf("%s: aggregate %d is %v, want %v", what, i, jointest.Integer(got[i]), w.Int)
		}
	}
	if err := task.Release(m); err != nil || task.Free() != free {
		t.Errorf("%s: %d bytes were left allocated by aggregates, %v", what, free-task.Free(), err)
	}
}

// payload is a column that identifies rows.
func payload(n int) jointest.Values {
	v := jointest.Values{Kind: column.I64}
	for i := range n {
		v.Ints = append(v.Ints, int64(i)*0x123456789ab+1)
	}
	return v
}

// shapes make the i-th value of a column.
var shapes = map[string]func(r *rand.Rand, i int) int64{
	"few":    func(r *rand.Rand, _ int) int64 { return r.Int64N(7) - 3 },
	"equal":  func(*rand.Rand, int) int64 { return 42 },
	"sorted": func(_ *rand.Rand, i int) int64 { return int64(i) - 100 },
	"random": func(r *rand.Rand, _ int) int64 { return int64(int32(r.Uint32())) },
	"zipf":   func(r *rand.Rand, _ int) int64 { return int64(math.Exp(r.Float64() * math.Log(1000))) },
	"extreme": func(r *rand.Rand, _ int) int64 {
		return []int64{math.MinInt32, math.MinInt32 + 1, -1, 0, 1, math.MaxInt32 - 1, math.MaxInt32}[r.IntN(7)]
	},
}

// widened moves the extremes of 32 bits to those of 64.
func widened(v int64) int64 {
	switch {
	case v <= math.MinInt32+1:
		return math.MinInt64 + (v - math.MinInt32)
	case v >= math.MaxInt32-1:
		return math.MaxInt64 - (math.MaxInt32 - v)
	}
	return v
}

// makeColumn makes n values of a shape; with nulls > 0 every nulls-th is NULL.
func makeColumn(kind column.Kind, shape string, n, nulls int, seed uint64) *jointest.Values {
	r := rand.New(rand.NewPCG(seed, 1))
	v := &jointest.Values{Kind: kind}
	for i := range n {
		x := shapes[shape](r, i)
		switch {
		case kind == column.F64 && (x == math.MaxInt32 || x == math.MinInt32):
			v.Doubles = append(v.Doubles, math.Copysign(math.MaxFloat64, float64(x)))
		case kind == column.F64:
			v.Doubles = append(v.Doubles, float64(x)/3)
		case kind == column.I64:
			v.Ints = append(v.Ints, widened(x))
		default:
			v.Ints = append(v.Ints, x)
		}
		if nulls > 0 {
			v.Null = append(v.Null, i%nulls == nulls-1)
		}
	}
	return v
}

var kinds = []column.Kind{column.I32, column.I64, column.F64}
var ops = []join.Op{join.EQ, join.NE, join.LT, join.LE, join.GT, join.GE}

func TestOneCondition(t *testing.T) {
	e := enginetest.New(t, arena)
	for _, kind := range kinds {
		for _, op := range ops {
			for name := range shapes {
				q := &query{left: 37, right: 70, conditions: []condition{{op, makeColumn(kind, name, 37, 0, 1), makeColumn(kind, name, 70, 0, 2)}}}
				what := fmt.Sprintf("%s %s %s", kind.Suffix(), op.Suffix(), name)
				check(t, e, what, q, 1<<12, theta.Options{})
				q.unbounded = true
				check(t, e, what+" unbounded", q, 1<<12, theta.Options{})
			}
		}
	}
}

func TestSizes(t *testing.T) {
	e := enginetest.New(t, arena)
	for _, n := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 33}, {31, 32}, {32, 31}, {33, 257}, {3, 2049}, {2049, 3}, {4100, 20}} {
		q := &query{left: n[0], right: n[1]}
		q.conditions = []condition{{join.LE, makeColumn(column.I32, "few", n[0], 0, 1), makeColumn(column.I32, "few", n[1], 0, 2)}}
		check(t, e, fmt.Sprint(n), q, 1<<17, theta.Options{})
	}
}

func TestNulls(t *testing.T) {
	e := enginetest.New(t, arena)
	for _, nulls := range []int{1, 2, 3, 100} {
		for _, n := range [][2]int{{100, 300}, {300, 100}} {
			left, right := makeColumn(column.I64, "few", n[0], nulls, 1), makeColumn(column.I64, "few", n[1], nulls+1, 2)
			other := makeColumn(column.I64, "random", n[1], 5, 3)
			q := &query{left: n[0], right: n[1], conditions: []condition{{join.GE, left, right}, {join.LT, left, other}}}
			check(t, e, fmt.Sprintf("every %d NULL, %v", nulls, n), q, 1<<15, theta.Options{})
		}
	}
}

// TestConjunctions draws conditions of all operators and kinds, some on shared columns.
func TestConjunctions(t *testing.T) {
	e := enginetest.New(t, arena)
	r := rand.New(rand.NewPCG(5, 5))
	names := []string{"few", "sorted", "random", "extreme", "zipf"}
	for i := range 60 {
		q := &query{left: 1 + r.IntN(150), right: 1 + r.IntN(150), unbounded: r.IntN(2) == 0}
		draw := func(rows int, kind column.Kind) *jointest.Values {
			return makeColumn(kind, names[r.IntN(len(names))], rows, r.IntN(3)*7, r.Uint64())
		}
		kind := kinds[r.IntN(3)]
		left, right := draw(q.left, kind), draw(q.right, kind)
		what := fmt.Sprintf("conjunction %d:", i)
		for range r.IntN(5) {
			switch r.IntN(4) {
			case 0:
				left = draw(q.left, kind)
			case 1:
				right = draw(q.right, kind)
			case 2:
				kind = kinds[r.IntN(3)]
				left, right = draw(q.left, kind), draw(q.right, kind)
			}
			c := condition{ops[r.IntN(6)], left, right}
			q.conditions = append(q.conditions, c)
			what += fmt.Sprintf(" %s %s", kind.Suffix(), c.op.Suffix())
		}
		check(t, e, what, q, 1<<15, theta.Options{PairsPerLaunch: 1 + r.Int64N(1<<16)})
	}
}

func TestBetween(t *testing.T) {
	e := enginetest.New(t, arena)
	for _, kind := range kinds {
		low, high := makeColumn(kind, "sorted", 150, 0, 1), makeColumn(kind, "random", 150, 7, 2)
		x := makeColumn(kind, "few", 90, 0, 3)
		check(t, e, kind.Suffix()+" between", &query{left: 150, right: 90,
			conditions: []condition{{join.LE, low, x}, {join.GE, high, x}}}, 1000, theta.Options{})
		check(t, e, kind.Suffix()+" between, mirrored", &query{left: 90, right: 150,
			conditions: []condition{{join.GE, x, low}, {join.LE, x, high}}}, 1000, theta.Options{})
	}
}

func TestNegativeZeroEqualsZero(t *testing.T) {
	e := enginetest.New(t, arena)
	zeros := jointest.Doubles(0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64)
	for _, op := range ops {
		check(t, e, op.Suffix(), &query{left: 4, right: 4, conditions: []condition{{op, &zeros, &zeros}}}, 100, theta.Options{})
	}
}

// TestPieces cuts the output within and between rows.
func TestPieces(t *testing.T) {
	e := enginetest.New(t, arena)
	q := &query{left: 300, right: 301}
	q.conditions = []condition{{join.LT, makeColumn(column.I32, "few", 300, 0, 1), makeColumn(column.I32, "few", 301, 0, 2)}}
	pairs := int64(len(q.pairs()))
	for _, capacity := range []int64{997, 1 << 12, pairs - 1, pairs} {
		inTask(t, e, func(task *engine.Task) {
			out := jointest.NewOutput(t, task, capacity)
			if err := theta.Pairs(task, q.input(t, task), out, theta.Options{PairsPerLaunch: 20000}); err != nil {
				t.Fatal(err)
			}
			if want := (pairs + capacity - 1) / capacity; !slices.Equal(out.Sorted(), q.pairs()) || int64(out.Pieces) != want {
				t.Errorf("pieces of %d: other pairs, or %d pieces, want %d", capacity, out.Pieces, want)
			}
		})
	}
	one := makeColumn(column.I32, "equal", 1, 0, 1)
	check(t, e, "one row in pieces", &query{left: 1, right: 301,
		conditions: []condition{{join.GE, one, makeColumn(column.I32, "few", 301, 0, 2)}}}, 10, theta.Options{})
}

// TestEveryAggregate takes each function over columns of all kinds and both sides.
func TestEveryAggregate(t *testing.T) {
	e := enginetest.New(t, arena)
	q := &query{left: 90, right: 140}
	q.conditions = []condition{{join.GT, makeColumn(column.I32, "zipf", 90, 9, 1), makeColumn(column.I32, "zipf", 140, 4, 2)}}
	var aggs []jointest.Agg
	for _, kind := range kinds {
		for f := join.Count; f <= join.Max; f++ {
			aggs = append(aggs, jointest.Agg{Func: f, Left: true, Column: *makeColumn(kind, "few", 90, 3, 7)},
				jointest.Agg{Func: f, Column: *makeColumn(kind, "few", 140, 0, 8)})
		}
	}
	pairs := q.pairs()
	inTask(t, e, func(task *engine.Task) {
		in := q.input(t, task)
		var on []join.Agg
		for _, a := range aggs {
			on = append(on, join.Agg{Func: a.Func, Left: a.Left, Column: a.Column.Column(t, task)})
		}
		got, err := theta.Aggregate(task, in, on, theta.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range aggs {
			want := a.Aggregate(pairs)
			same := jointest.Integer(got[i]).Cmp(want.Int) == 0
			if a.Column.Kind == column.F64 && a.Func != join.Count {
				same = math.Abs(got[i].F-want.F) <= 1e-9*math.Abs(want.F)
			}
			if got[i].Null != want.Null || !want.Null && !same {
				t.Errorf("aggregate %d over %s is %v, %g, want %v, %g", a.Func, a.Column.Kind.Suffix(), jointest.Integer(got[i]), got[i].F, want.Int, want.F)
			}
		}
	})
}

// TestManyConditions has more columns than the kernels compare at once.
func TestManyConditions(t *testing.T) {
	e := enginetest.New(t, 64<<20)
	q := &query{left: 60, right: 90}
	for i := range uint64(7) {
		q.conditions = append(q.conditions, condition{ops[1+i%5], makeColumn(column.I32, "few", 60, 9, i), makeColumn(column.I32, "few", 90, 0, 20+i)})
	}
	if len(q.pairs()) == 0 {
		t.Fatal("nothing joins")
	}
	check(t, e, "seven conditions", q, 1000, theta.Options{})
}

// valueOutput collects values on the CPU.
type valueOutput struct {
	t          *testing.T
	task       *engine.Task
	left, a, b gpu.Ptr
	capacity   int64
	rows       [][3]int32
}

func (o *valueOutput) Piece() (left, a, b gpu.Ptr, capacity int64, err error) {
	return o.left, o.a, o.b, o.capacity, nil
}

func (o *valueOutput) Emit(n int64) error {
	left, a, b := enginetest.Download[int32](o.t, o.task, o.left, n), enginetest.Download[int32](o.t, o.task, o.a, n), enginetest.Download[int32](o.t, o.task, o.b, n)
	for i := range left {
		o.rows = append(o.rows, [3]int32{left[i], a[i], b[i]})
	}
	return nil
}

func TestValues(t *testing.T) {
	for _, nulls := range []int{0, 4} {
		e := enginetest.New(t, arena)
		q := &query{left: 200, right: 300}
		q.conditions = []condition{{join.GT, makeColumn(column.I32, "random", 200, nulls, 1), makeColumn(column.I32, "random", 300, nulls, 2)}}
		left, a, b := makeColumn(column.I32, "sorted", 200, 0, 3), makeColumn(column.I32, "random", 300, 0, 4), makeColumn(column.I32, "few", 300, 0, 5)
		var want [][3]int32
		for _, p := range q.pairs() {
			want = append(want, [3]int32{int32(left.Ints[p.Left]), int32(a.Ints[p.Right]), int32(b.Ints[p.Right])})
		}
		inTask(t, e, func(task *engine.Task) {
			out := &valueOutput{t: t, task: task, capacity: 7001}
			for _, p := range []*gpu.Ptr{&out.left, &out.a, &out.b} {
				*p = enginetest.Upload(t, task, make([]int32, out.capacity))
			}
			if err := theta.Values(task, q.input(t, task), left.Column(t, task), a.Column(t, task), b.Column(t, task), out, theta.Options{}); err != nil {
				t.Fatal(err)
			}
			order := func(a, b [3]int32) int { return slices.Compare(a[:], b[:]) }
			slices.SortFunc(want, order)
			slices.SortFunc(out.rows, order)
			if !slices.Equal(out.rows, want) {
				t.Errorf("nulls %d: %d rows, want %d, or others", nulls, len(out.rows), len(want))
			}
			wide := makeColumn(column.I64, "few", 200, 0, 3)
			if err := theta.Values(task, q.input(t, task), wide.Column(t, task), a.Column(t, task), b.Column(t, task), out, theta.Options{}); err == nil {
				t.Error("8-byte values were put out")
			}
		})
	}
}
