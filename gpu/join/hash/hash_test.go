//go:build sim || cuda

package hash

import (
	"fmt"
	"slices"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/join"
	"gsql/gpu/join/jointest"
)

// one runs f in a task of its own.
func one(t *testing.T, e *engine.Engine, f func(task *engine.Task)) {
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

// equality is a join by equal keys.
func equality(l, r jointest.Values) []jointest.Condition {
	return []jointest.Condition{{Op: join.EQ, Left: l, Right: r}}
}

// upload returns the input of conditions over rows of each side.
func upload(t *testing.T, task *engine.Task, left, right int64, conditions []jointest.Condition) join.Input {
	in := join.Input{Left: left, Right: right}
	for _, c := range conditions {
		in.Conditions = append(in.Conditions, join.Condition{Op: c.Op, Left: c.Left.Column(t, task), Right: c.Right.Column(t, task)})
	}
	return in
}

// unbounded forgets what is known of the keys' values.
func unbounded(in join.Input) join.Input {
	for i := range in.Conditions {
		in.Conditions[i].Left.Bounded, in.Conditions[i].Right.Bounded = false, false
	}
	return in
}

// checkPairs compares the pairs of a join with those of nested loops.
func checkPairs(t *testing.T, task *engine.Task, in join.Input, conditions []jointest.Condition, capacity int64, opt Options) {
	t.Helper()
	out := jointest.NewOutput(t, task, capacity)
	if err := Pairs(task, in, out, opt); err != nil {
		t.Fatal(err)
	}
	got, want := out.Sorted(), jointest.Pairs(in.Left, in.Right, conditions)
	if !slices.Equal(got, want) {
		t.Errorf("%d x %d rows, %+v: %d pairs, want %d", in.Left, in.Right, opt, len(got), len(want))
	}
	if least := (len(want) + int(capacity) - 1) / int(capacity); out.Pieces < least || out.Pieces > 2*least+2 {
		t.Errorf("%d pairs came in %d pieces of %d", len(want), out.Pieces, capacity)
	}
}

var (
	kinds = []column.Kind{column.I32, column.I64, column.F64}
	sizes = [][2]int64{{0, 3}, {3, 0}, {1, 1}, {31, 33}, {257, 1025}, {400, 1030}}
)

func TestPairs(t *testing.T) {
	e := enginetest.New(t, 64<<20)
	for shape := range shapes {
		for _, kind := range kinds {
			t.Run(fmt.Sprint(shape, "/", kind.Suffix()), func(t *testing.T) {
				for i, size := range sizes {
					if crowded(shape) {
						size = [2]int64{min(size[0], 70), min(size[1], 300)}
					}
					l, r := keys(kind, shape, int(size[0]), 1, i%2 == 1), keys(kind, shape, int(size[1]), 2, i == 5)
					conditions := equality(l, r)
					for k, opt := range []Options{{BuildLeft: true}, {BuildLeft: false}, {BuildLeft: true, Repeated: true}} {
						if k == 2 && i != 4 {
							continue
						}
						one(t, e, func(task *engine.Task) {
							in := upload(t, task, size[0], size[1], conditions)
							if (i+k)%3 == 0 {
								in = unbounded(in)
							}
							checkPairs(t, task, in, conditions, 700, opt)
						})
					}
				}
			})
		}
	}
}

// TestOutputPieces cuts the output of single partners and of runs at every size.
func TestOutputPieces(t *testing.T) {
	e := enginetest.New(t, 16<<20)
	for _, shape := range []string{"unique", "half", "equal"} {
		conditions := equality(keys(column.I32, shape, 40, 1, false), keys(column.I32, shape, 60, 1, false))
		for _, capacity := range []int64{1, 2, 3, 31, 32, 33, 59, 60, 1000} {
			one(t, e, func(task *engine.Task) {
				checkPairs(t, task, upload(t, task, 40, 60, conditions), conditions, capacity, Options{BuildLeft: true})
			})
		}
	}
}

// TestCompositeKeys joins by several conditions, which pack into 32 or 64 bits or do not.
func TestCompositeKeys(t *testing.T) {
	const left, right = 300, 500
	e := enginetest.New(t, 16<<20)
	column := func(kind column.Kind, shape string, nulls bool) jointest.Condition {
		return jointest.Condition{Op: join.EQ, Left: keys(kind, shape, left, 3, nulls), Right: keys(kind, shape, right, 4, nulls)}
	}
	less := column(column32, "sparse", true)
	less.Op = join.LT
	for name, conditions := range map[string][]jointest.Condition{
		"32 bits":          {column(column32, "few", false), column(column64, "half", true)},
		"64 bits":          {column(column32, "sparse", false), column(column32, "few", true)},
		"three":            {column(column32, "few", true), column(column32, "few", false), column(column64, "half", true)},
		"too wide":         {column(column64, "sparse", false), column(column64, "extreme", true)},
		"doubles":          {column(columnF, "few", true), column(column32, "few", false)},
		"doubles after":    {column(column32, "few", true), column(columnF, "few", false)},
		"constants":        {column(column32, "equal", true), column(column64, "equal", false)},
		"and an order":     {less, column(column32, "few", true)},
		"packed and order": {column(column32, "few", true), less, column(column32, "few", false)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, opt := range []Options{{BuildLeft: true}, {BuildLeft: false}} {
				one(t, e, func(task *engine.Task) {
					in := upload(t, task, left, right, conditions)
					checkPairs(t, task, in, conditions, 5000, opt)
					checkPairs(t, task, unbounded(in), conditions, 5000, opt)
				})
			}
		})
	}
}

const column32, column64, columnF = column.I32, column.I64, column.F64

// TestWindows cuts direct tables into windows, as is done with large ones.
func TestWindows(t *testing.T) {
	before := tuned
	defer func() { tuned = before }()
	tuned = tuning{window: 250, most: 6}
	e := enginetest.New(t, 64<<20)
	for _, shape := range []string{"unique", "sparse", "half"} {
		for _, kind := range kinds {
			l, r := keys(kind, shape, 300, 1, true), keys(kind, shape, 1500, 1, false)
			conditions := equality(l, r)
			one(t, e, func(task *engine.Task) {
				in := upload(t, task, 300, 1500, conditions)
				checkPairs(t, task, in, conditions, 900, Options{BuildLeft: true})
				checkPairs(t, task, unbounded(in), conditions, 900, Options{BuildLeft: true})
			})
			for _, valueKind := range kinds {
				left, right := keys(valueKind, "few", 300, 3, false), keys(valueKind, "few", 1500, 4, valueKind == column32)
				if valueKind == columnF {
					left, right = jointest.Doubles(make([]float64, 300)...), jointest.Doubles(make([]float64, 1500)...)
					for i := range right.Doubles {
						right.Doubles[i] = float64(i) / 8
					}
				}
				checkAggregates(t, e, 300, 1500, conditions, append(aggregates(true, left), aggregates(false, right)...), Options{BuildLeft: true})
			}
			checkAggregates(t, e, 300, 1500, conditions, aggregates(true, keys(column32, "few", 300, 5, false)), Options{BuildLeft: true})
		}
	}
}
