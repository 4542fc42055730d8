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
	"gsql/gpu/join/theta"
)

const arena = 4 << 20

// values is a column as the tests know it: nil entries are NULL.
type values struct {
	kind    column.Kind
	ints    []int64
	doubles []float64
	valid   []byte // nil: no NULLs
	bounded bool
}

func (v *values) rows() int { return max(len(v.ints), len(v.doubles)) }

// upload puts a column on the device.
func upload(t testing.TB, task *engine.Task, v *values) column.Column {
	t.Helper()
	c := column.Column{Kind: v.kind, Rows: int64(v.rows())}
	switch v.kind {
	case column.I32:
		narrow := make([]int32, len(v.ints))
		for i, x := range v.ints {
			narrow[i] = int32(x)
		}
		c.Values = enginetest.Upload(t, task, narrow)
	case column.I64:
		c.Values = enginetest.Upload(t, task, v.ints)
	case column.F64:
		c.Values = enginetest.Upload(t, task, v.doubles)
	}
	if v.valid != nil {
		c.Valid = enginetest.Upload(t, task, v.valid)
	}
	if v.bounded && len(v.ints) > 0 {
		c.Bounded, c.Min, c.Max = true, math.MaxInt64, math.MinInt64
		for i, x := range v.ints {
			if v.valid == nil || v.valid[i] != 0 {
				c.Min, c.Max = min(c.Min, x), max(c.Max, x)
			}
		}
	}
	return c
}

// compare tells whether "left op right" is true.
func compare[T int64 | float64](op join.Op, a, b T) bool {
	return [...]bool{a == b, a != b, a < b, a <= b, a > b, a >= b}[op]
}

// query is a join whose columns lie in host memory.
type query struct {
	left, right int
	conditions  []condition
}

type condition struct {
	op          join.Op
	left, right *values
}

func (c condition) holds(i, j int) bool {
	if c.left.valid != nil && c.left.valid[i] == 0 || c.right.valid != nil && c.right.valid[j] == 0 {
		return false
	}
	if c.left.kind == column.F64 {
		return compare(c.op, c.left.doubles[i], c.right.doubles[j])
	}
	return compare(c.op, c.left.ints[i], c.right.ints[j])
}

func (q *query) holds(i, j int) bool {
	for _, c := range q.conditions {
		if !c.holds(i, j) {
			return false
		}
	}
	return true
}

// pairs is the join by two loops, as left<<32|right in order.
func (q *query) pairs() []uint64 {
	var pairs []uint64
	for i := range q.left {
		for j := range q.right {
			if q.holds(i, j) {
				pairs = append(pairs, uint64(i)<<32|uint64(j))
			}
		}
	}
	return pairs
}

// input uploads the columns, each once, so that conditions on one column share it.
func (q *query) input(t testing.TB, task *engine.Task) join.Input {
	t.Helper()
	at := map[*values]column.Column{}
	in := join.Input{Left: int64(q.left), Right: int64(q.right)}
	get := func(v *values) column.Column {
		if _, ok := at[v]; !ok {
			at[v] = upload(t, task, v)
		}
		return at[v]
	}
	for _, c := range q.conditions {
		in.Conditions = append(in.Conditions, join.Condition{Op: c.op, Left: get(c.left), Right: get(c.right)})
	}
	return in
}

// output collects pieces.
type output struct {
	task        *engine.Task
	left, right gpu.Ptr
	capacity    int64
	pairs       []uint64
	pieces      []int64
}

func newOutput(t testing.TB, task *engine.Task, capacity int64) *output {
	t.Helper()
	o := &output{task: task, capacity: capacity}
	var err error
	if o.left, err = task.Alloc(4 * capacity); err == nil {
		o.right, err = task.Alloc(4 * capacity)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *output) Piece() (left, right gpu.Ptr, capacity int64, err error) {
	return o.left, o.right, o.capacity, nil
}

func (o *output) Emit(n int64) error {
	o.pieces = append(o.pieces, n)
	raw := make([]byte, 8*n)
	for _, c := range []struct {
		dst []byte
		src gpu.Ptr
	}{{raw[:4*n], o.left}, {raw[4*n:], o.right}} {
		if err := o.task.Device.CopyToHost(c.dst, c.src, o.task.Compute); err != nil {
			return err
		}
	}
	if err := o.task.Sync(); err != nil {
		return err
	}
	number := func(at int64) uint64 {
		return uint64(raw[at]) | uint64(raw[at+1])<<8 | uint64(raw[at+2])<<16 | uint64(raw[at+3])<<24
	}
	for i := range n {
		o.pairs = append(o.pairs, number(4*i)<<32|number(4*n+4*i))
	}
	return nil
}

// check runs Pairs and compares with two loops.
func check(t *testing.T, e *engine.Engine, what string, q *query, capacity int64, opt theta.Options) {
	t.Helper()
	task, err := e.Begin(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	in, out := q.input(t, task), newOutput(t, task, capacity)
	free := task.Free()
	if err := theta.Pairs(task, in, out, opt); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if task.Free() != free {
		t.Errorf("%s: %d bytes were left allocated", what, free-task.Free())
	}
	compareOutput(t, what, out, q.pairs())
	if err := task.End(); err != nil {
		t.Error(err)
	}
}

func compareOutput(t *testing.T, what string, out *output, want []uint64) {
	t.Helper()
	slices.Sort(out.pairs)
	if !slices.Equal(out.pairs, want) {
		t.Errorf("%s: %d pairs, want %d, or others", what, len(out.pairs), len(want))
	}
	for i, n := range out.pieces {
		if n > out.capacity || n <= 0 || i < len(out.pieces)-1 && n != out.capacity {
			t.Errorf("%s: piece %d of %d has %d pairs, capacity %d", what, i, len(out.pieces), n, out.capacity)
		}
	}
}

// shape makes the i-th value of a column.
type shape func(r *rand.Rand, i int) int64

var shapes = map[string]shape{
	"few":    func(r *rand.Rand, _ int) int64 { return r.Int64N(7) - 3 },
	"equal":  func(*rand.Rand, int) int64 { return 42 },
	"sorted": func(_ *rand.Rand, i int) int64 { return int64(i) - 100 },
	"random": func(r *rand.Rand, _ int) int64 { return int64(int32(r.Uint32())) },
	"zipf":   func(r *rand.Rand, _ int) int64 { return int64(math.Exp(r.Float64() * math.Log(1000))) },
	"extreme": func(r *rand.Rand, _ int) int64 {
		return []int64{math.MinInt32, math.MinInt32 + 1, -1, 0, 1, math.MaxInt32 - 1, math.MaxInt32}[r.IntN(7)]
	},
}

// make64 replaces the extremes of 32 bits by those of the kind.
func make64(kind column.Kind, v int64) int64 {
	switch {
	case kind == column.I32:
		return v
	case v <= math.MinInt32+1:
		return math.MinInt64 + (v - math.MinInt32)
	case v >= math.MaxInt32-1:
		return math.MaxInt64 - (math.MaxInt32 - v)
	}
	return v
}

// makeColumn makes n values of a shape; every nulls-th is NULL.
func makeColumn(kind column.Kind, s shape, n, nulls int, seed uint64) *values {
	r := rand.New(rand.NewPCG(seed, 1))
	v := &values{kind: kind}
	for i := range n {
		x := s(r, i)
		if kind == column.F64 {
			v.doubles = append(v.doubles, float64(x)/3)
		} else {
			v.ints = append(v.ints, make64(kind, x))
		}
		if nulls > 0 {
			v.valid = append(v.valid, 1)
			if i%nulls == nulls-1 {
				v.valid[i] = 0
			}
		}
	}
	return v
}

var kinds = []column.Kind{column.I32, column.I64, column.F64}
var ops = []join.Op{join.EQ, join.NE, join.LT, join.LE, join.GT, join.GE}

func TestPairsOfOneCondition(t *testing.T) {
	e := enginetest.New(t, arena)
	for _, kind := range kinds {
		for _, op := range ops {
			for name, s := range shapes {
				q := &query{left: 67, right: 150}
				q.conditions = []condition{{op, makeColumn(kind, s, q.left, 0, 1), makeColumn(kind, s, q.right, 0, 2)}}
				what := fmt.Sprintf("%s %s %s", kind.Suffix(), op.Suffix(), name)
				check(t, e, what, q, 1<<14, theta.Options{})
				q.conditions[0].left.bounded, q.conditions[0].right.bounded = true, true
				check(t, e, what+" bounded", q, 1<<14, theta.Options{})
			}
		}
	}
}

func TestPairsSizes(t *testing.T) {
	e := enginetest.New(t, arena)
	for _, n := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 33}, {31, 32}, {32, 31}, {33, 257}, {3, 2049}, {2049, 3}, {4100, 20}} {
		q := &query{left: n[0], right: n[1]}
		q.conditions = []condition{{join.LE, makeColumn(column.I32, shapes["few"], n[0], 0, 1), makeColumn(column.I32, shapes["few"], n[1], 0, 2)}}
		check(t, e, fmt.Sprint(n), q, 1<<17, theta.Options{})
	}
}

func TestNulls(t *testing.T) {
	e := enginetest.New(t, arena)
	for _, nulls := range []int{1, 2, 3, 100} {
		for _, n := range [][2]int{{100, 300}, {300, 100}} {
			left, right := makeColumn(column.I64, shapes["few"], n[0], nulls, 1), makeColumn(column.I64, shapes["few"], n[1], nulls+1, 2)
			other := makeColumn(column.I64, shapes["random"], n[1], 5, 3)
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
		q := &query{left: 1 + r.IntN(200), right: 1 + r.IntN(200)}
		draw := func(rows int, kind column.Kind) *values {
			v := makeColumn(kind, shapes[names[r.IntN(len(names))]], rows, r.IntN(3)*7, r.Uint64())
			v.bounded = r.IntN(2) == 0
			return v
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
		check(t, e, what, q, 1<<16, theta.Options{PairsPerLaunch: 1 + r.Int64N(1<<16)})
	}
}

func TestBetween(t *testing.T) {
	e := enginetest.New(t, arena)
	for _, kind := range kinds {
		for _, swapped := range []bool{false, true} {
			q := &query{left: 150, right: 90}
			low, high := makeColumn(kind, shapes["sorted"], q.left, 0, 1), makeColumn(kind, shapes["random"], q.left, 7, 2)
			x := makeColumn(kind, shapes["few"], q.right, 0, 3)
			q.conditions = []condition{{join.LE, low, x}, {join.GE, high, x}}
			if swapped {
				q = &query{left: q.right, right: q.left, conditions: []condition{{join.GE, x, low}, {join.LE, x, high}}}
			}
			check(t, e, kind.Suffix()+" between", q, 1000, theta.Options{})
		}
	}
}

func TestNegativeZeroEqualsZero(t *testing.T) {
	e := enginetest.New(t, arena)
	zeros := &values{kind: column.F64, doubles: []float64{0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64}}
	for _, op := range ops {
		q := &query{left: 4, right: 4, conditions: []condition{{op, zeros, zeros}}}
		check(t, e, op.Suffix(), q, 100, theta.Options{})
	}
}

// TestPieces cuts the output within and between rows.
func TestPieces(t *testing.T) {
	e := enginetest.New(t, arena)
	q := &query{left: 300, right: 301}
	q.conditions = []condition{{join.LT, makeColumn(column.I32, shapes["few"], 300, 0, 1), makeColumn(column.I32, shapes["few"], 301, 0, 2)}}
	for _, capacity := range []int64{997, 1 << 12, 1 << 18} {
		check(t, e, fmt.Sprint("pieces of ", capacity), q, capacity, theta.Options{PairsPerLaunch: 20000})
	}
	q.left, q.right = 1, 301
	check(t, e, "one row in pieces", q, 10, theta.Options{})
}

func TestTooManyColumns(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, arena))
	q := &query{left: 2, right: 2}
	for i := range 5 {
		q.conditions = append(q.conditions, condition{join.NE, makeColumn(column.I32, shapes["few"], 2, 0, uint64(i)), makeColumn(column.I32, shapes["few"], 2, 0, 9)})
	}
	if err := theta.Pairs(task, q.input(t, task), newOutput(t, task, 8), theta.Options{}); err == nil {
		t.Error("five columns were joined")
	}
}
