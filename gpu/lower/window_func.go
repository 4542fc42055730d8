package lower

import (
	"errors"
	"fmt"

	"gsql/gpu/pipeline"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// function returns a function's value at a place.
func (w *windowing) function(f *physical.WindowFunc) (value, error) {
	part := w.level(f.Partition)
	one := w.Int(1)
	before := w.minus(w.place, part.first) // rows of the partition before this one
	size := w.Extreme(pipeline.OpGreater, w.minus(part.end, part.first), one)
	switch f.Fn {
	case expr.RowNumber:
		return value{e: w.plus(before, one)}, nil
	case expr.Rank:
		return value{e: w.plus(w.minus(w.level(f.Order).first, part.first), one)}, nil
	case expr.DenseRank:
		return value{e: w.denseRank(w.level(f.Order), part)}, nil
	case expr.PercentRank:
		others := w.Extreme(pipeline.OpGreater, w.minus(size, one), one)
		return w.share(w.minus(w.level(f.Order).first, part.first), others)
	case expr.CumeDist:
		return w.share(w.minus(w.level(f.Order).end, part.first), size)
	case expr.Ntile:
		return w.ntile(before, size, f.N)
	case expr.Lag:
		return w.valueOf(f, w.minus(w.place, w.Int(f.N)), part.first, part.end)
	case expr.Lead:
		return w.valueOf(f, w.plus(w.place, w.Int(f.N)), part.first, part.end)
	}
	return w.framed(f, part)
}

// denseRank returns the number of groups of peers up to a row's own in its partition.
func (w *windowing) denseRank(peers, part *level) *pipeline.Expr {
	one := w.Int(1)
	if peers.sums == pipeline.None {
		return one
	}
	up := w.sumBefore(peers.sums, w.plus(w.place, one))
	return w.between(w.plus(w.minus(up, w.sumBefore(peers.sums, w.plus(part.first, one))), one), 1, w.size)
}

// share returns a quotient of numbers of rows.
func (w *windowing) share(of, all *pipeline.Expr) (value, error) {
	e, err := w.Quotient(pipeline.OpQuo, w.ToFloat(of), w.ToFloat(all))
	return value{e: e}, err
}

// ntile returns the number of a bucket: the first ones have one row more than the others.
func (w *windowing) ntile(before, size *pipeline.Expr, buckets int64) (value, error) {
	if buckets <= 0 {
		return value{}, errors.New("NTILE of NULL has no device form")
	}
	each, err := w.Quotient(pipeline.OpQuo, size, w.Int(buckets))
	if err != nil {
		return value{}, err
	}
	rest, err := w.Quotient(pipeline.OpRem, size, w.Int(buckets))
	if err != nil {
		return value{}, err
	}
	more := w.plus(each, w.Int(1))
	large := w.exactly(pipeline.OpMul, rest, more) // rows in buckets that have one more
	inLarge, err := w.Quotient(pipeline.OpQuo, before, more)
	if err != nil {
		return value{}, err
	}
	inOthers, err := w.Quotient(pipeline.OpQuo, w.minus(before, large), w.Extreme(pipeline.OpGreater, each, w.Int(1)))
	if err != nil {
		return value{}, err
	}
	e := w.If(w.Compare(pipeline.OpLT, before, large), inLarge, w.plus(rest, inOthers))
	return value{e: w.plus(e, w.Int(1))}, nil
}

// valueOf returns a function's argument for the row at another place, or NULL if that is not among the places
// from first to before end.
func (w *windowing) valueOf(f *physical.WindowFunc, place, first, end *pipeline.Expr) (value, error) {
	v, err := w.scalar(w.written.env, f.Args[0])
	if err == nil {
		v, err = w.settled(v)
	}
	switch {
	case err != nil:
		return v, err
	case v.e == nil || v.literal != nil:
		return v, errText
	}
	row := w.between(place, 0, w.size-1)
	if w.order != pipeline.None {
		row = w.Lookup(w.order, row)
	}
	v = w.valueAt(v, row)
	there := w.And(w.Compare(pipeline.OpGE, place, first), w.Compare(pipeline.OpLT, place, end))
	v.e = w.If(there, v.e, w.Null(v.e.Kind))
	return v, nil
}

// framed returns a function over the rows of a frame.
func (w *windowing) framed(f *physical.WindowFunc, part *level) (value, error) {
	fr, err := w.frameOf(f, part)
	if err != nil {
		return value{}, err
	}
	switch f.Fn {
	case expr.FirstValue:
		return w.valueOf(f, fr.first, fr.first, fr.end)
	case expr.LastValue:
		return w.valueOf(f, w.minus(fr.end, w.Int(1)), fr.first, fr.end)
	case expr.NthValue:
		return w.valueOf(f, w.plus(fr.first, w.Int(f.N-1)), fr.first, fr.end)
	case expr.WindowAgg:
	default:
		return value{}, fmt.Errorf("%s has no device form", f)
	}
	a := &expr.Agg{Fn: f.Agg, Args: f.Args, T: f.T}
	if fr.first == part.first && fr.end == part.end {
		return w.overPartition(a, part)
	}
	return fr.aggregate(a)
}

// overPartition returns an aggregate of the rows of a partition.
func (w *windowing) overPartition(a *expr.Agg, part *level) (value, error) {
	at := *w.at
	g := &grouping{lowering: w.lowering, f: &at, key: part.number, slots: w.size, index: w.addDirect(w.size)}
	v, err := g.aggregate(a)
	if err != nil {
		return v, err
	}
	g.finish()
	return w.valueAt(v, part.number), nil
}

// frame holds the places of a frame of a row: from first to before end.
type frame struct {
	*windowing
	first, end *pipeline.Expr
	empty      bool   // it may have no rows
	of         string // what it is of, in errors
	err        error
}

// frameOf returns the frame of a function.
func (w *windowing) frameOf(f *physical.WindowFunc, part *level) (*frame, error) {
	first, errFirst := w.bound(f, &f.Frame.Start, part, false)
	end, errEnd := w.bound(f, &f.Frame.End, part, true)
	if err := errors.Join(errFirst, errEnd); err != nil {
		return nil, err
	}
	fr := &frame{windowing: w, first: first, end: end, of: "over frames"}
	if fr.empty = f.Frame.Start.Kind > expr.CurrentRow || f.Frame.End.Kind < expr.CurrentRow; fr.empty {
		fr.end = w.Extreme(pipeline.OpGreater, end, first)
	}
	return fr, nil
}

// bound returns the place of a bound of a frame: for its end, the one after its last row.
func (w *windowing) bound(f *physical.WindowFunc, b *expr.Bound, part *level, isEnd bool) (*pipeline.Expr, error) {
	away := b.N
	switch b.Kind {
	case expr.UnboundedPreceding:
		return part.first, nil
	case expr.UnboundedFollowing:
		return part.end, nil
	case expr.CurrentRow:
		switch peers := w.peers(f); {
		case peers == nil:
			away = 0
		case isEnd:
			return peers.end, nil
		default:
			return peers.first, nil
		}
	case expr.Preceding:
		away = -away
	}
	if f.Frame.Unit != expr.Rows {
		return nil, errors.New("a frame of values or groups near a row has no device form")
	}
	if isEnd {
		away++
	}
	if away < -w.size-1 || away > w.size+1 {
		away = max(-w.size-1, min(away, w.size+1))
	}
	place := w.plus(w.place, w.Int(away))
	return w.Extreme(pipeline.OpLess, w.Extreme(pipeline.OpGreater, place, part.first), part.end), nil
}

// peers returns the groups of peers of a function whose frames end at these, or nil if they end at rows.
func (w *windowing) peers(f *physical.WindowFunc) *level {
	if f.Frame.Unit == expr.Rows {
		return nil
	}
	return w.level(f.Order)
}

// aggregate returns an aggregate of the frame's rows.
func (fr *frame) aggregate(a *expr.Agg) (value, error) {
	switch a.Fn {
	case expr.CountStar, expr.Count:
	case expr.Sum, expr.Avg:
		v, err := fr.scalar(fr.at.env, a.Args[0])
		if err == nil {
			v, err = fr.settled(v)
		}
		switch {
		case err != nil:
			return value{}, err
		case v.e != nil && v.e.Kind != pipeline.Int && v.e.Kind != pipeline.Bool:
			return value{}, fmt.Errorf("%s %s has no device form", a, fr.of)
		}
	default:
		return value{}, fmt.Errorf("%s %s has no device form", a, fr.of)
	}
	g := &grouping{lowering: fr.lowering, f: fr.at, unkeyed: fr.empty, frame: fr}
	v, err := g.aggregate(a)
	if err == nil {
		err = fr.err
	}
	return v, err
}

// accumulated returns what an accumulator would be after the frame's rows.
func (fr *frame) accumulated(op pipeline.AccOp, arg *pipeline.Expr, least, most int64) *pipeline.Expr {
	e, err := fr.difference(op, arg)
	if err != nil {
		fr.err = err
		return fr.Int(0)
	}
	return fr.between(e, least, most)
}

func (fr *frame) difference(op pipeline.AccOp, arg *pipeline.Expr) (*pipeline.Expr, error) {
	switch op {
	case pipeline.CountRows:
		return fr.minus(fr.end, fr.first), nil
	case pipeline.Count:
		return fr.sum(fr.ToInt(fr.Not(fr.IsNull(arg))))
	case pipeline.Sum:
		return fr.signed(arg)
	case pipeline.SumLow, pipeline.SumHigh:
		high, low, err := fr.halvesOf(arg)
		if err != nil || op == pipeline.SumHigh {
			return fr.signedOr(high, err)
		}
		return fr.signed(low)
	}
	return nil, errors.New("an aggregate over frames has no device form")
}

// signedOr is signed, unless there is an error.
func (fr *frame) signedOr(e *pipeline.Expr, err error) (*pipeline.Expr, error) {
	if err != nil {
		return nil, err
	}
	return fr.signed(e)
}

// halvesOf returns the upper and the lower 32 bits of an integer.
func (fr *frame) halvesOf(e *pipeline.Expr) (high, low *pipeline.Expr, err error) {
	g := &grouping{lowering: fr.lowering}
	pieces, _, err := g.halvesOf(e)
	if err != nil {
		return nil, nil, err
	}
	return pieces[0], pieces[1], nil
}

// signed returns the sum of an integer, of which the least value is added for each row afterwards if it is
// negative.
func (fr *frame) signed(e *pipeline.Expr) (*pipeline.Expr, error) {
	least := min(e.Min, 0)
	part, err := fr.Arith(pipeline.OpSub, e, fr.Int(least))
	if err != nil {
		return nil, err
	}
	if e.Nullable {
		part = fr.If(fr.IsNull(e), fr.Int(0), part)
	}
	total, err := fr.sum(part)
	if err != nil || least == 0 {
		return total, err
	}
	there, err := fr.difference(pipeline.CountRows, nil)
	if e.Nullable && err == nil {
		there, err = fr.difference(pipeline.Count, e)
	}
	if err != nil {
		return nil, err
	}
	below, err := fr.Arith(pipeline.OpMul, fr.between(there, 0, fr.size), fr.Int(least))
	if err != nil {
		return nil, err
	}
	return fr.Arith(pipeline.OpAdd, total, below)
}

// sum returns the sum of an integer that is not negative.
func (fr *frame) sum(e *pipeline.Expr) (*pipeline.Expr, error) {
	sums, err := fr.sumsOf(e)
	if err != nil {
		return nil, err
	}
	most := e.Max * fr.size
	return fr.between(fr.minus(fr.sumBefore(sums, fr.end), fr.sumBefore(sums, fr.first)), 0, most), nil
}
