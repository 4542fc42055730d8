package input

import (
	"math"
	"slices"

	"gsql/exec/colstore"
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Spec lists the columns and expressions of an input that a join reads.
type Spec struct {
	Columns []logical.Column // of the input
	At      []int            // positions of the needed columns, ascending
	Exprs   []expr.Expr      // driving expressions
	keyAt   []int            // position in the input if the expression is a plain column, otherwise -1
	progs   []*eval.Program  // nil for plain columns
}

// NewSpec compiles the expressions. needed lists the positions of the needed columns, ascending.
func NewSpec(input []logical.Column, needed []int, exprs []expr.Expr) (*Spec, error) {
	s := &Spec{Columns: input, At: needed, Exprs: exprs, keyAt: make([]int, len(exprs)), progs: make([]*eval.Program, len(exprs))}
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

// Reader reads batches as Sides in one goroutine. It implements match.BatchReader.
type Reader struct {
	spec *Spec
	evs  []*eval.Evaluator
	side match.Side
}

// NewReader makes a Reader.
func (s *Spec) NewReader(ctx *op.Ctx) *Reader {
	r := &Reader{spec: s, evs: make([]*eval.Evaluator, len(s.progs))}
	for i, p := range s.progs {
		if p != nil {
			r.evs[i] = p.NewEvaluator(ctx.Eval)
		}
	}
	r.side.Cols = make([]*vec.Vector, len(s.At))
	r.side.Keys = make([]*vec.Vector, len(s.Exprs))
	return r
}

// Free releases the memory of computed keys. The Reader must not be used again.
func (r *Reader) Free() {
	for _, ev := range r.evs {
		if ev != nil {
			ev.Free()
		}
	}
}

// Read returns b as a Side, which is valid until the next call and no longer than b.
func (r *Reader) Read(b *vec.Batch) (*match.Side, error) {
	r.side.Rows = b.N
	for i, at := range r.spec.At {
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

// Layout returns the types of the columns in which a Side is stored, and the stored column of
// each key. The needed columns come first, followed by the keys that are not among them.
func (s *Spec) Layout() (ts []types.Type, keyCol []int) {
	ts, keyCol = make([]types.Type, 0, len(s.At)+len(s.keyAt)), make([]int, 0, len(s.keyAt))
	for _, at := range s.At {
		ts = append(ts, s.Columns[at].T)
	}
	for i, at := range s.keyAt {
		col := -1
		if at >= 0 {
			if col = slices.Index(s.At, at); col < 0 {
				if same := slices.Index(s.keyAt[:i], at); same >= 0 {
					col = keyCol[same]
				}
			}
		}
		if col < 0 {
			col = len(ts)
			ts = append(ts, s.Exprs[i].Type())
		}
		keyCol = append(keyCol, col)
	}
	return ts, keyCol
}

// Collect reads in, which must be open, to its end with all workers. It returns its rows as a
// Side that uses the memory of the store.
func (s *Spec) Collect(ctx *op.Ctx, in op.Operator, acct *mem.Account) (*match.Side, *colstore.Store, error) {
	ts, keyCol := s.Layout()
	piles := make([]*Pile, max(ctx.Workers, 1))
	err := op.Drain(ctx, in, func(w int, stream op.Stream) error {
		piles[w] = NewPile(ts, acct)
		return s.Read(ctx, stream, keyCol, piles[w].Append)
	})
	var stores []*colstore.Store
	for _, p := range piles {
		if p != nil {
			stores = append(stores, p.Stores...)
		}
	}
	if err != nil {
		for _, st := range stores {
			st.Free()
		}
		return nil, nil, err
	}
	return s.Concat(ctx, stores, ts, keyCol, acct)
}

// Concat returns what the workers collected as one Side; stores may be nil.
func (s *Spec) Concat(ctx *op.Ctx, stores []*colstore.Store, ts []types.Type, keyCol []int, acct *mem.Account) (*match.Side, *colstore.Store, error) {
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
	side := &match.Side{Rows: all.Rows(), Cols: cols[:len(s.At)]}
	for _, c := range keyCol {
		side.Keys = append(side.Keys, cols[c])
	}
	return side, all, nil
}

// Read passes the rows of a stream to keep, in the stored layout.
func (s *Spec) Read(ctx *op.Ctx, stream op.Stream, keyCol []int, keep func(*vec.Batch) error) error {
	r := s.NewReader(ctx)
	defer r.Free()
	var row vec.Batch
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := stream.Next()
		if err != nil || b == nil {
			return err
		}
		side, err := r.Read(b)
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
