// Package hash joins by equality with a table over one side that the other side's rows look
// their partners up in: Kaldewey, Lohman, Mueller, Volk: GPU Join Processing Revisited (DaMoN
// 2012). The table is an array indexed by the key where keys are dense and unique, and else
// open addressing; where keys of the build side repeat it leads to runs of rows sorted by
// hash, so that neither duplicates nor skew make chains long. The probe side may be larger
// than device memory and come in chunks: see Chunks.
//
// NULL and NaN equal nothing. Both zeros of a double are equal, because columns have no negative
// zero.
package hash

import (
	"errors"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/sql/sqlerr"
)

// Options are chosen by the planner.
type Options struct {
	BuildLeft bool // the table is built over the left side instead of the right
	Repeated  bool // keys of the build side are expected to repeat: skips the attempt at a table of single rows
}

// Pairs writes all row pairs of an input with an equality to out, approximately in the order of the
// probe rows or, with a direct table larger than the cache, once in that order for each of the
// table's windows.
func Pairs(t *engine.Task, in join.Input, out join.Output, opt Options) error {
	return PairsOver(t, &whole{in: in}, out, opt)
}

// Aggregate returns the aggregates over all row pairs of an input with an equality.
func Aggregate(t *engine.Task, in join.Input, aggs []join.Agg, opt Options) ([]join.Value, error) {
	return AggregateOver(t, &whole{in: in, aggs: aggs}, opt)
}

// PairsOver returns the row pairs of a join whose probe side arrives in chunks; its rows are
// numbered across chunks.
func PairsOver(t *engine.Task, chunks Chunks, out join.Output, opt Options) error {
	begin := func(*plan, []join.Agg) (entries, error) { return entries{}, nil }
	return overChunks(t, chunks, opt, begin, func(c *chunk) error {
		return c.pairs(t, out)
	})
}

// plan is a join, or one with a chunk of its probe side, whose sides have been assigned their
// roles.
type plan struct {
	opt          Options
	in           join.Input
	key          join.Key
	build, probe int64 // rows
}

func newPlan(in join.Input, opt Options) (*plan, error) {
	key, ok := join.NewKey(in.Conditions)
	if !ok {
		return nil, sqlerr.Internal("a hash join without an equality")
	}
	p := &plan{opt: opt, in: in, key: key, build: in.Right, probe: in.Left}
	if opt.BuildLeft {
		p.build, p.probe = in.Left, in.Right
	}
	return p, nil
}

func (p *plan) buildKey(t *engine.Task) (column.Column, error) {
	if p.opt.BuildLeft {
		return p.key.Left(t)
	}
	return p.key.Right(t)
}

func (p *plan) probeKey(t *engine.Task) (column.Column, error) {
	if p.opt.BuildLeft {
		return p.key.Right(t)
	}
	return p.key.Left(t)
}

// table builds the table over the build side.
func (p *plan) table(t *engine.Task, e entries) (*table, error) {
	keys, err := p.buildKey(t)
	if err != nil {
		return nil, err
	}
	return build(t, keys, e, p.opt.Repeated)
}

// chunk is a chunk of probe rows, numbered from firstRow on, and the table.
type chunk struct {
	*plan
	aggs     []join.Agg
	tab      *table
	entries  entries
	keys     column.Column
	firstRow int64
}

// overChunks builds the table, whose entries begin chooses, and calls each with the chunks of the
// probe side.
func overChunks(t *engine.Task, chunks Chunks, opt Options, begin func(*plan, []join.Agg) (entries, error), each func(*chunk) error) error {
	in, aggs, err := chunks.Next()
	if err != nil {
		return err
	}
	p, err := newPlan(in, opt)
	if err != nil {
		return err
	}
	c := &chunk{plan: p, aggs: aggs}
	if c.entries, err = begin(p, aggs); err != nil || p.build == 0 || p.probe == 0 {
		return err
	}
	m := t.Mark()
	if c.tab, err = p.table(t, c.entries); err == nil {
		err = c.through(t, chunks, each)
	}
	return errors.Join(err, t.Release(m))
}

// through calls each for the first and all further chunks.
func (c *chunk) through(t *engine.Task, chunks Chunks, each func(*chunk) error) error {
	for {
		m := t.Mark()
		var err error
		if c.keys, err = c.probeKey(t); err == nil {
			err = each(c)
		}
		if err = errors.Join(err, t.Release(m)); err != nil {
			return err
		}
		c.firstRow += c.probe
		in, aggs, err := chunks.Next()
		if err != nil {
			return err
		}
		next, err := newPlan(in, c.opt)
		if err != nil || next.probe == 0 {
			return err
		}
		if !next.key.Packs(&c.key) {
			return sqlerr.Internal("chunks of a probe side with different bounds")
		}
		c.plan, c.aggs = next, aggs
	}
}

// pairs looks the chunk's rows up and emits the pairs for which the other conditions are also true.
func (c *chunk) pairs(t *engine.Task, out join.Output) error {
	return join.Filter(t, c.rest(), out, pieceRows(t), func(out join.Output) error {
		s, err := newSink(t, out, c.opt.BuildLeft)
		if err != nil {
			return err
		}
		if err := c.tab.pairs(t, c.keys, c.firstRow, s); err != nil {
			return err
		}
		return s.flush()
	})
}

// rest returns the other conditions, with the probe side's columns shifted so that the pairs' row
// numbers address them.
func (c *chunk) rest() []join.Condition {
	moved := make([]join.Condition, len(c.key.Rest))
	for i, cond := range c.key.Rest {
		if c.opt.BuildLeft {
			cond.Right = rowsOf(cond.Right, -c.firstRow, cond.Right.Rows)
		} else {
			cond.Left = rowsOf(cond.Left, -c.firstRow, cond.Left.Rows)
		}
		moved[i] = cond
	}
	return moved
}

// mostPieceRows is the most pairs that are listed at once for further conditions or for aggregates.
const mostPieceRows = 1 << 22

// pieceRows returns that number, less if memory is short.
func pieceRows(t *engine.Task) int64 {
	const least = 1 << 10
	return max(least, min(mostPieceRows, t.Free()/64))
}
