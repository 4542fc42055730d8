package join

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// relation is an input of a test: rows as datums, and an operator over them.
type relation struct {
	cols []logical.Column
	rows [][]catalog.Datum
}

// input is the operator over a relation. It hands out batches of size rows in forms
// that vary, and fails at batch failAt (when positive) with errInput.
type input struct {
	rel    *relation
	size   int
	forms  bool
	failAt int
	next   atomic.Int64
	opened int
	closed int
}

var errInput = errors.New("source failed")

func (s *input) Open(*op.Ctx) error { s.opened++; return nil }
func (s *input) Ordered() bool      { return false }
func (s *input) Close() error       { s.closed++; return nil }
func (s *input) Stream() (op.Stream, error) {
	return &inputStream{s: s}, nil
}

type inputStream struct{ s *input }

func (s *inputStream) Close() error { return nil }

func (s *inputStream) Next() (*vec.Batch, error) {
	at := int(s.s.next.Add(1)) - 1
	if s.s.failAt > 0 && at == s.s.failAt {
		return nil, errInput
	}
	from := at * s.s.size
	if from >= len(s.s.rel.rows) {
		return nil, nil
	}
	rows := s.s.rel.rows[from:min(from+s.s.size, len(s.s.rel.rows))]
	b := &vec.Batch{N: len(rows), Morsel: int64(at)}
	for c, col := range s.s.rel.cols {
		v := flatOf(col.T, rows, c)
		if s.s.forms {
			v = varied(v, at+c)
		}
		b.Cols = append(b.Cols, v)
	}
	return b, nil
}

func flatOf(t types.Type, rows [][]catalog.Datum, c int) *vec.Vector {
	v := vec.NewFlat(t, len(rows))
	for i, row := range rows {
		row[c].Put(v, i)
	}
	return v
}

// varied gives the rows of flat v as a view (reversed twice, NULLs by negative index)
// or, where all are the same, as a constant.
func varied(v *vec.Vector, form int) *vec.Vector {
	first, same := catalog.DatumAt(v, 0).Text(), true
	for i := range v.N {
		same = same && catalog.DatumAt(v, i).Text() == first
	}
	if same && form%2 == 0 {
		return catalog.DatumAt(v, 0).Vector(v.N)
	}
	if form%3 == 0 {
		return v
	}
	idx := make([]int32, v.N)
	back := make([]int32, v.N)
	for i := range idx {
		back[i] = int32(v.N - 1 - i)
	}
	base := (&vec.Vector{Type: v.Type, Form: vec.View, N: v.N, Base: v, Idx: back}).Flatten(nil)
	base.Dict = form%3 == 1
	for i := range idx {
		idx[i] = back[i]
		if v.IsNull(i) && form%3 == 1 {
			idx[i] = -1
		}
	}
	return &vec.Vector{Type: v.Type, Form: vec.View, N: v.N, Base: base, Idx: idx}
}

// joinCase is a join to test. Columns of either side: id, the operands, v.
type joinCase struct {
	algo      physical.JoinAlgo
	kind      logical.JoinKind
	operands  []types.Type
	nullSafe  []bool   // of the first operands, the keys
	ranges    []string // of the others
	residual  string   // "", "sum" ((l.v+r.v) % 3 = 0), "less" (l.v < r.v)
	nullAware bool
	buildLeft bool
	streamed  bool
	// sameOperand "l" or "r": the second operand of that side is the first one again.
	sameOperand string
	left        *relation
	right       *relation
}

const (
	leftID  = 1
	rightID = 101
	markID  = 200
)

func columnsOf(base int, operands []types.Type) []logical.Column {
	side := map[int]string{leftID: "l", rightID: "r"}[base]
	cols := []logical.Column{{ID: expr.ColID(base), Name: side + ".id", T: types.T(types.Int64)}}
	for i, t := range operands {
		cols = append(cols, logical.Column{ID: expr.ColID(base + 1 + i), Name: fmt.Sprintf("%s.k%d", side, i), T: t})
	}
	return append(cols, logical.Column{ID: expr.ColID(base + 1 + len(operands)), Name: side + ".v", T: types.T(types.Int64)})
}

// operand gives the column of a side's operand i.
func (c *joinCase) operand(side string, i int) int {
	if c.sameOperand == side {
		return 1
	}
	return 1 + i
}

func (c *joinCase) node(t testing.TB) *physical.Node {
	l, r := c.left.cols, c.right.cols
	j := &physical.Join{Algo: c.algo, Type: c.kind, NullAware: c.nullAware, BuildLeft: c.buildLeft, Streamed: c.streamed, MarkID: markID}
	for i := range c.operands {
		a, b := l[c.operand("l", i)].Ref(), r[c.operand("r", i)].Ref()
		if i < len(c.nullSafe) {
			j.Keys = append(j.Keys, physical.KeyPair{L: a, R: b, NullSafe: c.nullSafe[i]})
		} else {
			j.Ranges = append(j.Ranges, physical.RangePred{Op: c.ranges[i-len(c.nullSafe)], L: a, R: b})
		}
	}
	lv, rv := l[len(l)-1].Ref(), r[len(r)-1].Ref()
	switch c.residual {
	case "sum":
		sum := call(t, "+", lv, rv)
		j.Residual = append(j.Residual, call(t, "=", call(t, "%", sum, &expr.Const{Value: catalog.Int(3)}), &expr.Const{Value: catalog.Int(0)}))
	case "less":
		j.Residual = append(j.Residual, call(t, "<", lv, rv))
	}
	n := &physical.Node{Op: j, In: []*physical.Node{{Cols: l}, {Cols: r}}, Cols: slices.Clone(l)}
	switch c.kind {
	case logical.Inner, logical.Left, logical.Single:
		n.Cols = append(n.Cols, r...)
	case logical.Mark:
		n.Cols = append(n.Cols, logical.Column{ID: markID, Name: "mark", T: types.T(types.Int64)})
	}
	return n
}

func call(t testing.TB, fn string, args ...expr.Expr) expr.Expr {
	t.Helper()
	e, err := expr.NewCall(fn, args, -1)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// run makes the join over sources with batches of size rows and gives its rows as
// sorted texts. It fails the test when memory is held after Close.
func (c *joinCase) run(t testing.TB, size, workers int, forms bool) ([]string, error) {
	t.Helper()
	return c.runIn(t, &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: workers, BatchSize: size}, forms)
}

// runIn is run with memory, workers and batches as ctx says.
func (c *joinCase) runIn(t testing.TB, ctx *op.Ctx, forms bool) ([]string, error) {
	t.Helper()
	mem.PoisonFreed()
	l, r := &input{rel: c.left, size: ctx.BatchSize, forms: forms}, &input{rel: c.right, size: ctx.BatchSize, forms: forms}
	o, err := New(c.node(t), l, r)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(ctx, o)
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if used := ctx.Mem.Used(); used != 0 {
		t.Fatalf("%d bytes are held after Close", used)
	}
	if l.closed != 1 || r.closed != 1 {
		t.Fatalf("inputs were closed %d and %d times", l.closed, r.closed)
	}
	return rows, err
}

func drain(ctx *op.Ctx, o op.Operator) ([]string, error) {
	if err := o.Open(ctx); err != nil {
		return nil, err
	}
	parts := make([][]string, ctx.Workers)
	err := op.Each(ctx, o, func(w int, b *vec.Batch) error {
		if b.N == 0 || b.N > max(ctx.Rows(), 1) {
			return fmt.Errorf("batch of %d rows", b.N)
		}
		for i := range b.N {
			var sb strings.Builder
			for _, col := range b.Cols {
				if col.N != b.N {
					return fmt.Errorf("column of %d rows in a batch of %d", col.N, b.N)
				}
				sb.WriteString(catalog.DatumAt(col, i).Text() + "|")
			}
			parts[w] = append(parts[w], sb.String())
		}
		return nil
	})
	all := slices.Concat(parts...)
	slices.Sort(all)
	return all, err
}

// truth is a three-valued logic value; the order makes AND the minimum.
type truth int

const (
	no truth = iota
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// condition evaluates the join's condition for two rows, by the definition.
func (c *joinCase) condition(l, r []catalog.Datum) truth {
	result := yes
	for i := range c.operands {
		a, b := l[c.operand("l", i)], r[c.operand("r", i)]
		if i < len(c.nullSafe) && c.nullSafe[i] && (a.Null || b.Null) {
			result = min(result, truthOf(a.Null && b.Null))
			continue
		}
		if a.Null || b.Null {
			result = min(result, unknown)
			continue
		}
		cmp, comparable := compare(a, b)
		fn := "="
		if i >= len(c.nullSafe) {
			fn = c.ranges[i-len(c.nullSafe)]
		}
		ok := map[string]bool{"=": cmp == 0, "<": cmp < 0, "<=": cmp <= 0, ">": cmp > 0, ">=": cmp >= 0}[fn]
		result = min(result, truthOf(ok && comparable))
	}
	lv, rv := l[len(l)-1], r[len(r)-1]
	switch {
	case c.residual == "":
	case lv.Null || rv.Null:
		result = min(result, unknown)
	case c.residual == "sum":
		result = min(result, truthOf((lv.I64+rv.I64)%3 == 0))
	case c.residual == "less":
		result = min(result, truthOf(lv.I64 < rv.I64))
	}
	return result
}

// compare orders two values that are not NULL; ok is false with a NaN.
func compare(a, b catalog.Datum) (cmp int, ok bool) {
	switch a.Type.Kind() {
	case types.KindI64:
		return orderOf(a.I64, b.I64), true
	case types.KindU64:
		return orderOf(uint64(a.I64), uint64(b.I64)), true
	case types.KindF64:
		return orderOf(a.F64, b.F64), a.F64 == a.F64 && b.F64 == b.F64
	case types.KindDec:
		return a.Dec.Cmp(b.Dec), true
	}
	return strings.Compare(a.Str, b.Str), true
}

func orderOf[T int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

var errTwoRows = errors.New("two rows for Single")

// oracle gives the join's rows as sorted texts.
func (c *joinCase) oracle() ([]string, error) {
	rows, err := c.rows()
	out := make([]string, len(rows))
	for i, row := range rows {
		for _, d := range row {
			out[i] += d.Text() + "|"
		}
	}
	slices.Sort(out)
	return out, err
}

// rows gives the join's rows by the definition of its kind: every left row against every right
// row.
func (c *joinCase) rows() ([][]catalog.Datum, error) {
	var out [][]catalog.Datum
	nulls := make([]catalog.Datum, len(c.right.cols))
	for i, col := range c.right.cols {
		nulls[i] = catalog.NullOf(col.T)
	}
	for _, l := range c.left.rows {
		matches, best := 0, no
		for _, r := range c.right.rows {
			is := c.condition(l, r)
			best = max(best, is)
			if is == yes {
				matches++
				if c.kind == logical.Inner || c.kind == logical.Left || c.kind == logical.Single {
					out = append(out, slices.Concat(l, r))
				}
			}
		}
		if c.kind == logical.Single && matches > 1 {
			return nil, errTwoRows
		}
		if !c.nullAware && best == unknown {
			best = no
		}
		mark := catalog.Int(int64(one(best == yes)))
		mark.Null = best == unknown
		switch {
		case c.kind == logical.Mark:
			out = append(out, append(slices.Clone(l), mark))
		case c.kind == logical.Semi && best == yes, c.kind == logical.Anti && best == no:
			out = append(out, l)
		case (c.kind == logical.Left || c.kind == logical.Single) && matches == 0:
			out = append(out, slices.Concat(l, nulls))
		}
	}
	return out, nil
}

// generator makes relations.
type generator struct {
	*rand.Rand
	nulls    float64 // share of NULLs in operands and v
	distinct int     // distinct operand values
	zipf     bool
	noNaN    bool // the evaluator of residuals has its own view of NaN
}

func (g *generator) relation(base, rows int, operands []types.Type) *relation {
	rel := &relation{cols: columnsOf(base, operands)}
	for i := range rows {
		row := []catalog.Datum{catalog.Int(int64(i))}
		for _, t := range operands {
			row = append(row, g.datum(t))
		}
		v := catalog.Int(g.Int64N(10))
		v.Null = g.Float64() < g.nulls
		rel.rows = append(rel.rows, append(row, v))
	}
	return rel
}

func (g *generator) datum(t types.Type) catalog.Datum {
	if g.Float64() < g.nulls || t.ID == types.Null {
		return catalog.NullOf(t)
	}
	x := g.IntN(g.distinct)
	if g.zipf {
		x = int(float64(g.distinct) * g.Float64() * g.Float64() * g.Float64() * g.Float64())
	}
	if d := valueOf(t, x); !g.noNaN || d.F64 == d.F64 {
		return d
	}
	return valueOf(t, x+1)
}
