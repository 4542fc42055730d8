// Package hash joins by equality with a table over one side that the other side's rows look
// their partners up in, neither being partitioned: Kaldewey, Lohman, Mueller, Volk: GPU Join
// Processing Revisited (DaMoN 2012). The table is an array indexed by the key where keys are
// dense and unique, and else open addressing; where keys of the build side repeat it
// leads to runs of rows sorted by hash, so that neither duplicates nor skew make chains long.
// The probe side may be larger than device memory: see Chunks.
//
// NULL and NaN equal nothing; both zeros of a double are the same because columns have no
// negative one.
package hash

import (
	"errors"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/sql/sqlerr"
)

// Options are what the planner decides.
type Options struct {
	BuildLeft bool // the table is over the left side, and else over the right
	Repeated  bool // keys of the build side are expected to repeat: spares the attempt at a table of single rows
}

// Pairs gives all row pairs of an input with an equality to out.
func Pairs(t *engine.Task, in join.Input, out join.Output, opt Options) error {
	p, err := newPlan(in, opt)
	if err != nil || p.empty() {
		return err
	}
	m := t.Mark()
	return errors.Join(p.pairs(t, out), t.Release(m))
}

// Aggregate gives the aggregates over all row pairs of an input with an equality.
func Aggregate(t *engine.Task, in join.Input, aggs []join.Agg, opt Options) ([]join.Value, error) {
	p, err := newPlan(in, opt)
	if err != nil {
		return nil, err
	}
	m := t.Mark()
	values, err := p.aggregate(t, in, aggs)
	return values, errors.Join(err, t.Release(m))
}

// plan is a join with its sides in their roles.
type plan struct {
	opt          Options
	key          join.Key
	build, probe int64 // rows
}

func newPlan(in join.Input, opt Options) (*plan, error) {
	key, ok := join.NewKey(in.Conditions)
	if !ok {
		return nil, sqlerr.Internal("a hash join without an equality")
	}
	p := &plan{opt: opt, key: key, build: in.Right, probe: in.Left}
	if opt.BuildLeft {
		p.build, p.probe = in.Left, in.Right
	}
	return p, nil
}

func (p *plan) empty() bool { return p.build == 0 || p.probe == 0 }

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

// pairs builds the table and looks all probe rows up.
func (p *plan) pairs(t *engine.Task, out join.Output) error {
	tab, err := p.table(t, entries{})
	if err != nil {
		return err
	}
	keys, err := p.probeKey(t)
	if err != nil {
		return err
	}
	return p.pairsInto(t, tab, keys, 0, out)
}

// pairsInto looks probe rows, numbered from firstRow on, up and gives out the pairs for
// which the other conditions are true, too.
func (p *plan) pairsInto(t *engine.Task, tab *table, keys column.Column, firstRow int64, out join.Output) error {
	return join.Filter(t, p.key.Rest, out, pieceRows(t), func(out join.Output) error {
		s, err := newSink(t, out, p.opt.BuildLeft)
		if err != nil {
			return err
		}
		if err := tab.pairs(t, keys, firstRow, s); err != nil {
			return err
		}
		return s.flush()
	})
}

// table builds over the build side.
func (p *plan) table(t *engine.Task, e entries) (*table, error) {
	keys, err := p.buildKey(t)
	if err != nil {
		return nil, err
	}
	return build(t, keys, e, p.opt.Repeated)
}
