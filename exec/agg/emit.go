package agg

import (
	"sync/atomic"

	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/sql/vec"
)

// chunk is a run of groups that make one output batch.
type chunk struct {
	part   *groups
	lo, hi int
}

// emission is the state of the emitting phase.
type emission struct {
	chunks []chunk
	cursor atomic.Int64 // the next chunk
}

// beginEmitting finishes the states and cuts the groups into output batches.
func (o *Operator) beginEmitting() error {
	o.phase = emitting
	if err := o.finishStates(); err != nil {
		return err
	}
	for _, p := range o.parts {
		o.emission.chunks = append(o.emission.chunks, chunksOf(p, o.ctx.Rows())...)
	}
	return nil
}

func (o *Operator) finishStates() error {
	var next atomic.Int64
	arbiter := o.sets.Begin()
	defer o.sets.End()
	ctx, workers := o.ctx, min(o.ctx.Workers, len(o.parts))
	if workers > 1 {
		ctx = alone(ctx)
	}
	return op.Parallel(o.ctx, workers, func(int) error {
		arbiter.Begin()
		defer arbiter.End(nil)
		for {
			i := int(next.Add(1)) - 1
			if i >= len(o.parts) {
				return nil
			}
			if err := o.parts[i].apart().finish(ctx); err != nil {
				return err
			}
			arbiter.Freed()
		}
	})
}

// alone returns a copy of ctx for the work of a single worker.
func alone(ctx *op.Ctx) *op.Ctx {
	one := *ctx
	one.Workers = 1
	return &one
}

// finish finishes the states of all aggregates.
func (g *groups) finish(ctx *op.Ctx) error {
	for _, s := range g.states {
		if err := s.Finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stream returns the chunks that no other stream has taken.
type stream struct{ output }

// Next implements op.Stream.
func (s *stream) Next() (*vec.Batch, error) {
	if err := s.o.ctx.Err(); err != nil {
		return nil, err
	}
	i := s.o.emission.cursor.Add(1) - 1
	if i >= int64(len(s.o.emission.chunks)) {
		return nil, nil
	}
	return s.batch(s.o.emission.chunks[i], i)
}

// output makes batches of groups.
type output struct {
	o         *Operator
	aggs      []*vec.Vector
	texts     []*vec.Vector         // of packed keys
	unpackers []keyenc.TextUnpacker // of packed keys
}

// batch returns some groups, valid until the next call.
func (s *output) batch(c chunk, morsel int64) (*vec.Batch, error) {
	b := &vec.Batch{N: c.hi - c.lo, Morsel: morsel, Cols: make([]*vec.Vector, 0, len(s.o.keys)+len(s.o.aggs))}
	if c.part.table != nil {
		for i, k := range c.part.table.Keys {
			b.Cols = append(b.Cols, s.key(i, k.Slice(c.lo, c.hi)))
		}
	}
	if s.aggs == nil {
		s.aggs = make([]*vec.Vector, len(s.o.aggs))
		for j, a := range s.o.aggs {
			s.aggs[j] = &vec.Vector{Type: a.T}
		}
	}
	for j, st := range c.part.states {
		s.aggs[j].Resize(b.N)
		if err := st.Result(c.lo, c.hi, s.aggs[j]); err != nil {
			return nil, err
		}
		b.Cols = append(b.Cols, s.aggs[j])
	}
	return b, nil
}

// key returns the values of a key.
func (s *output) key(i int, k *vec.Vector) *vec.Vector {
	if !s.o.packing.Packs(i) {
		return k
	}
	if s.texts == nil {
		s.texts = make([]*vec.Vector, len(s.o.shown))
		for i, t := range s.o.shown {
			s.texts[i] = &vec.Vector{Type: t}
		}
		s.unpackers = make([]keyenc.TextUnpacker, len(s.texts))
	}
	s.unpackers[i].Unpack(k, s.texts[i], s.o.packing.Texts.List())
	return s.texts[i]
}

// Close implements op.Stream.
func (s *output) Close() error { return nil }
