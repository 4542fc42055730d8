package window

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

var (
	bigint  = types.T(types.Int64)
	ubigint = types.T(types.Uint64)
	double  = types.T(types.Float64)
	dec     = types.Dec(20, 2)
	text    = types.T(types.String)
	null    = types.T(types.Null)
)

func rng() *rand.Rand { return rand.New(rand.NewPCG(7, 11)) }

// Columns of the relations: a partition key, two order keys and arguments.
const (
	part = iota
	order1
	order2
	ints
	uints
	floats
	decs
	texts
	nulls
)

func relation(key types.Type) *optest.Relation {
	return optest.New(1, bigint, key, text, bigint, ubigint, double, dec, text, null)
}

// populate adds rows of small integers and exact fractions, whose sums are exact, except for the
// decimals, some of which need 128 bits.
func populate(r *rand.Rand, rel *optest.Relation, n, domain, nullEvery int) *optest.Relation {
	rel.Fill(r, n, domain, nullEvery)
	for _, row := range rel.Rows {
		row[order2] = optest.Value(text, r.IntN(3))
	}
	return rel
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// build makes a case of functions over rel.
func build(rel *optest.Relation, plan *physical.Window) optest.Case {
	cols := rel.Cols
	id := expr.ColID(1000)
	for i := range plan.Funcs {
		cols = append(cols[:len(cols):len(cols)], logical.Column{ID: id, Name: plan.Funcs[i].String(), T: plan.Funcs[i].T})
		id++
	}
	n := &physical.Node{Op: plan, In: []*physical.Node{rel.Node()}, Cols: cols, Device: physical.CPU}
	o := oracle{rel: rel, plan: plan}
	return optest.Case{
		Inputs: []*optest.Relation{rel}, Want: o.rows(),
		Build: func(in []op.Operator) (op.Operator, error) { return New(n, in[0]) },
	}
}

// frameOf returns a frame; RANGE offsets are for a key of column order1.
func frameOf(rel *optest.Relation, unit expr.FrameUnit, start expr.BoundKind, m int64, end expr.BoundKind, n int64, desc bool) *expr.Frame {
	f := &expr.Frame{Unit: unit, Start: expr.Bound{Kind: start, N: m}, End: expr.Bound{Kind: end, N: n}}
	if unit != expr.Range {
		return f
	}
	for _, b := range []*expr.Bound{&f.Start, &f.End} {
		if b.Kind == expr.Preceding || b.Kind == expr.Following {
			fn := expr.FuncAdd
			if (b.Kind == expr.Preceding) != desc {
				fn = "-"
			}
			offset := &expr.Const{Value: catalog.Datum{Type: rel.Cols[order1].T, I64: b.N, F64: float64(b.N)}}
			b.Value = &expr.Call{Fn: fn, Args: []expr.Expr{rel.Col(order1), offset}, T: rel.Cols[order1].T, Pos: -1}
			f.Key, f.Desc = rel.Col(order1), desc
		}
	}
	return f
}

// someFrames returns frames of a unit: growing, shrinking, sliding, fixed and empty ones.
func someFrames(rel *optest.Relation, unit expr.FrameUnit, desc bool) []*expr.Frame {
	var out []*expr.Frame
	for _, b := range []struct {
		start expr.BoundKind
		m     int64
		end   expr.BoundKind
		n     int64
	}{
		{expr.UnboundedPreceding, 0, expr.CurrentRow, 0}, {expr.UnboundedPreceding, 0, expr.UnboundedFollowing, 0},
		{expr.CurrentRow, 0, expr.UnboundedFollowing, 0}, {expr.CurrentRow, 0, expr.CurrentRow, 0},
		{expr.Preceding, 2, expr.Following, 1}, {expr.Preceding, 20, expr.Following, 7}, {expr.Preceding, 5, expr.Preceding, 2},
		{expr.Following, 1, expr.Following, 4}, {expr.Preceding, 1, expr.Preceding, 3}, {expr.UnboundedPreceding, 0, expr.Preceding, 3},
		{expr.Following, 3, expr.UnboundedFollowing, 0}, {expr.Preceding, 1 << 40, expr.Following, 1 << 40}, {expr.Following, 1 << 40, expr.Following, 1 << 40},
		{expr.UnboundedPreceding, 0, expr.Following, 2}, {expr.Preceding, 0, expr.CurrentRow, 0},
	} {
		out = append(out, frameOf(rel, unit, b.start, b.m, b.end, b.n, desc))
	}
	return out
}

func windowAgg(fn expr.AggFn, args ...expr.Expr) *expr.WindowFunc {
	return must(expr.NewWindowAgg(fn, args, expr.DefaultIncrement))
}

// framed returns every function that uses frames, over all kinds of arguments. Arguments that
// NewAgg would convert already have the type it requires.
func framed(rel *optest.Relation) []*expr.WindowFunc {
	fs := []*expr.WindowFunc{
		windowAgg(expr.CountStar), windowAgg(expr.Count, rel.Col(texts)), windowAgg(expr.Count, rel.Col(nulls)),
		windowAgg(expr.BitAnd, rel.Col(uints)), windowAgg(expr.BitOr, rel.Col(uints)), windowAgg(expr.BitXor, rel.Col(uints)),
		windowAgg(expr.VarPop, rel.Col(floats)), windowAgg(expr.VarSamp, rel.Col(floats)),
		windowAgg(expr.StddevPop, rel.Col(floats)), windowAgg(expr.StddevSamp, rel.Col(floats)),
		expr.NewWindowFunc(expr.FirstValue, 0, rel.Col(ints)), expr.NewWindowFunc(expr.LastValue, 0, rel.Col(texts)),
		expr.NewWindowFunc(expr.NthValue, 3, rel.Col(floats)),
	}
	for _, c := range []int{ints, uints, floats, decs} {
		fs = append(fs, windowAgg(expr.Sum, rel.Col(c)), windowAgg(expr.Avg, rel.Col(c)))
	}
	for _, c := range []int{ints, uints, floats, decs, texts, nulls} {
		fs = append(fs, windowAgg(expr.Min, rel.Col(c)), windowAgg(expr.Max, rel.Col(c)))
	}
	return fs
}

func unframed(rel *optest.Relation) []*expr.WindowFunc {
	return []*expr.WindowFunc{
		expr.NewWindowFunc(expr.RowNumber, 0), expr.NewWindowFunc(expr.Rank, 0), expr.NewWindowFunc(expr.DenseRank, 0),
		expr.NewWindowFunc(expr.PercentRank, 0), expr.NewWindowFunc(expr.CumeDist, 0),
		expr.NewWindowFunc(expr.Ntile, 1), expr.NewWindowFunc(expr.Ntile, 4), expr.NewWindowFunc(expr.Ntile, 1<<40),
		expr.NewWindowFunc(expr.Lag, 1, rel.Col(ints)), expr.NewWindowFunc(expr.Lead, 2, rel.Col(texts)),
		expr.NewWindowFunc(expr.Lag, 0, rel.Col(decs)), expr.NewWindowFunc(expr.Lead, 1<<40, rel.Col(nulls)),
	}
}

// keys returns PARTITION BY part ORDER BY order1, order2.
func keys(rel *optest.Relation, desc bool) []expr.SortKey {
	return []expr.SortKey{{Expr: rel.Col(part)}, {Expr: rel.Col(order1), Desc: desc}, {Expr: rel.Col(order2), Desc: !desc}}
}

// TestRankings checks the functions without frames over windows that share one sort.
func TestRankings(t *testing.T) {
	r := rng()
	for _, n := range []int{0, 1, 2, 9, 300} {
		rel := populate(r, relation(bigint), n, 12, 9)
		plan := &physical.Window{Keys: keys(rel, n%2 == 0)}
		for _, f := range unframed(rel) {
			for _, over := range [][2]int{{0, 0}, {0, 1}, {1, 1}, {1, 2}, {1, 3}, {0, 3}} {
				plan.Funcs = append(plan.Funcs, physical.WindowFunc{WindowFunc: f, Partition: over[0], Order: over[1]})
			}
		}
		build(rel, plan).Run(t)
	}
}

// TestFrames checks every function over every kind of frame.
func TestFrames(t *testing.T) {
	r := rng()
	for _, unit := range []expr.FrameUnit{expr.Rows, expr.Range, expr.Groups} {
		for i, n := range []int{1, 8, 65, 100} {
			key := []types.Type{bigint, double, bigint, double}[i]
			rel := populate(r, relation(key), n, 30, 8*(i%2)+5)
			desc := i%2 == 1
			plan := &physical.Window{Keys: keys(rel, desc)}
			for k, frame := range someFrames(rel, unit, desc) {
				fs, partition := framed(rel), k%2
				if frame.Key != nil {
					partition = 1 // one order key remains
				}
				for j, f := range fs {
					if n > 8 && (j+k)%4 != 0 {
						continue // small sizes combine every function with every frame
					}
					f.Frame = frame
					plan.Funcs = append(plan.Funcs, physical.WindowFunc{WindowFunc: f, Partition: partition, Order: 2})
				}
			}
			if i == 1 {
				build(rel, plan).Run(t)
			} else {
				build(rel, plan).RunQuick(t)
			}
		}
	}
}

// TestPartitionsOfAllSizes computes windows over partitions of 1, 2, 3, ... rows, so that segment
// trees of all shapes are built, in several chunks.
func TestPartitionsOfAllSizes(t *testing.T) {
	r := rng()
	rel := relation(bigint)
	for size := 1; size <= 90; size++ {
		at := len(rel.Rows)
		populate(r, rel, size, 50, 6)
		for _, row := range rel.Rows[at:] {
			row[part] = catalog.Int(int64(size))
		}
	}
	plan := &physical.Window{Keys: keys(rel, false)}
	for _, f := range []*expr.WindowFunc{windowAgg(expr.Max, rel.Col(texts)), windowAgg(expr.Sum, rel.Col(floats)), windowAgg(expr.BitOr, rel.Col(uints))} {
		for _, n := range []int64{3, 11, 70} {
			g := *f
			g.Frame = frameOf(rel, expr.Rows, expr.Preceding, n, expr.Following, n/2, false)
			plan.Funcs = append(plan.Funcs, physical.WindowFunc{WindowFunc: &g, Partition: 1, Order: 2})
		}
	}
	build(rel, plan).RunQuick(t)
}

// TestManyChunks exceeds the chunks of positions that workers take: with many small partitions, and
// with partitions longer than a chunk.
func TestManyChunks(t *testing.T) {
	const n = 3*chunkRows + 17
	for _, size := range []int{1, 7, chunkRows, n} {
		rel := optest.New(1, bigint, bigint, bigint)
		for i := range n {
			rel.Rows = append(rel.Rows, []catalog.Datum{catalog.Int(int64(i / size)), catalog.Int(int64(-i)), catalog.Int(int64(i % 1000))})
		}
		sum := windowAgg(expr.Sum, rel.Col(2))
		sum.Frame = &expr.Frame{Start: expr.Bound{Kind: expr.Preceding, N: 2}, End: expr.Bound{Kind: expr.CurrentRow}}
		most := windowAgg(expr.Max, rel.Col(2))
		most.Frame = &expr.Frame{Start: expr.Bound{Kind: expr.CurrentRow}, End: expr.Bound{Kind: expr.Following, N: 3000}}
		plan := &physical.Window{Keys: []expr.SortKey{{Expr: rel.Col(0)}, {Expr: rel.Col(1)}}}
		for _, f := range []*expr.WindowFunc{expr.NewWindowFunc(expr.RowNumber, 0), sum, most} {
			plan.Funcs = append(plan.Funcs, physical.WindowFunc{WindowFunc: f, Partition: 1, Order: 2})
		}
		c := build(&optest.Relation{Cols: rel.Cols}, plan)
		c.Inputs, c.Want = []*optest.Relation{rel}, chunkAnswers(rel, plan, size)
		c.RunQuick(t)
	}
}

// chunkAnswers computes the expected rows of TestManyChunks from the way its rows are made: the
// order is that of descending row numbers within i / size.
func chunkAnswers(rel *optest.Relation, plan *physical.Window, size int) [][]catalog.Datum {
	n := len(rel.Rows)
	out := make([][]catalog.Datum, n)
	for i, row := range rel.Rows {
		last := min(i/size*size+size, n) - 1
		sum, most := int64(0), int64(-1)
		for j := i; j <= min(i+2, last); j++ {
			sum += rel.Rows[j][2].I64
		}
		first := max(i/size*size, i-3000)
		if i-first >= 1000 {
			most = 999 // a full cycle of the values
		}
		for j := i; j >= max(first, i-1000); j-- {
			most = max(most, rel.Rows[j][2].I64)
		}
		rank := catalog.Datum{Type: plan.Funcs[0].T, I64: int64(last - i + 1)}
		out[i] = []catalog.Datum{row[0], row[1], row[2], rank, {Type: plan.Funcs[1].T, Dec: decimal128.FromI64(sum)}, catalog.Int(most)}
	}
	return out
}

// TestOverflow checks that a sum that exceeds DECIMAL is error 1690.
func TestOverflow(t *testing.T) {
	rel := optest.New(1, bigint, types.Dec(38, 0))
	huge := must(hugeDecimal())
	for i := range 20 {
		rel.Rows = append(rel.Rows, []catalog.Datum{catalog.Int(int64(i)), huge})
	}
	for _, frame := range []*expr.Frame{
		{End: expr.Bound{Kind: expr.CurrentRow}},
		{Start: expr.Bound{Kind: expr.CurrentRow}, End: expr.Bound{Kind: expr.UnboundedFollowing}},
		{Start: expr.Bound{Kind: expr.Preceding, N: 11}, End: expr.Bound{Kind: expr.CurrentRow}},
	} {
		sum := windowAgg(expr.Sum, rel.Col(1))
		sum.Frame = frame
		plan := &physical.Window{Keys: []expr.SortKey{{Expr: rel.Col(0)}}, Funcs: []physical.WindowFunc{{WindowFunc: sum, Order: 1}}}
		c := build(&optest.Relation{Cols: rel.Cols}, plan)
		c.Inputs, c.Err = []*optest.Relation{rel}, 1690
		t.Run(fmt.Sprint(frame), c.Run)
	}
}

func hugeDecimal() (catalog.Datum, error) {
	x, err := decimal128.FromString("99999999999999999999999999999999999999", 38, 0)
	return catalog.Datum{Type: types.Dec(38, 0), Dec: x}, err
}
