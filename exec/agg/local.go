package agg

import (
	"errors"

	"gsql/exec/agg/keytable"
	"gsql/exec/agg/state"
	"gsql/exec/keyenc"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// local is the state of one worker while it collects.
type local struct {
	*groups
	o      *Operator
	held   state.Held
	split  *splitter // takes further rows once there are many groups, or the table is frozen
	whole  bool      // memory does not suffice to split
	keys   []*eval.Evaluator
	packer *keytable.Packer
	args   [][]*eval.Evaluator
	direct *keytable.Direct
	asc    ascending
	shared *shared
	pieces eval.Divider
	batch  *vec.Batch      // the rows being added, which are some of a batch
	kv     []*vec.Vector   // their keys
	av     [][]*vec.Vector // their arguments
	flat   [][]*vec.Vector // scratch: flattened arguments
	counts []bool          // which aggregates are COUNT without DISTINCT
	sums   []bool          // which are SUM and AVG without DISTINCT
	gids   []int32         // of each row, or of each of the keys' runs; nil without keys
	rows   int             // added so far
	runs   runwise
	cols   []*vec.Vector // scratch: flat keys and arguments, for split
	tally  state.Tally
}

func (o *Operator) newLocal() *local {
	l := &local{o: o, pieces: eval.Divider{Whole: !o.makesTexts}, keys: evaluators(o.keys, o.ctx.Eval), kv: make([]*vec.Vector, len(o.keys)), shared: newShared(o.aggs, o.inTypes),
		args: make([][]*eval.Evaluator, len(o.aggs)), av: make([][]*vec.Vector, len(o.aggs)), flat: make([][]*vec.Vector, len(o.aggs))}
	for i, a := range o.aggs {
		l.counts = append(l.counts, a.Fn == expr.Count && !a.Distinct)
		l.sums = append(l.sums, (a.Fn == expr.Sum || a.Fn == expr.Avg) && !a.Distinct)
		l.args[i] = evaluators(a.args, o.ctx.Eval)
		if l.counts[i] || l.sums[i] {
			for _, e := range l.args[i] {
				e.AllowNarrow()
			}
		}
		l.av[i] = make([]*vec.Vector, len(a.args))
		l.flat[i] = make([]*vec.Vector, len(a.args))
		for j, t := range a.Types {
			l.flat[i][j] = &vec.Vector{Type: t}
		}
	}
	return l
}

// begin makes the groups once the keys of the first batch are known.
func (l *local) begin() (err error) {
	o := l.o
	if len(o.keys) > 0 {
		o.choose.Do(func() { o.choosePacked(l.kv) })
	}
	err = o.sets.Add(&l.held, func() (err error) {
		l.groups, err = o.newGroups()
		return err
	})
	if err != nil {
		return err
	}
	l.join(&l.held)
	for _, s := range l.states {
		if c, ok := s.(state.Tallied); ok {
			c.TallyBy(&l.tally)
		}
	}
	if len(o.keys) == 0 {
		return nil
	}
	l.packer = o.packing.NewPacker()
	l.table.Packer = l.packer
	l.asc.on = canAscend(o.types)
	l.direct = keytable.NewDirect(o.shown, o.inRows/float64(o.ctx.Workers))
	return nil
}

// choosePacked decides, by the first batch of any worker, which keys are kept as packed texts in
// tables, buffers and on disk.
func (o *Operator) choosePacked(keys []*vec.Vector) {
	o.packing = keytable.NewPacking(keys, o.account)
	for i := range keys {
		if o.packing.Packs(i) {
			o.types[i] = keyenc.PackedText
		}
	}
}

func evaluators(ps []*eval.Program, ctx kernel.Ctx) []*eval.Evaluator {
	out := make([]*eval.Evaluator, len(ps))
	for i, p := range ps {
		out[i] = p.NewEvaluator(ctx)
	}
	return out
}

// end frees the texts of computed keys and arguments, since groups account for those they keep, and drops what
// refers to the last batches. The rows that l has grouped or dealt out stay.
func (l *local) end() {
	l.evaluators((*eval.Evaluator).Free)
	l.dropTexts()
	l.keys, l.args, l.batch, l.kv, l.av, l.flat, l.cols = nil, nil, nil, nil, nil, nil, nil
	l.direct, l.packer, l.shared, l.runs = nil, nil, nil, runwise{}
}

// dropTexts drops the references to the last batch's texts, of which what made them counts the memory only
// until it makes others.
func (l *local) dropTexts() {
	if l.direct != nil {
		l.direct.DropTexts()
	}
	l.packer.DropTexts()
	for _, flat := range l.flat {
		for _, v := range flat {
			v.DropTexts()
		}
	}
}

// add aggregates one batch.
func (l *local) add(b *vec.Batch) error {
	for l.pieces.Add(b); !l.pieces.Done(); {
		if err := l.pieces.Compute(l.compute); err != nil {
			return err
		}
		if err := l.addRows(); err != nil {
			return err
		}
	}
	return nil
}

// compute makes b the rows being added and computes their keys. If texts are computed, it computes the arguments, too,
// since b cannot be divided once a part of the aggregates has its rows.
func (l *local) compute(b *vec.Batch) (err error) {
	if l.o.makesTexts {
		l.release()
	}
	for i, e := range l.keys {
		if l.kv[i], err = e.Eval(b); err != nil {
			return err
		}
	}
	l.batch = l.shared.flatten(b)
	for i := 0; i < len(l.args) && l.o.makesTexts; i++ {
		if err := l.evaluate(i); err != nil {
			return err
		}
	}
	return nil
}

// evaluators calls f for those of keys and arguments.
func (l *local) evaluators(f func(*eval.Evaluator)) {
	for _, e := range l.keys {
		f(e)
	}
	for _, args := range l.args {
		for _, e := range args {
			f(e)
		}
	}
}

// release releases the memory of computed keys and arguments.
func (l *local) release() {
	l.evaluators((*eval.Evaluator).Release)
}

// evaluate computes the arguments of aggregate i.
func (l *local) evaluate(i int) (err error) {
	for j, e := range l.args[i] {
		if l.av[i][j], err = e.Eval(l.batch); err != nil {
			return err
		}
	}
	return nil
}

// arguments returns the arguments of aggregate i.
func (l *local) arguments(i int) ([]*vec.Vector, error) {
	if l.o.makesTexts {
		return l.av[i], nil // compute has evaluated them
	}
	return l.av[i], l.evaluate(i)
}

// addRows aggregates l.batch.
func (l *local) addRows() error {
	if l.groups == nil {
		if err := l.begin(); err != nil {
			return err
		}
	}
	b := l.batch
	if err := l.shape(b); err != nil {
		return err
	}
	if l.split != nil {
		return l.addSplit(b)
	}
	l.rows += b.N
	if l.table != nil {
		if err := l.assign(b); err != nil {
			if err = l.freezeOn(err); err != nil {
				return err
			}
			return l.addSplit(b)
		}
	}
	l.tally.Begin()
	defer l.tally.End()
	for i := range l.states {
		if err := l.update(i, b); err != nil {
			return err
		}
	}
	return nil
}

// assign finds the groups of the rows, or of the runs of equal keys, of a batch. It fails before
// groups take the memory that the batch's texts need.
func (l *local) assign(b *vec.Batch) error {
	texts := l.o.textsOf(b)
	if err := l.o.account.Reserve(texts); err != nil {
		return err
	}
	defer l.o.account.Release(texts)
	n := b.N
	keys := l.keysInRuns(n)
	if l.runs.ends != nil {
		n = len(l.runs.ends)
	}
	l.gids = resized(l.gids, n)
	if err := l.findGroups(keys); err != nil {
		return err
	}
	return l.grow(l.table.Groups)
}

// update adds a batch to aggregate i.
func (l *local) update(i int, b *vec.Batch) error {
	args, err := l.arguments(i)
	if err != nil {
		return err
	}
	if done, err := l.updateByRuns(i, b.N, args); done || err != nil {
		return err
	}
	nulls := false
	for j, v := range args {
		args[j] = l.flatten(i, j, v)
		nulls = nulls || args[j].Null != nil
	}
	if s, ok := l.states[i].(state.RunState); ok && l.runs.ends != nil && !nulls {
		return l.takeIn(i, func() error { return s.UpdateRuns(l.gids, l.runs.ends, args) })
	}
	gids := l.rowGroups(b.N)
	return l.takeIn(i, func() error { return l.states[i].Update(gids, b.N, args) })
}

// takeIn repeats an update of aggregate i, spilling in between, until memory suffices. The last
// resort is the memory set aside for completing, which is more important now.
func (l *local) takeIn(i int, update func() error) error {
	err := l.o.sets.TakeIn(&l.held, l.states[i], update)
	if _, keeps := l.states[i].(state.Keeper); !keeps && errors.Is(err, sqlerr.OutOfMemory) && l.o.reserve.Close() > 0 {
		return l.o.sets.TakeIn(&l.held, l.states[i], update)
	}
	return err
}

// flatten returns argument j of aggregate i in the form that the state takes.
func (l *local) flatten(i, j int, v *vec.Vector) *vec.Vector {
	switch {
	case l.counts[i] && !v.MayHaveNulls():
		return v // COUNT looks at no values
	case l.sums[i]:
		return v.Tighten(l.flat[i][j])
	}
	return v.Flatten(l.flat[i][j])
}

// shape splits or freezes a table that outgrows the cache or memory, before a batch is added.
func (l *local) shape(b *vec.Batch) error {
	switch {
	case l.split != nil || l.table == nil:
		return nil
	case l.o.cramped(b):
		return l.freeze()
	case l.asc.on:
		if l.table.Groups < freezeGroups || !l.o.scarce(barePart) {
			return nil
		}
		if err := l.leaveOrder(); err != nil {
			return l.freezeOn(err)
		}
		return nil
	case l.o.scarce(freezePart) && l.table.Groups >= l.o.freezeFrom():
		return l.freeze()
	case l.direct.Off && !l.whole && l.manyGroups():
		return l.trySplit()
	}
	return nil
}

// manyGroups reports whether the table is so large that further rows are better dealt out. If large
// tables are expected anyway and nearly all rows have made groups, it is so earlier: these groups
// would only have to be merged.
func (l *local) manyGroups() bool {
	n := l.table.Groups
	return n >= l.o.splitAt || n >= l.o.splitAt/earlySplit && l.rows < fewRows*n && l.o.groups >= float64(l.o.splitAt)
}

// trySplit has a splitter take further rows, or decides to go on without one if there is no memory for
// its buffers.
func (l *local) trySplit() error {
	s := l.o.newSplitter(&l.held)
	if err := s.reserve(); err != nil {
		return l.keepWhole(s, err)
	}
	l.deal(s)
	return nil
}

// deal makes s receive further rows.
func (l *local) deal(s *splitter) { l.split, l.held.Dealt = s, s }

// keepWhole abandons a splitter for which there is no memory.
func (l *local) keepWhole(s *splitter, err error) error {
	s.free()
	if sqlerr.From(err).Code != sqlerr.OutOfMemory {
		return err
	}
	l.whole = true
	return nil
}

// addSplit deals out a batch whose keys are in l.kv.
func (l *local) addSplit(b *vec.Batch) error {
	l.cols = l.cols[:0]
	for i, k := range l.kv {
		l.cols = append(l.cols, l.direct.Flatten(i, k))
	}
	keys, err := l.packer.Pack(l.cols)
	if err != nil {
		return err
	}
	copy(l.cols, keys)
	for i := range l.args {
		args, err := l.arguments(i)
		if err != nil {
			return err
		}
		for j, v := range args {
			l.cols = append(l.cols, v.Flatten(l.flat[i][j]))
		}
	}
	return l.split.add(l.cols, b.N)
}
