package groupjoin

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/eval"
	"gsql/sql/expr"
)

// streaming describes how the indexed side is read when it streams.
type streaming struct {
	keys    []*eval.Program
	operand *eval.Program // nil without a test
	args    []argument    // distinct
	of      []int         // aggregate -> argument, or -1
}

// argument is the argument of one or more aggregates.
type argument struct {
	e       expr.Expr
	prog    *eval.Program
	aggs    []int // the aggregates
	extreme bool  // one of them is MIN or MAX
}

// compileStreaming compiles what is read from the streamed side.
func (o *Operator) compileStreaming(in []logical.Column) error {
	ids := make([]expr.ColID, len(in))
	for i, c := range in {
		ids[i] = c.ID
	}
	s := &streaming{}
	o.streaming = s
	for _, k := range o.plan.Keys {
		p, err := eval.Compile(k.R, ids)
		if err != nil {
			return err
		}
		s.keys = append(s.keys, p)
	}
	for _, t := range o.tests {
		var err error
		if s.operand, err = eval.Compile(t.operand, ids); err != nil {
			return err
		}
	}
	for i, a := range o.plan.Aggs {
		s.of = append(s.of, -1)
		if len(a.Args) == 0 {
			continue
		}
		for k := range s.args {
			if expr.Equal(s.args[k].e, a.Args[0]) {
				s.of[i] = k
			}
		}
		if s.of[i] < 0 {
			p, err := eval.Compile(a.Args[0], ids)
			if err != nil {
				return err
			}
			s.of[i] = len(s.args)
			s.args = append(s.args, argument{e: a.Args[0], prog: p})
		}
		arg := &s.args[s.of[i]]
		arg.aggs, arg.extreme = append(arg.aggs, i), arg.extreme || a.Fn == expr.Min || a.Fn == expr.Max
	}
	return nil
}

// streamed computes a group join whose probe side is held and whose other side is streamed: the
// cells between the ends of the windows are aggregated, and each row of the probe side combines
// its run of cells.
type streamed struct {
	*division // of the probe side
	o         *Operator
}

// openStreamed reads the probe side, then the other one, and computes everything.
func (o *Operator) openStreamed() (r *finishedRows, err error) {
	if err := o.spilling.openInput(o.ctx, o.probe, &o.opened[0]); err != nil {
		return nil, err
	}
	r = &finishedRows{}
	defer func() {
		if err != nil {
			r.free()
		}
	}()
	side, err := o.spilling.collect(o.ctx, true, o.probe, &o.closed[0], o.account)
	if err != nil {
		return r, err
	}
	c, k := len(o.passed), len(o.keys)
	r.cols = side.Keys[:c]
	t := &test{}
	if len(o.tests) > 0 {
		t = &o.tests[0]
	}
	d, err := o.divide(side.Rows, side.Keys[c:c+k], side.Keys[c+k:], t)
	if err != nil {
		return r, err
	}
	s := &streamed{d, o}
	defer s.free()
	if !s.vacant() {
		if err := o.spilling.openInput(o.ctx, o.build, &o.opened[1]); err != nil {
			return r, err
		}
	}
	// All memory for the other side's rows is reserved before the first of them is read, because
	// they cannot be read again.
	tallies, err := s.newTallies()
	if err != nil {
		return r, err
	}
	later := s.later(len(tallies))
	if err := o.account.Reserve(later); err != nil {
		freeTallies(tallies)
		return r, err
	}
	o.spilling.committed = true
	sum, err := s.read(tallies)
	o.account.Release(later)
	if err != nil {
		return r, err
	}
	defer sum.free()
	return r, s.finish(r, sum)
}

// later returns an upper bound of the bytes needed once the other side has been read: for counts
// of NULLs in each tally, and for the results of the probe side's rows and of the cells.
func (s *streamed) later(tallies int) int64 {
	cells, rows, args, aggs := s.cuts.cells+1, len(s.cuts.from), len(s.o.streaming.args), len(s.o.plan.Aggs)
	return int64(8*cells*args*tallies + 8*cells + 56*cells*aggs + 12*rows + 24*rows*aggs)
}

// newTallies makes a tally for each worker.
func (s *streamed) newTallies() (tallies []*tally, err error) {
	for range max(s.o.ctx.Workers, 1) {
		t, err := s.newTally()
		if err != nil {
			freeTallies(tallies)
			return nil, err
		}
		tallies = append(tallies, t)
	}
	return tallies, nil
}

func freeTallies(tallies []*tally) {
	for _, t := range tallies {
		t.free()
	}
}

// read streams the other side, unless no row of the probe side can have a partner.
func (s *streamed) read(tallies []*tally) (*tally, error) {
	if !s.vacant() {
		if err := op.Drain(s.o.ctx, s.o.build, func(w int, in op.Stream) error { return tallies[w].drain(in) }); err != nil {
			freeTallies(tallies)
			return nil, err
		}
	}
	for _, t := range tallies[1:] {
		tallies[0].merge(t)
	}
	return tallies[0], nil
}

// finish adds the aggregates to the rows of the probe side.
func (s *streamed) finish(r *finishedRows, t *tally) (err error) {
	o, n := s.o, len(s.cuts.from)
	if r.rows, err = alloc[int32](r, o.account, n); err != nil {
		return err
	}
	if r.counts, err = alloc[int64](r, o.account, n); err != nil {
		return err
	}
	w := &windowList{lo: s.cuts.from, hi: s.cuts.to}
	rows, err := s.presence(t.rows.S, nil)
	if err != nil {
		return err
	}
	defer rows.free()
	if err := o.ranges(n, func(from, to int) error {
		for i := from; i < to; i++ {
			r.rows[i] = int32(i)
		}
		rows.count(w.part(from, to), r.counts[from:to])
		return nil
	}); err != nil {
		return err
	}
	return s.finishMeasures(r, t, w)
}

func (s *streamed) finishMeasures(r *finishedRows, t *tally, w *windowList) error {
	o := s.o
	r.results = make([]results, len(o.plan.Aggs))
	for i := range o.plan.Aggs {
		m, err := s.measure(i, t)
		if err != nil {
			return err
		}
		o.measures = append(o.measures, m)
		out := &r.results[i]
		if err := out.alloc(r, o.account, m.layout(), len(r.counts)); err != nil {
			return err
		}
		if err := o.ranges(len(r.counts), func(from, to int) error {
			part := out.part(from, to)
			return m.windows(w.part(from, to), &part)
		}); err != nil {
			return err
		}
	}
	return nil
}

// presence counts values up to each cell, as rows minus NULLs.
func (s *streamed) presence(rows, nulls []int64) (*presence, error) {
	prefix, err := mem.Alloc[int64](s.o.account, s.cuts.cells+1)
	if err != nil {
		return nil, err
	}
	n := int64(0)
	for k, x := range rows[:s.cuts.cells] {
		n += x
		if nulls != nil {
			n -= nulls[k]
		}
		prefix.S[k+1] = n
	}
	return &presence{prefix}, nil
}
