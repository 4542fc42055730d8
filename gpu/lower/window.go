package lower

import (
	"errors"
	"fmt"
	"slices"

	"gsql/gpu/pipeline"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// Windows write their rows and sort the numbers of these. What follows is over the places of the order: a row
// at a place starts a partition, or a group of peers, if its keys differ from those of the row before, and the
// sums of these flags number the partitions. Aggregates over frames are differences of sums over all rows.
//
// For n rows, the sort moves 24 bytes a row for each byte of the keys, each sum 12 to 16, and each column that
// a function or the result needs is read at random, at 32 bytes a row: for 10^7 rows with keys of 8 bytes and
// three columns, 1.9 GB and 3*10^7 sectors, or 1.4 ms of an H100.

// windowing is the state of lowering one window operator.
type windowing struct {
	*lowering
	written *flow // the rows
	at      *flow // the places of the order
	count   int   // column of the number of rows
	order   int   // column of the rows' numbers, or pipeline.None if rows are at the places of their numbers
	size    int64 // space for rows

	place, row, rows *pipeline.Expr // a place, the number of the row there, and the number of all rows

	words  []int       // columns that the rows are sorted by
	ends   map[int]int // the number of words of so many keys
	levels map[int]*level
	sums   map[*pipeline.Expr]int // columns of sums
}

// level is a partition of the rows by the first keys.
type level struct {
	number     *pipeline.Expr // of the part of the row at a place
	first, end *pipeline.Expr // the first place of the part, and the one after its last
	sums       int            // column of the number of parts that start before a place; pipeline.None for one part
}

// newWindowing returns the state before a window operator.
func newWindowing(l *lowering) *windowing {
	return &windowing{lowering: l, ends: map[int]int{}, levels: map[int]*level{}, sums: map[*pipeline.Expr]int{}}
}

// window returns a flow over the places of an order, with the functions' values.
func (w *windowing) window(n *physical.Node, op *physical.Window) (*flow, error) {
	in := n.In[0]
	f, err := w.input(in)
	if err != nil {
		return nil, err
	}
	words, err := w.keyWords(f, op)
	if err == nil {
		err = w.sort(f, in, words)
	}
	if err != nil {
		return nil, err
	}
	values := make([]value, len(op.Funcs))
	for i := range op.Funcs {
		if values[i], err = w.function(&op.Funcs[i]); err != nil {
			return nil, err
		}
	}
	for i, v := range values {
		w.at.env[n.Cols[len(in.Cols)+i].ID] = &binding{done: true, v: v}
	}
	if op.Top > 0 {
		kept := w.Compare(pipeline.OpLE, values[op.TopBy].e, w.Int(op.Top))
		w.at.Stages = append(w.at.Stages, pipeline.Stage{Pred: kept, Selectivity: min(1, n.Est.Rows/max(in.Est.Rows, 1))})
	}
	return w.at, nil
}

// byPlace reports whether a function depends on the order of peers.
func byPlace(f *physical.WindowFunc) bool {
	switch f.Fn {
	case expr.Rank, expr.DenseRank, expr.PercentRank, expr.CumeDist:
		return false
	case expr.WindowAgg:
		return f.Frame.Unit == expr.Rows && (f.Frame.Start.Kind != expr.UnboundedPreceding || f.Frame.End.Kind != expr.UnboundedFollowing)
	}
	return true
}

// keyWords returns words of the order of the rows. Those of a function's partition and of its order are words
// of their own. Equal rows of a table are in its order if a function depends on that.
func (w *windowing) keyWords(f *flow, op *physical.Window) (words []*pipeline.Expr, err error) {
	var ends []int
	ties := false
	for i := range op.Funcs {
		fn := &op.Funcs[i]
		ends = append(ends, fn.Partition, fn.Order)
		ties = ties || byPlace(fn)
	}
	slices.Sort(ends)
	from := 0
	for _, to := range slices.Compact(ends) {
		digits, err := ordered{w.lowering}.digits(f.env, op.Keys[from:to])
		if err != nil {
			return nil, err
		}
		p, err := ordered{w.lowering}.packed(digits)
		if err != nil {
			return nil, err
		}
		words = append(words, p.words...)
		w.ends[to], from = len(words), to
	}
	if ties && f.Counted == pipeline.None {
		words = append(words, w.Row(pipeline.None, f.Rows, false))
	}
	return words, nil
}

// sort writes the rows of a flow of n's, and sorts them by words, which are never NULL.
func (w *windowing) sort(f *flow, n *physical.Node, words []*pipeline.Expr) (err error) {
	if w.written, err = w.materialised(f, n); err != nil {
		return err
	}
	if w.written.Rows > 1<<31-2 {
		return fmt.Errorf("%d rows are too many to sort", w.written.Rows)
	}
	w.count, w.order, w.size = w.written.Counted, pipeline.None, max(w.written.Rows, 1)
	sink := &w.Program.Pipelines[len(w.Program.Pipelines)-1].Sink
	for _, e := range words {
		width := 8
		if e.Min >= 0 && e.Max < 1<<32 {
			width = 4
		}
		c := w.array(width, w.size, 0, e.Min, e.Max)
		sink.Stores = append(sink.Stores, pipeline.Store{Column: c, Expr: e})
		w.words = append(w.words, c)
	}
	w.place = w.Row(pipeline.None, w.size, false)
	w.rows = w.between(w.Lookup(w.count, w.Int(0)), 0, w.size)
	w.row = w.place
	if len(words) > 0 {
		w.order = w.array(4, w.size, 0, 0, w.size-1)
		w.step(pipeline.Pipeline{Name: "order of " + f.Name, Sort: &pipeline.Sort{Words: w.words, Count: w.count, To: w.order}})
		w.row = w.Load(w.order, pipeline.None, false)
	}
	at := *w.written
	w.at = &at
	w.at.env = map[expr.ColID]*binding{}
	for id, b := range w.written.env {
		v, err := b.value()
		if err != nil {
			return err
		}
		w.at.env[id] = &binding{done: true, v: w.valueAt(v, w.row)}
	}
	return nil
}

// step adds a step over all rows.
func (w *windowing) step(p pipeline.Pipeline) {
	p.Rows, p.Counted = w.written.Rows, w.count
	w.Program.Pipelines = append(w.Program.Pipelines, p)
}

// exprAt returns an expression over a row's columns for the row of another number.
func (w *windowing) exprAt(e, row *pipeline.Expr) *pipeline.Expr {
	if e == nil {
		return nil
	}
	return w.Replace(e, func(e *pipeline.Expr) *pipeline.Expr {
		if e.Op == pipeline.OpLoad && e.At == pipeline.None {
			return w.Lookup(e.Column, row)
		}
		return nil
	})
}

// valueAt is exprAt for a value.
func (w *windowing) valueAt(v value, row *pipeline.Expr) value {
	v.e = w.exprAt(v.e, row)
	if v.sum != nil {
		s := *v.sum
		s.count, s.words = w.exprAt(s.count, row), nil
		for _, word := range v.sum.words {
			s.words = append(s.words, w.exprAt(word, row))
		}
		v.sum = &s
	}
	return v
}

// between returns an integer with bounds that it is known to have.
func (l *scalars) between(e *pipeline.Expr, least, most int64) *pipeline.Expr {
	return l.Extreme(pipeline.OpLess, l.Extreme(pipeline.OpGreater, e, l.Int(least)), l.Int(most))
}

// plus returns a sum of places, which cannot exceed 64 bits.
func (w *windowing) plus(x, y *pipeline.Expr) *pipeline.Expr { return w.exactly(pipeline.OpAdd, x, y) }

// minus returns a difference of places.
func (w *windowing) minus(x, y *pipeline.Expr) *pipeline.Expr { return w.exactly(pipeline.OpSub, x, y) }

// level returns the partition of the rows by the first keys.
func (w *windowing) level(keys int) *level {
	words := w.words[:w.ends[keys]]
	if v := w.levels[len(words)]; v != nil {
		return v
	}
	v := &level{number: w.Int(0), first: w.Int(0), end: w.rows, sums: pipeline.None}
	w.levels[len(words)] = v
	if len(words) == 0 {
		return v
	}
	before := w.Lookup(w.order, w.Extreme(pipeline.OpGreater, w.minus(w.place, w.Int(1)), w.Int(0)))
	differs := []*pipeline.Expr{w.Compare(pipeline.OpEQ, w.place, w.Int(0))}
	for _, c := range words {
		differs = append(differs, w.Compare(pipeline.OpNE, w.Lookup(c, w.row), w.Lookup(c, before)))
	}
	starts := w.array(4, w.size, 0, 0, 1)
	v.sums = w.summed(starts, w.ToInt(w.Or(differs...)), w.size)
	v.number = w.between(w.minus(w.sumBefore(v.sums, w.plus(w.place, w.Int(1))), w.Int(1)), 0, w.size-1)
	firsts := w.array(4, w.size+1, w.size, 0, w.size)
	w.step(pipeline.Pipeline{
		Name:   "starts of " + w.at.Name,
		Stages: []pipeline.Stage{{Pred: w.Compare(pipeline.OpEQ, w.Load(starts, pipeline.None, false), w.Int(1)), Selectivity: 1}},
		Sink:   pipeline.Sink{Op: pipeline.Put, Key: v.number, Stores: []pipeline.Store{{Column: firsts, Expr: w.place}}},
	})
	v.first = w.between(w.Lookup(firsts, v.number), 0, w.size-1)
	v.end = w.Extreme(pipeline.OpLess, w.Lookup(firsts, w.plus(v.number, w.Int(1))), w.rows)
	return v
}

// summed adds the steps that store an expression over places to a column and sum it up. The sums are at most
// total.
func (w *windowing) summed(column int, e *pipeline.Expr, total int64) (sums int) {
	w.step(pipeline.Pipeline{Name: "values of " + w.at.Name, Sink: pipeline.Sink{Op: pipeline.Put, Stores: []pipeline.Store{{Column: column, Expr: e}}}})
	sums = w.array(8, w.size+1, 0, 0, total)
	w.step(pipeline.Pipeline{Name: "sums of " + w.at.Name, Sums: &pipeline.Sums{Of: column, Count: w.count, To: sums}})
	return sums
}

// sumBefore returns the sum of what is before a place.
func (w *windowing) sumBefore(sums int, place *pipeline.Expr) *pipeline.Expr {
	return w.Lookup(sums, w.between(place, 0, w.size))
}

// sumsOf returns the column of the sums of an expression over places, which is not negative.
func (w *windowing) sumsOf(e *pipeline.Expr) (int, error) {
	if c, ok := w.sums[e]; ok {
		return c, nil
	}
	if e.Max > 0 && w.size > (1<<62-1)/e.Max {
		return 0, errors.New("sums of more than 62 bits over sorted rows have no device form")
	}
	width := 8
	if e.Max < 1<<32 {
		width = 4
	}
	c := w.summed(w.array(width, w.size, 0, 0, e.Max), e, e.Max*w.size)
	w.sums[e] = c
	return c, nil
}
