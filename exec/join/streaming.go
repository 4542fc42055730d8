package join

import (
	"errors"

	"gsql/exec/colstore"
	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/join/spill"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// streaming runs a Matcher as an operator: one side is built, the other streams.
type streaming struct {
	*plan
	l, r      op.Operator
	buildLeft bool
	matcher   match.Builder
	grace     *spill.Grace // nil if the build side must be in memory
	fill      *fillers
	name      string

	ctx  *op.Ctx
	acct *mem.Account
	// drained is set once the build side has returned all rows and is closed.
	drained bool
	store   *colstore.Store
	build   *match.Side
	tail    *tail          // has the marks of the build side; nil if the kind of join needs none
	nulls   match.NullRows // of the build side
	// probeless is set if the result does not depend on the probe side, which is then not opened.
	probeless bool
}

// sides returns the inputs and what the join reads from them, the build side first.
func (s *streaming) sides() (build, probe op.Operator, bs, ps *input.Spec) {
	if s.buildLeft {
		return s.l, s.r, s.left, s.right
	}
	return s.r, s.l, s.right, s.left
}

// built returns the side that is built and the side that streams.
func (s *streaming) built() (build, probe int) {
	if s.buildLeft {
		return match.LeftSide, match.RightSide
	}
	return match.RightSide, match.LeftSide
}

// mark makes the tail if the build side needs marks.
func (s *streaming) mark() (err error) {
	which, _ := s.built()
	if !s.marks(which) {
		return nil
	}
	var held [2]*match.Side
	held[which] = s.build
	s.tail, err = newTail(s.plan, s.acct, held)
	return err
}

// Open implements op.Operator. It builds.
func (s *streaming) Open(ctx *op.Ctx) error {
	build, probe, spec, _ := s.sides()
	s.ctx, s.acct = ctx, ctx.Account(s.name+" build")
	if s.grace != nil {
		s.acct.Yielding()
	}
	if err := build.Open(ctx); err != nil {
		return err
	}
	if s.grace == nil || ctx.Spill == nil {
		var err error
		if s.build, s.store, err = spec.Collect(ctx, build, s.acct); err != nil {
			return err
		}
		if err := s.closeBuild(build); err != nil {
			return err
		}
		if err := s.prepare(); err != nil || s.probeless {
			return err
		}
		return probe.Open(ctx)
	}
	return s.openSpilling(build, probe)
}

// closeBuild closes the build side once: as soon as it has returned all rows, to free its memory,
// or else with the join.
func (s *streaming) closeBuild(build op.Operator) error {
	if s.drained {
		return nil
	}
	s.drained = true
	return build.Close()
}

// prepare makes the build side ready to be probed.
func (s *streaming) prepare() error {
	if err := s.matcher.Build(s.ctx, s.acct, s.build); err != nil {
		return err
	}
	if err := s.mark(); err != nil {
		return err
	}
	if s.nullAware {
		s.nulls = s.findNulls(s.build)
	}
	which, _ := s.built()
	if s.probeless = s.decidedBy(s.build, which); !s.probeless {
		s.fill.fill(s.ctx, s.acct, s.build, s.nullSafe)
	}
	return nil
}

// openSpilling is Open for the case that both sides may spill.
func (s *streaming) openSpilling(build, probe op.Operator) (err error) {
	which, other := s.built()
	if s.build, s.store, err = s.grace.Collect(s.ctx, which, build, s.acct, nil); err != nil {
		return err
	}
	if err := s.closeBuild(build); err != nil {
		return err
	}
	if s.build != nil {
		err = s.prepare()
		if s.grace.Helps(s.ctx, err) {
			s.matcher.Close()
			s.build, err = nil, s.grace.PutStore(s.ctx, which, s.store)
		}
		if err != nil {
			return err
		}
		if s.probeless {
			return nil
		}
	} else if s.probeless = s.grace.Vacant(which) && !s.keeps(other); s.probeless {
		return nil
	}
	if err := probe.Open(s.ctx); err != nil || s.build != nil {
		return err
	}
	if err := s.grace.Spill(s.ctx, other); err != nil {
		return err
	}
	_, _, err = s.grace.Collect(s.ctx, other, probe, s.acct, nil)
	return err
}

// Ordered implements op.Operator.
func (s *streaming) Ordered() bool {
	_, probe, _, _ := s.sides()
	return probe.Ordered()
}

// Stream implements op.Operator. The tail counts the stream before its input exists. When a join
// below gets a further stream, it leaves the rest of its rows to that one, and streams here that
// end for this reason must find the new stream counted.
func (s *streaming) Stream() (op.Stream, error) {
	if s.build == nil && !s.probeless {
		return s.grace.Stream(s.ctx, s.acct)
	}
	if s.tail != nil {
		s.tail.join()
	}
	if s.probeless {
		st := &probeStream{s: s, ended: true}
		st.finish = s.finisher(s.ctx, st.marks())
		return st, nil
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
	if err := st.open(s.matcher, spec.NewReader(s.ctx)); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	marks := st.marks()
	st.finish = s.finisher(s.ctx, marks)
	if s.nullAware {
		finder := s.unknownFinder(s.ctx, s.build, s.nulls, marks[match.LeftSide])
		if s.buildLeft && s.wholeRight == nil {
			st.meet = &heldFinder{unknownFinder: finder, left: s.build, leftNulls: s.nulls.Nulls}
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
		s.tail.held.Free()
	}
	build, probe, _, _ := s.sides()
	err := s.grace.Close()
	s.acct.End()
	return errors.Join(err, s.closeBuild(build), probe.Close())
}

// batchSource returns the batches of a stream.
type batchSource struct {
	in     op.Stream
	reader *input.Reader
}

// NextSide implements ProbeRows.
func (s *batchSource) NextSide() (*match.Side, int64, error) {
	b, err := s.in.Next()
	if err != nil || b == nil {
		return nil, 0, err
	}
	side, err := s.reader.Read(b)
	return side, b.Morsel, err
}

// Close implements ProbeRows.
func (s *batchSource) Close() {}

// probeStream probes with the rows of one input stream.
type probeStream struct {
	s      *streaming
	in     op.Stream
	rows   match.ProbeRows
	prober match.Prober
	finish *finisher
	meet   *heldFinder // for null-aware joins that hold left rows, while the NULLs of right rows are not known
	local  marks       // of the probe side

	probe  *match.Side // the batch or buffer being probed, or nil
	paired bool        // all of its pairs have been found
	rest   int         // once paired: its first row that is not finished
	ended  bool        // there are no more batches
	left   bool        // the tail knows that this stream has ended
}

// marks returns the marks of both sides.
func (p *probeStream) marks() (of [2]*marks) {
	build, probe := p.s.built()
	if p.s.tail != nil {
		of[build] = p.s.tail.sides[build].marks
	}
	if p.s.marks(probe) {
		of[probe] = &p.local
	}
	return of
}

// open makes the prober and its source of rows.
func (p *probeStream) open(m match.Builder, r *input.Reader) (err error) {
	switch m := m.(type) {
	case match.BufferedMatcher:
		p.prober, p.rows, err = m.BufferedProber(p.in, r)
	case match.Matcher:
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
	return p.s.tail.rest(p.s.ctx, p.finish)
}

// advance starts on the next probe batch.
func (p *probeStream) advance() error {
	if err := p.s.ctx.Err(); err != nil {
		return err
	}
	side, morsel, err := p.rows.NextSide()
	if err != nil || side == nil {
		p.ended = err == nil
		return err
	}
	p.probe = side
	if _, which := p.s.built(); p.s.marks(which) {
		p.local.reset(side.Rows, p.s.nullAware)
	}
	p.finish.out.b.Morsel = morsel
	return p.prober.Probe(p.probe)
}

// step returns further output of the current probe batch. It returns nil if there is none yet or
// the batch is done.
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

// finishRows returns what the kind of join adds for the next rows whose pairs have all been
// found.
func (p *probeStream) finishRows() (*vec.Batch, error) {
	side, from := p.probe, p.rest
	p.rest = min(from+p.s.ctx.Rows(), side.Rows)
	to := p.rest
	_, which := p.s.built()
	done := !p.s.marks(which)
	if p.meet != nil {
		if err := p.meet.find(side); err != nil {
			return nil, err
		}
	}
	if p.s.matched != nil {
		p.s.matched.Note(side, p.local.hit)
		done = true
	}
	if done || to == side.Rows {
		p.probe, p.paired, p.rest = nil, false, 0
	}
	if done {
		return nil, nil
	}
	return p.finish.rest(which, side, from, to)
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
		p.rows.Close()
	}
	if p.in == nil {
		return nil
	}
	return p.in.Close()
}
