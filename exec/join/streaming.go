package join

import (
	"errors"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/vec"
)

// streaming is the operator around a Matcher: one side is built, the other streams.
type streaming struct {
	*plan
	l, r      op.Operator
	buildLeft bool
	matcher   builder
	grace     *grace // nil where the build side has to be in memory
	fill      *fillers
	name      string

	ctx   *op.Ctx
	acct  *mem.Account
	store *colstore.Store
	build *Side
	tail  *tail    // build left: the marks of the left rows
	nulls nullRows // of the build side
}

// sides gives the inputs with what is wanted of them, the build side first.
func (s *streaming) sides() (build, probe op.Operator, bs, ps *sideSpec) {
	if s.buildLeft {
		return s.l, s.r, s.left, s.right
	}
	return s.r, s.l, s.right, s.left
}

// Open implements op.Operator: it builds.
func (s *streaming) Open(ctx *op.Ctx) error {
	build, probe, spec, _ := s.sides()
	s.ctx, s.acct = ctx, ctx.Mem.Child(s.name+" build")
	if s.grace != nil {
		s.acct.Yielding()
	}
	if err := build.Open(ctx); err != nil {
		return err
	}
	if s.grace == nil || ctx.Spill == nil {
		var err error
		if s.build, s.store, err = spec.collect(ctx, build, s.acct); err != nil {
			return err
		}
		if err := s.prepare(); err != nil {
			return err
		}
		return probe.Open(ctx)
	}
	return s.openSpilling(build, probe)
}

// prepare makes ready to probe the build side.
func (s *streaming) prepare() (err error) {
	if err := s.matcher.Build(s.ctx, s.acct, s.build); err != nil {
		return err
	}
	if s.buildLeft {
		s.tail, err = newTail(s.plan, s.acct, s.build.Rows)
	}
	if s.nullAware {
		s.nulls = s.findNulls(s.build)
	}
	if err == nil {
		s.fill.fill(s.ctx, s.acct, s.build, s.nullSafe)
	}
	return err
}

// openSpilling is Open where both sides may go to disk.
func (s *streaming) openSpilling(build, probe op.Operator) (err error) {
	which, other := rightSide, leftSide
	if s.buildLeft {
		which, other = leftSide, rightSide
	}
	if s.build, s.store, err = s.grace.collect(s.ctx, which, build, s.acct, nil); err != nil {
		return err
	}
	if s.build != nil {
		err = s.prepare()
		if s.grace.helps(s.ctx, err) {
			s.matcher.Close()
			s.build, err = nil, s.grace.put(s.ctx, which, s.store)
		}
		if err != nil {
			return err
		}
	}
	if err := probe.Open(s.ctx); err != nil || s.build != nil {
		return err
	}
	if _, err := s.grace.dealt(s.ctx, other); err != nil {
		return err
	}
	_, _, err = s.grace.collect(s.ctx, other, probe, s.acct, nil)
	return err
}

// Ordered implements op.Operator.
func (s *streaming) Ordered() bool {
	_, probe, _, _ := s.sides()
	return probe.Ordered()
}

// Stream implements op.Operator. The tail counts the stream before its input has one:
// a join below that sees a further stream leaves it the rest of its rows, and the
// streams here that end for that must find this one counted.
func (s *streaming) Stream() (op.Stream, error) {
	if s.build == nil {
		return s.grace.stream(s.ctx), nil
	}
	if s.tail != nil {
		s.tail.join()
	}
	_, probe, _, spec := s.sides()
	in, err := probe.Stream()
	if err != nil {
		if s.tail != nil {
			s.tail.leave(false)
		}
		return nil, err
	}
	st := &probeStream{s: s, in: in}
	if err := st.open(s.matcher, spec.reader(s.ctx)); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	st.marks = &st.local
	if s.tail != nil {
		st.marks = &s.tail.marks
	}
	st.finish = s.finisher(s.ctx, st.marks)
	if s.nullAware {
		finder := s.unknownFinder(s.ctx, s.build, s.nulls, st.marks)
		if s.buildLeft {
			st.meet = &heldFinder{unknownFinder: finder, left: s.build, leftNulls: s.nulls.nulls}
		} else {
			st.finish.nulls = finder
		}
	}
	return st, nil
}

// Close implements op.Operator.
func (s *streaming) Close() error {
	s.matcher.Close()
	s.fill.free()
	s.store.Free()
	if s.tail != nil {
		s.tail.held.free()
	}
	return errors.Join(s.grace.close(), s.l.Close(), s.r.Close())
}

// probeRows gives the rows of one stream, as many at a time as its prober takes.
type probeRows interface {
	// next gives further rows, valid until the following call, with their morsel, or nil.
	next() (*Side, int64, error)
	close()
}

// batchSource gives the batches of a stream.
type batchSource struct {
	in     op.Stream
	reader *reader
}

func (s *batchSource) next() (*Side, int64, error) {
	b, err := s.in.Next()
	if err != nil || b == nil {
		return nil, 0, err
	}
	side, err := s.reader.read(b)
	return side, b.Morsel, err
}

func (s *batchSource) close() {}

// inRounds finds partners as a Matcher does, but its probers take many batches at a time.
type inRounds interface {
	builder
	// probe makes a prober, and the source that gives it the rows of a stream.
	probe(in op.Stream, r *reader) (Prober, probeRows, error)
}

// probeStream probes with the rows of one input stream.
type probeStream struct {
	s      *streaming
	in     op.Stream
	rows   probeRows
	prober Prober
	finish *finisher
	meet   *heldFinder // null-aware, where left rows are held
	local  marks
	marks  *marks

	probe  *Side // the batch or round being probed, nil between them
	paired bool  // all of its pairs are found
	rest   int   // then: the first row that is not finished
	ended  bool  // no more batches
	left   bool  // the tail knows that this stream has ended
}

// open makes what it probes with.
func (p *probeStream) open(m builder, r *reader) (err error) {
	switch m := m.(type) {
	case inRounds:
		p.prober, p.rows, err = m.probe(p.in, r)
	case Matcher:
		p.prober, p.rows = m.Prober(), &batchSource{p.in, r}
	}
	return err
}

// Next implements op.Stream.
func (p *probeStream) Next() (*vec.Batch, error) {
	for !p.ended {
		if p.probe == nil {
			if err := p.advance(); err != nil {
				return nil, err
			}
			continue
		}
		b, err := p.step()
		if b != nil || err != nil {
			return b, err
		}
	}
	if p.s.tail == nil {
		return nil, nil
	}
	p.leave(true)
	return p.s.tail.rest(p.s.ctx, p.finish, p.s.build)
}

// advance starts on the next probe batch. Where nothing was built and only pairs
// count, no batch is worth reading.
func (p *probeStream) advance() error {
	if err := p.s.ctx.Err(); err != nil {
		return err
	}
	if p.s.build.Rows == 0 && (p.s.buildLeft || p.s.kind == logical.Inner || p.s.kind == logical.Semi) {
		p.ended = true
		return nil
	}
	side, morsel, err := p.rows.next()
	if err != nil || side == nil {
		p.ended = err == nil
		return err
	}
	p.probe = side
	if !p.marks.shared && p.s.kind != logical.Inner {
		p.local.reset(side.Rows, p.s.nullAware)
	}
	p.finish.out.b.Morsel = morsel
	return p.prober.Probe(p.probe)
}

// step gives further output of the current probe batch, nil when there is none yet or
// none any more.
func (p *probeStream) step() (*vec.Batch, error) {
	if err := p.s.ctx.Err(); err != nil {
		return nil, err
	}
	if p.paired {
		return p.finishRows()
	}
	pairs, done, err := p.prober.Next(p.s.ctx.Rows())
	if err != nil {
		return nil, err
	}
	p.paired = done
	if p.s.buildLeft {
		return p.finish.pairs(p.s.build, p.probe, pairs.Build, pairs.Probe)
	}
	return p.finish.pairs(p.probe, p.s.build, pairs.Probe, pairs.Build)
}

// finishRows gives what the kind gives for the next rows whose pairs are all found.
func (p *probeStream) finishRows() (*vec.Batch, error) {
	side, from := p.probe, p.rest
	p.rest = min(from+p.s.ctx.Rows(), side.Rows)
	to := p.rest
	done := p.marks.shared || p.s.kind == logical.Inner
	if p.meet != nil {
		if err := p.meet.find(side); err != nil {
			return nil, err
		}
	}
	if done || to == side.Rows {
		p.probe, p.paired, p.rest = nil, false, 0
	}
	if done {
		return nil, nil
	}
	return p.finish.rest(side, from, to)
}

func (p *probeStream) leave(complete bool) {
	if !p.left {
		p.left = true
		p.s.tail.leave(complete)
	}
}

// Close implements op.Stream.
func (p *probeStream) Close() error {
	if p.s.tail != nil {
		p.leave(p.ended)
	}
	if p.rows != nil {
		p.rows.close()
	}
	return p.in.Close()
}
