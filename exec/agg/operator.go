// Package agg is hash aggregation. Every worker groups the batches that it pulls in a table of its
// own; then all workers merge the tables, partition by partition of the hash if they are large, and
// emit the groups. When memory is scarce rows spill by partition, and partitions are completed one
// by one as they are emitted: see phase. Rows are mapped to group numbers a batch at a time, and the
// states of an aggregate are arrays over group numbers.
package agg

import (
	"errors"
	"slices"
	"sync"

	"gsql/exec/agg/keytable"
	"gsql/exec/agg/state"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Operator is the HashAgg operator; without aggregates it returns distinct rows.
type Operator struct {
	spec
	in       op.Operator
	inClosed bool
	ctx      *op.Ctx
	account  *mem.Account
	yielding *mem.Account // reports the memory that remains once other operators have theirs
	phase    phase

	choose  sync.Once         // of packing
	packing *keytable.Packing // of the keys; nil until the first batch
	types   []types.Type      // of the keys, as tables hold them
	sets    state.Files       // rows of DISTINCT and of other aggregates that keep rows
	mergers sync.Pool         // of *merger

	parts   []*groups   // of the workers, then partitions that share no key
	splits  []*splitter // of the workers whose tables were split or frozen
	reserve *mem.Pool   // while collecting: memory set aside for completing

	diskMu sync.Mutex
	disk   *spill.Partitions // nil until rows spill

	emission   emission
	completion completion
}

// spec holds what New derives from the plan.
type spec struct {
	inTypes   []types.Type // of the input's columns
	inRows    float64      // estimated rows of the input
	groups    float64      // estimated groups
	keys      []*eval.Program
	shown     []types.Type // of the keys
	aggs      []aggregate
	keepsRows bool // see physical.HashAgg.KeepsRows
	texts     bool // an aggregate has an argument of text
	// makesTexts is set if computing keys or arguments makes texts and has no side effects, so that a batch whose
	// texts do not fit in memory can be divided.
	makesTexts bool
	freezeAt   int   // groups from which a worker's table is frozen when memory is scarce
	splitAt    int   // groups from which a worker's table is split
	buffers    int64 // bytes of a worker's buffers: see splitBytes
	keepFrom   int   // rows that a worker groups before it may keep others ungrouped
}

// aggregate is one aggregate with its arguments compiled.
type aggregate struct {
	state.Aggregate
	args []*eval.Program // the arguments, then the keys of GROUP_CONCAT's ORDER BY
}

// New makes the operator of a physical.HashAgg.
func New(n *physical.Node, in op.Operator) (*Operator, error) {
	plan := n.Op.(*physical.HashAgg)
	ids, ts := make([]expr.ColID, len(n.In[0].Cols)), make([]types.Type, len(n.In[0].Cols))
	for i, c := range n.In[0].Cols {
		ids[i], ts[i] = c.ID, c.T
	}
	o := &Operator{in: in, spec: spec{inTypes: ts, inRows: n.In[0].Est.Rows, groups: n.Est.Rows, keepsRows: plan.KeepsRows(),
		freezeAt: freezeGroups, splitAt: splitGroups, buffers: splitBytes, keepFrom: keepFrom}}
	var err error
	if o.keys, o.shown, err = compile(plan.Keys, ids); err != nil {
		return nil, err
	}
	o.types = slices.Clone(o.shown)
	computed := plan.Keys
	for _, a := range plan.Aggs {
		args := a.Args
		for _, k := range a.OrderBy {
			args = append(args[:len(args):len(args)], k.Expr)
		}
		computed = append(computed[:len(computed):len(computed)], args...)
		c := aggregate{Aggregate: state.Aggregate{Agg: a}}
		if c.args, c.Types, err = compile(args, ids); err != nil {
			return nil, err
		}
		if a.Fn == expr.Median || a.Fn.Gathers() {
			o.freezeAt = 1
		}
		for _, t := range c.Types {
			o.texts = o.texts || t.Kind() == types.KindStr
		}
		o.aggs = append(o.aggs, c)
	}
	o.makesTexts = slices.ContainsFunc(computed, makesTexts) && !slices.ContainsFunc(computed, expr.Volatile)
	return o, nil
}

// makesTexts reports whether computing e makes texts.
func makesTexts(e expr.Expr) (makes bool) {
	expr.Walk(e, func(x expr.Expr) bool {
		_, calls := x.(*expr.Call)
		makes = makes || calls && x.Type().Kind() == types.KindStr
		return !makes
	})
	return makes
}

func compile(es []expr.Expr, ids []expr.ColID) ([]*eval.Program, []types.Type, error) {
	ps, ts := make([]*eval.Program, len(es)), make([]types.Type, len(es))
	for i, e := range es {
		p, err := eval.Compile(e, ids)
		if err != nil {
			return nil, nil, err
		}
		ps[i], ts[i] = p, e.Type()
	}
	return ps, ts, nil
}

// Open implements op.Operator. It aggregates the whole input.
func (o *Operator) Open(ctx *op.Ctx) error {
	o.ctx, o.account, o.sets.Ctx = ctx, o.newAccount(ctx), ctx
	o.sets.Account = o.account
	o.yielding = o.account.Child("HashAggregate").Yielding()
	op.AllowNarrow(o.in)
	if err := o.in.Open(ctx); err != nil {
		return err
	}
	if err := o.collect(); err != nil {
		return err
	}
	if err := o.closeInput(); err != nil {
		return err
	}
	if o.mustComplete() {
		return o.beginCompleting()
	}
	if err := o.merge(); err != nil {
		return err
	}
	return o.beginEmitting()
}

// Ordered implements op.Operator.
func (o *Operator) Ordered() bool { return false }

// Close implements op.Operator.
func (o *Operator) Close() error {
	o.freeParts()
	o.emission.chunks = nil
	o.reserve.Close()
	o.account.End()
	err := o.sets.Close()
	if o.disk != nil {
		err = errors.Join(err, o.disk.Close())
	}
	return errors.Join(err, o.closeInput())
}

// freeParts frees the groups.
func (o *Operator) freeParts() {
	for _, p := range o.parts {
		p.free()
	}
	o.parts = nil
	o.freeSplits()
}

func (o *Operator) freeSplits() {
	for _, s := range o.splits {
		s.free()
	}
	o.splits = nil
}

// Stream implements op.Operator.
func (o *Operator) Stream() (op.Stream, error) {
	if o.phase == completing {
		return o.completingStream(), nil
	}
	return &stream{output{o: o}}, nil
}
