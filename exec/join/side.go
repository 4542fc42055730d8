package join

import (
	"math"
	"slices"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"

	"gsql/planner/logical"
)

// sideSpec says what the join wants of the rows of one input.
type sideSpec struct {
	input []logical.Column // the columns that come
	at    []int            // the positions of the needed ones
	exprs []expr.Expr      // driving expressions
	keyAt []int            // position in the input where the expression is a plain column, else -1
	progs []*eval.Program  // nil where keyAt is set
}

// newSideSpec wants the columns of needed, in ascending order, and expressions.
func newSideSpec(input []logical.Column, needed []int, exprs []expr.Expr) (*sideSpec, error) {
	s := &sideSpec{input: input, at: needed, exprs: exprs, keyAt: make([]int, len(exprs)), progs: make([]*eval.Program, len(exprs))}
	for i, e := range exprs {
		s.keyAt[i] = -1
		if c, ok := e.(*expr.Col); ok {
			if s.keyAt[i] = slices.IndexFunc(input, func(in logical.Column) bool { return in.ID == c.ID }); s.keyAt[i] < 0 {
				return nil, sqlerr.Internal("join key %s is not a column of its side", e)
			}
			continue
		}
		p, err := eval.Compile(e, idsOf(input))
		if err != nil {
			return nil, err
		}
		s.progs[i] = p
	}
	return s, nil
}

func idsOf(cols []logical.Column) []expr.ColID {
	ids := make([]expr.ColID, len(cols))
	for i := range cols {
		ids[i] = cols[i].ID
	}
	return ids
}

// reader turns input batches into Sides, for one goroutine.
type reader struct {
	spec *sideSpec
	evs  []*eval.Evaluator
	side Side
}

func (s *sideSpec) reader(ctx *op.Ctx) *reader {
	r := &reader{spec: s, evs: make([]*eval.Evaluator, len(s.progs))}
	for i, p := range s.progs {
		if p != nil {
			r.evs[i] = p.NewEvaluator(ctx.Eval)
		}
	}
	r.side.Cols = make([]*vec.Vector, len(s.at))
	r.side.Keys = make([]*vec.Vector, len(s.exprs))
	return r
}

// read gives b as a Side, valid until the next call and no longer than b.
func (r *reader) read(b *vec.Batch) (*Side, error) {
	r.side.Rows = b.N
	for i, at := range r.spec.at {
		r.side.Cols[i] = b.Cols[at]
	}
	for i, at := range r.spec.keyAt {
		if at >= 0 {
			r.side.Keys[i] = b.Cols[at]
			continue
		}
		v, err := r.evs[i].Eval(b)
		if err != nil {
			return nil, err
		}
		r.side.Keys[i] = v
	}
	return &r.side, nil
}

// stored tells how a Side is laid out in a column store: the needed columns, then
// those keys that are not among them; keyCol has the store column of each key.
func (s *sideSpec) stored() (ts []types.Type, keyCol []int) {
	ts, keyCol = make([]types.Type, 0, len(s.at)+len(s.keyAt)), make([]int, 0, len(s.keyAt))
	for _, at := range s.at {
		ts = append(ts, s.input[at].T)
	}
	for i, at := range s.keyAt {
		col := -1
		if at >= 0 {
			if col = slices.Index(s.at, at); col < 0 {
				if same := slices.Index(s.keyAt[:i], at); same >= 0 {
					col = keyCol[same]
				}
			}
		}
		if col < 0 {
			col = len(ts)
			ts = append(ts, s.exprs[i].Type())
		}
		keyCol = append(keyCol, col)
	}
	return ts, keyCol
}

// collect reads in, which must be open, to its end with all workers and gives its
// rows as one Side, whose memory the store holds.
func (s *sideSpec) collect(ctx *op.Ctx, in op.Operator, acct *mem.Account) (*Side, *colstore.Store, error) {
	ts, keyCol := s.stored()
	piles := make([]*pile, max(ctx.Workers, 1))
	err := op.Drain(ctx, in, func(w int, stream op.Stream) error {
		piles[w] = newPile(ts, acct)
		return s.fill(ctx, stream, keyCol, piles[w].Append)
	})
	var stores []*colstore.Store
	for _, p := range piles {
		if p != nil {
			stores = append(stores, p.stores...)
		}
	}
	if err != nil {
		for _, st := range stores {
			st.Free()
		}
		return nil, nil, err
	}
	return s.whole(ctx, stores, ts, keyCol, acct)
}

// whole makes one Side of what workers collected; stores may be nil.
func (s *sideSpec) whole(ctx *op.Ctx, stores []*colstore.Store, ts []types.Type, keyCol []int, acct *mem.Account) (*Side, *colstore.Store, error) {
	if len(stores) == 0 || stores[0] == nil {
		stores = append(stores, colstore.New(ts, acct))
	}
	if _, rows := colstore.ConcatBytes(stores...); rows > math.MaxInt32 {
		return nil, nil, sqlerr.New(sqlerr.OutOfMemory, "Out of memory; a join keeps %d rows of one input, and numbers %d at most", rows, math.MaxInt32)
	}
	all, err := colstore.Concat(ctx, stores...)
	if err != nil {
		return nil, nil, err
	}
	cols := all.Columns()
	for _, c := range cols {
		c.Fixed = true
	}
	side := &Side{Rows: all.Rows(), Cols: cols[:len(s.at)]}
	for _, c := range keyCol {
		side.Keys = append(side.Keys, cols[c])
	}
	return side, all, nil
}

// fill gives keep the rows of a stream as they are stored.
func (s *sideSpec) fill(ctx *op.Ctx, stream op.Stream, keyCol []int, keep func(*vec.Batch) error) error {
	r := s.reader(ctx)
	var row vec.Batch
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := stream.Next()
		if err != nil || b == nil {
			return err
		}
		side, err := r.read(b)
		if err != nil {
			return err
		}
		row.N, row.Morsel = b.N, b.Morsel
		row.Cols = append(row.Cols[:0], side.Cols...)
		for i, col := range keyCol {
			if col == len(row.Cols) {
				row.Cols = append(row.Cols, side.Keys[i])
			}
		}
		if err := keep(&row); err != nil {
			return err
		}
	}
}
