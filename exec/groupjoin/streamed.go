package groupjoin

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// streaming is how the indexed side is read when it streams.
type streaming struct {
	keys    []*eval.Program
	operand *eval.Program // nil without a test
	args    []argument    // distinct
	of      []int         // aggregate -> argument, or -1
}

// argument is what aggregates are over.
type argument struct {
	e       expr.Expr
	prog    *eval.Program
	aggs    []int // the aggregates
	extreme bool  // one is MIN or MAX
}

// compileStreaming prepares what is read of the streamed side.
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

// streamed computes a group join whose probe side is held and whose other side streams by:
// what the cells between the ends of the windows have is added up, and each row of the
// probe side takes its run of cells.
type streamed struct {
	o      *Operator
	groups *directory // nil without keys
	group  []uint64   // of a row of the probe side; nil without keys
	lo, hi []uint64   // its window of words, empty where lo > hi
	cuts   *cuts
	held   holdings
}

// openStreamed reads the probe side, then the other one, and computes everything.
func (o *Operator) openStreamed() (r *finishedRows, err error) {
	o.opened[0] = true
	if err := o.probe.Open(o.ctx); err != nil {
		return nil, err
	}
	r = &finishedRows{}
	defer func() {
		if err != nil {
			r.free()
		}
	}()
	side, free, err := o.held.Collect(o.ctx, o.probe, o.account)
	r.held.add(freeing(free))
	if err != nil {
		return r, err
	}
	c, k := len(o.passed), len(o.keys)
	r.cols = side.Keys[:c]
	s := &streamed{o: o}
	defer s.held.free()
	if err := s.divide(side.Rows, side.Keys[c:c+k], side.Keys[c+k:]); err != nil {
		return r, err
	}
	o.opened[1] = true
	if err := o.build.Open(o.ctx); err != nil {
		return r, err
	}
	t, err := s.read()
	if err != nil {
		return r, err
	}
	defer t.free()
	return r, s.finish(r, t)
}

// divide finds the windows of the probe side's rows and makes cells of them.
func (s *streamed) divide(rows int, keys, operands []*vec.Vector) error {
	o := s.o
	skip, err := mem.Alloc[bool](o.account, rows)
	if err != nil {
		return err
	}
	defer skip.Free()
	for _, dst := range []*[]uint64{&s.lo, &s.hi} {
		if *dst, err = s.alloc(rows); err != nil {
			return err
		}
	}
	skipUnequal(keys, o.nullSafe, skip.S)
	if err := s.windows(operands, skip.S); err != nil {
		return err
	}
	groups := 1
	if len(keys) > 0 {
		d, group, err := newDirectory(o.ctx, o.account, keys, rows, skip.S)
		if err != nil {
			return err
		}
		s.held.add(freeing(d.free))
		s.held.add(group)
		s.groups, s.group, groups = d, group.S, len(d.find.S)
	}
	for i, none := range skip.S {
		if none {
			s.lo[i], s.hi[i] = 1, 0
		}
	}
	if s.cuts, err = newCuts(o.ctx, o.account, s.lo, s.hi, s.group, groups); err == nil {
		s.held.add(freeing(s.cuts.free))
	}
	return err
}

func (s *streamed) alloc(n int) ([]uint64, error) {
	b, err := mem.Alloc[uint64](s.o.account, n)
	if err != nil {
		return nil, err
	}
	s.held.add(b)
	return b.S, nil
}

// windows computes the windows of words.
func (s *streamed) windows(operands []*vec.Vector, skip []bool) (err error) {
	o := s.o
	if len(o.tests) == 0 {
		(&test{}).window(s.lo, s.hi, nil)
		return nil
	}
	t := &o.tests[0]
	if t.coder, err = newCoder(o.account, operands...); err != nil {
		return err
	}
	words := make([][]uint64, len(operands))
	for i, v := range operands {
		if words[i], err = s.alloc(len(skip)); err != nil {
			return err
		}
		t.coder.encode(words[i], v, skip)
	}
	t.window(s.lo, s.hi, words)
	return nil
}

// read streams the other side by. Without a row on the probe side there is no need to.
func (s *streamed) read() (*tally, error) {
	o := s.o
	tallies := make([]*tally, max(o.ctx.Workers, 1))
	var err error
	if len(s.lo) > 0 {
		err = op.Drain(o.ctx, o.build, func(w int, in op.Stream) (err error) {
			if tallies[w], err = s.newTally(); err != nil {
				return err
			}
			return tallies[w].drain(in)
		})
	}
	if tallies[0] == nil && err == nil {
		tallies[0], err = s.newTally()
	}
	for _, t := range tallies[1:] {
		if t != nil && err == nil {
			tallies[0].merge(t)
		}
		if err != nil {
			t.free()
		}
	}
	if err != nil {
		tallies[0].free()
		return nil, err
	}
	return tallies[0], nil
}

// finish gives the rows of the probe side their aggregates.
func (s *streamed) finish(r *finishedRows, t *tally) (err error) {
	o, n := s.o, len(s.lo)
	if r.rows, err = alloc[int32](r, o.account, n); err != nil {
		return err
	}
	if r.counts, err = alloc[int64](r, o.account, n); err != nil {
		return err
	}
	w, err := r.allocSpans(o.account, n)
	if err != nil {
		return err
	}
	rows, err := s.presence(t.rows.S, nil)
	if err != nil {
		return err
	}
	s.held.add(freeing(rows.free))
	if err := o.stretches(n, func(from, to int) error {
		for i := from; i < to; i++ {
			r.rows[i] = int32(i)
			if s.lo[i] <= s.hi[i] {
				w.lo[i], w.hi[i] = s.cuts.window(s.groupOf(i), s.lo[i], s.hi[i])
			}
		}
		rows.count(w.part(from, to), r.counts[from:to])
		return nil
	}); err != nil {
		return err
	}
	return s.finishMeasures(r, t, w)
}

func (s *streamed) groupOf(i int) int32 {
	if s.group == nil {
		return 0
	}
	return int32(s.group[i])
}

func (s *streamed) finishMeasures(r *finishedRows, t *tally, w *spans) error {
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
		if err := o.stretches(len(r.counts), func(from, to int) error {
			part := out.part(from, to)
			return m.windows(w.part(from, to), &part)
		}); err != nil {
			return err
		}
	}
	return nil
}

// presence counts values up to each cell: rows less nulls.
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
