package window

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// oracle evaluates window functions by their definitions: for each row it examines every row of
// the partition. Keys and arguments are columns.
type oracle struct {
	rel  *optest.Relation
	plan *physical.Window
}

func (o *oracle) column(e expr.Expr) int {
	return slices.IndexFunc(o.rel.Cols, func(c logical.Column) bool { return c.ID == e.(*expr.Col).ID })
}

// rows returns the result: rows in any order, with the functions after the columns.
func (o *oracle) rows() [][]catalog.Datum {
	out := make([][]catalog.Datum, len(o.rel.Rows))
	for i, row := range o.rel.Rows {
		out[i] = slices.Clone(row)
	}
	for i := range o.plan.Funcs {
		f := &o.plan.Funcs[i]
		for r, v := range o.function(f) {
			out[r] = append(out[r], v)
		}
	}
	return out
}

// function returns the function's value for each row.
func (o *oracle) function(f *physical.WindowFunc) []catalog.Datum {
	out := make([]catalog.Datum, len(o.rel.Rows))
	done := make([]bool, len(out))
	for r := range out {
		if done[r] {
			continue
		}
		var part []int // rows of the partition
		for s := range out {
			if o.compare(r, s, o.plan.Keys[:f.Partition]) == 0 {
				part = append(part, s)
			}
		}
		// Peers keep the order of the whole sort.
		slices.SortStableFunc(part, func(a, b int) int { return o.compare(a, b, o.plan.Keys) })
		w := oneWindow{o: o, f: f, part: part, order: o.plan.Keys[f.Partition:f.Order], groups: make([]int, len(part))}
		for i := 1; i < len(part); i++ {
			w.groups[i] = w.groups[i-1]
			if o.compare(part[i-1], part[i], w.order) != 0 {
				w.groups[i]++
			}
		}
		for i, row := range part {
			out[row], done[row] = w.value(i), true
		}
	}
	return out
}

func (o *oracle) compare(a, b int, keys []expr.SortKey) int {
	for _, k := range keys {
		c := o.column(k.Expr)
		if d := compareDatums(o.rel.Rows[a][c], o.rel.Rows[b][c]); d != 0 {
			if k.Desc {
				return -d
			}
			return d
		}
	}
	return 0
}

func compareDatums(a, b catalog.Datum) int {
	switch {
	case a.Null || b.Null:
		return cmp.Compare(truth(b.Null), truth(a.Null))
	case a.Type.Kind() == types.KindStr:
		return cmp.Compare(a.Str, b.Str)
	case a.Type.Kind() == types.KindI64:
		return cmp.Compare(a.I64, b.I64)
	case a.Type.Kind() == types.KindF64:
		return cmp.Compare(a.F64, b.F64)
	}
	return number(a).Cmp(number(b))
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// number returns the exact value.
func number(d catalog.Datum) *big.Rat {
	switch d.Type.Kind() {
	case types.KindF64:
		return new(big.Rat).SetFloat64(d.F64)
	case types.KindDec:
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Type.Scale)), nil)
		return new(big.Rat).SetFrac(d.Dec.BigInt(), scale)
	case types.KindU64:
		return new(big.Rat).SetFrac(new(big.Int).SetUint64(uint64(d.I64)), big.NewInt(1))
	}
	return new(big.Rat).SetInt64(d.I64)
}

// oneWindow is one partition, in order.
type oneWindow struct {
	o     *oracle
	f     *physical.WindowFunc
	part  []int
	order []expr.SortKey
	// groups holds for each row the number of groups of peers before its own.
	groups []int
}

func (w *oneWindow) peers(i, j int) bool { return w.groups[i] == w.groups[j] }

// inFrame reports whether row j is in the frame of row i.
func (w *oneWindow) inFrame(i, j int) bool {
	return w.beyond(i, j, w.f.Frame.Start, -1) && w.beyond(i, j, w.f.Frame.End, 1)
}

// beyond reports whether row j is on the inner side of a bound of row i; side is -1 for
// the start and 1 for the end.
func (w *oneWindow) beyond(i, j int, b expr.Bound, side int) bool {
	var offset *big.Rat
	switch b.Kind {
	case expr.UnboundedPreceding, expr.UnboundedFollowing:
		return true
	case expr.CurrentRow:
		offset = new(big.Rat)
	case expr.Preceding:
		offset = new(big.Rat).Neg(w.offset(b))
	case expr.Following:
		offset = w.offset(b)
	}
	d := new(big.Rat)
	switch {
	case w.f.Frame.Unit == expr.Rows:
		d.SetInt64(int64(j - i))
	case w.f.Frame.Unit == expr.Groups || b.Kind == expr.CurrentRow:
		d.SetInt64(int64(w.groups[j] - w.groups[i]))
	default:
		c := w.o.column(w.order[0].Expr)
		x, y := w.o.rel.Rows[w.part[i]][c], w.o.rel.Rows[w.part[j]][c]
		if x.Null || y.Null {
			// NULLs are in each other's frames as peers; otherwise a NULL compares by where it is
			// sorted.
			d.SetInt64(int64(cmp.Compare(w.groups[j], w.groups[i])))
			return x.Null && y.Null || d.Sign()*side < 0
		}
		d.Sub(number(y), number(x))
		if w.order[0].Desc {
			d.Neg(d)
		}
	}
	return d.Cmp(offset)*side <= 0
}

// offset returns the distance of a bound. For RANGE, it is the constant in key + constant.
func (w *oneWindow) offset(b expr.Bound) *big.Rat {
	if b.Value == nil {
		return new(big.Rat).SetInt64(b.N)
	}
	return number(b.Value.(*expr.Call).Args[1].(*expr.Const).Value)
}

func (w *oneWindow) value(i int) catalog.Datum {
	n := len(w.part)
	first := i
	for first > 0 && w.peers(first-1, i) {
		first--
	}
	last := i
	for last < n-1 && w.peers(i, last+1) {
		last++
	}
	unsigned := func(x int) catalog.Datum { return catalog.Datum{Type: types.T(types.Uint64), I64: int64(x)} }
	double := func(x float64) catalog.Datum { return catalog.Datum{Type: types.T(types.Float64), F64: x} }
	switch w.f.Fn {
	case expr.RowNumber:
		return unsigned(i + 1)
	case expr.Rank:
		return unsigned(first + 1)
	case expr.DenseRank:
		return unsigned(w.groups[i] + 1)
	case expr.PercentRank:
		if n == 1 {
			return double(0)
		}
		return double(float64(first) / float64(n-1))
	case expr.CumeDist:
		return double(float64(last+1) / float64(n))
	case expr.Ntile:
		for bucket, at := 0, 0; ; bucket++ {
			at += n / int(w.f.N)
			if bucket < n%int(w.f.N) {
				at++
			}
			if i < at {
				return unsigned(bucket + 1)
			}
		}
	case expr.Lag:
		return w.arg(i - int(w.f.N))
	case expr.Lead:
		return w.arg(i + int(w.f.N))
	}
	var frame []int
	for j := range w.part {
		if w.inFrame(i, j) {
			frame = append(frame, j)
		}
	}
	return w.overFrame(frame)
}

func (w *oneWindow) arg(j int) catalog.Datum {
	c := w.o.column(w.f.Args[0])
	if j < 0 || j >= len(w.part) {
		return catalog.NullOf(w.f.T)
	}
	return w.o.rel.Rows[w.part[j]][c]
}

func (w *oneWindow) overFrame(frame []int) catalog.Datum {
	switch w.f.Fn {
	case expr.FirstValue:
		frame = append(frame, -1)
		return w.arg(frame[0])
	case expr.LastValue:
		return w.arg(append([]int{-1}, frame...)[len(frame)])
	case expr.NthValue:
		if int(w.f.N) > len(frame) {
			return catalog.NullOf(w.f.T)
		}
		return w.arg(frame[w.f.N-1])
	}
	if w.f.Agg == expr.CountStar {
		return catalog.Int(int64(len(frame)))
	}
	var vals []catalog.Datum
	for _, j := range frame {
		if d := w.arg(j); !d.Null {
			vals = append(vals, d)
		}
	}
	return w.aggregate(vals)
}

// aggregate evaluates the aggregate over values that are not NULL.
func (w *oneWindow) aggregate(vals []catalog.Datum) catalog.Datum {
	sum := new(big.Rat)
	and, or, xor := ^uint64(0), uint64(0), uint64(0)
	for _, d := range vals {
		if d.Type.Kind() != types.KindStr {
			sum.Add(sum, number(d))
		}
		and, or, xor = and&uint64(d.I64), or|uint64(d.I64), xor^uint64(d.I64)
	}
	n := int64(len(vals))
	switch w.f.Agg {
	case expr.Count:
		return catalog.Int(n)
	case expr.BitAnd:
		return catalog.Datum{Type: w.f.T, I64: int64(and)}
	case expr.BitOr:
		return catalog.Datum{Type: w.f.T, I64: int64(or)}
	case expr.BitXor:
		return catalog.Datum{Type: w.f.T, I64: int64(xor)}
	}
	if n == 0 {
		return catalog.NullOf(w.f.T)
	}
	switch w.f.Agg {
	case expr.Min:
		return slices.MinFunc(vals, compareDatums)
	case expr.Max:
		return slices.MaxFunc(vals, compareDatums)
	case expr.Sum:
		return rounded(sum, w.f.T)
	case expr.Avg:
		return rounded(sum.Quo(sum, new(big.Rat).SetInt64(n)), w.f.T)
	}
	return w.variance(vals, sum)
}

func (w *oneWindow) variance(vals []catalog.Datum, sum *big.Rat) catalog.Datum {
	n := int64(len(vals))
	mean := new(big.Rat).Quo(sum, new(big.Rat).SetInt64(n))
	squares := new(big.Rat)
	for _, d := range vals {
		x := new(big.Rat).Sub(number(d), mean)
		squares.Add(squares, x.Mul(x, x))
	}
	if w.f.Agg == expr.VarSamp || w.f.Agg == expr.StddevSamp {
		n--
	}
	if n == 0 {
		return catalog.NullOf(w.f.T)
	}
	x, _ := squares.Quo(squares, new(big.Rat).SetInt64(n)).Float64()
	if w.f.Agg == expr.StddevPop || w.f.Agg == expr.StddevSamp {
		x = math.Sqrt(x)
	}
	return catalog.Datum{Type: w.f.T, F64: x}
}

// rounded returns a number in type t, decimals rounded half away from zero.
func rounded(x *big.Rat, t types.Type) catalog.Datum {
	d := catalog.Datum{Type: t}
	if t.Kind() == types.KindF64 {
		d.F64, _ = x.Float64()
		return d
	}
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil)))
	whole, _ := new(big.Int).SetString(scaled.FloatString(0), 10)
	d.Dec = decimal128.FromBigInt(whole)
	return d
}
