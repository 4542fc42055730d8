package agg

import (
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"gsql/exec/agg/state"
	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/exec/spill"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// completion is the state of the completing phase.
type completion struct {
	lists   []*state.ByGroup   // by element of parts: its groups by partition
	queue   spill.Queue[piece] // what is still to be completed
	abreast int64              // how many streams complete partitions at the same time
	streams atomic.Int64       // made so far
}

// mustComplete reports whether partitions must be completed one by one as they are emitted: some rows
// are on disk or ungrouped, or memory might not hold the merged groups together with their sources.
func (o *Operator) mustComplete() bool {
	if o.inOrder() {
		return false
	}
	if o.disk != nil || slices.ContainsFunc(o.splits, func(s *splitter) bool { return s.kept != nil }) {
		return true
	}
	return len(o.parts)+len(o.splits) > 1 && o.scarce(mergePart)
}

// beginCompleting moves what the workers' buffers hold to the other rows of their partitions and
// frees the buffers. Rows that states keep spill if memory is scarce.
func (o *Operator) beginCompleting() error {
	o.phase = completing
	err := op.EachTask(o.ctx, o.ctx.Workers, len(o.splits), func(i int) error {
		s := o.splits[i]
		s.busy = true
		for p := range splitParts {
			if err := s.flush(p); err != nil {
				return err
			}
		}
		s.freeBuffers()
		return nil
	})
	for _, g := range o.parts {
		if err == nil {
			err = o.makeRoom(g)
		}
	}
	if err != nil {
		return err
	}
	c := &o.completion
	if c.lists, err = o.listGroups(splitBits); err != nil {
		return err
	}
	o.reserve.Close()
	c.abreast = fitAbreast(o)
	for p := range splitParts {
		c.queue.Add(piece{part: splitParts - 1 - p})
	}
	return nil
}

// completingStream returns a stream of partitions, or one without rows if memory suffices for fewer
// streams.
func (o *Operator) completingStream() op.Stream {
	if o.completion.streams.Add(1) > o.completion.abreast {
		return nothing{}
	}
	o.completion.queue.Join()
	return &partStream{output: output{o: o}}
}

// By experience, a partition's spilled rows take at most rowFactor times their bytes as groups, and
// its groups in memory groupFactor times, since they are merged into others.
const rowFactor, groupFactor = 3, 2

// fitAbreast returns how many partitions, at least one, can be completed concurrently in half of the
// remaining memory.
func fitAbreast(o *Operator) int64 {
	left := o.account.Left()
	if left == math.MaxInt64 {
		return int64(o.ctx.Workers)
	}
	groups := 0
	for _, g := range o.parts {
		groups += g.n
	}
	perGroup := groupFactor * float64(o.account.Used()) / float64(max(groups, 1))
	most := 1.0
	for p := range splitParts {
		need := 0.0
		for _, l := range o.completion.lists {
			need += perGroup * float64(len(l.Of(int32(p))))
		}
		if o.disk != nil {
			for _, b := range o.disk.Blocks(p) {
				need += rowFactor * float64(b.Bytes())
			}
		}
		most = max(most, need)
	}
	return int64(min(max(float64(left)/2/most, 1), float64(o.ctx.Workers)))
}

// partStream completes partitions that no other stream has taken.
type partStream struct {
	output
	part *groups    // being returned
	last *vec.Batch // of part
	of   piece
	at   int
	left bool // the queue no longer counts this stream
}

// Next implements op.Stream.
func (s *partStream) Next() (*vec.Batch, error) {
	for !s.left {
		if err := s.o.ctx.Err(); err != nil {
			return nil, err
		}
		if s.part != nil && s.at < s.part.n {
			c := chunk{s.part, s.at, min(s.at+s.o.ctx.Rows(), s.part.n)}
			s.at = c.hi
			var err error
			s.last, err = s.batch(c, int64(s.of.part)<<32|int64(c.lo))
			return s.last, err
		}
		s.freePart()
		t, ok := s.o.completion.queue.Take()
		if !ok {
			s.end()
			continue
		}
		part, err := completePiece(s.o, t.Work)
		switch {
		case err == nil:
			s.part, s.of, s.at = part, t.Work, 0
		case !errors.Is(err, sqlerr.OutOfMemory) || !s.o.completion.queue.Postpone(t) && !dividePiece(s.o, t.Work):
			return nil, err
		}
	}
	return nil, nil
}

// end leaves the queue, unless postponed tasks are for this last stream. The last stream to leave
// frees what partitions were made of, since operators above may need the memory.
func (s *partStream) end() {
	var last bool
	if s.left, last = s.o.completion.queue.Leave(); last {
		s.o.freeParts()
	}
}

// freePart frees the groups that were returned. The last batch, to which consumers may refer until they receive
// the next one, does not keep their texts.
func (s *partStream) freePart() {
	if s.last != nil {
		for _, v := range s.last.Cols {
			v.Str = nil
		}
		s.last = nil
	}
	if s.part != nil {
		s.part.free()
		s.part = nil
	}
}

// Close implements op.Stream.
func (s *partStream) Close() error {
	s.freePart()
	if !s.left {
		s.left = true
		s.o.completion.queue.Abandon()
	}
	return nil
}

// nothing is a stream without rows: other streams return them all.
type nothing struct{}

// Next implements op.Stream.
func (nothing) Next() (*vec.Batch, error) { return nil, nil }

// Close implements op.Stream.
func (nothing) Close() error { return nil }

// dividePiece adds two tasks for the halves of a piece that does not fit in memory. It returns false if
// the piece was divided so often that its rows are of one group. Each task reads all of the
// partition's rows.
func dividePiece(o *Operator, p piece) bool {
	if p.bits == mostPieceBits {
		return false
	}
	half := piece{p.part, p.bits + 1, 2 * p.of}
	other := half
	other.of++
	o.completion.queue.Add(other, half)
	return true
}

// completePiece returns the groups of a piece: those of all workers with the spilled rows added. Its
// sources are freed only afterwards.
func completePiece(o *Operator, p piece) (*groups, error) {
	g, err := o.newGroups()
	if err != nil {
		return nil, err
	}
	if err := gatherPiece(o, g, p); err != nil {
		return nil, errors.Join(err, g.discard())
	}
	if p.bits == 0 {
		for _, s := range o.splits {
			s.drop(p.part)
		}
	}
	return g, nil
}

// gatherPiece adds all groups and rows of a piece to g.
func gatherPiece(o *Operator, g *groups, p piece) error {
	for i, s := range o.parts {
		if own := p.groupsOf(s.table, o.completion.lists[i].Of(int32(p.part))); len(own) > 0 {
			if err := o.mergeGroups(g, s, own); err != nil {
				return err
			}
		}
	}
	for _, s := range o.splits {
		src := s.parts[p.part]
		if src == nil {
			continue
		}
		own := p.groupsOf(src.table, nil)
		if p.bits > 0 && len(own) == 0 {
			continue
		}
		if err := o.mergeGroups(g, src, own); err != nil {
			return err
		}
	}
	if err := g.table.Extend(g.n + o.keptGroups(p)); err != nil {
		return err
	}
	for _, s := range o.splits {
		if err := s.addKept(g, p); err != nil {
			return err
		}
	}
	return readBack(o, g, p)
}

// addRows groups those rows of a partition that belong to the piece.
func (o *Operator) addRows(g *groups, p piece, b *vec.Batch) error {
	hash := make([]uint64, b.N)
	rowhash.Rows(b.Cols[:len(o.types)], hash)
	idx, all := p.rows(hash)
	if !all {
		if len(idx) == 0 {
			return nil
		}
		for i, row := range idx {
			hash[i] = hash[row]
		}
		hash = hash[:len(idx)]
		b = vec.Select(b, idx)
		for i, c := range b.Cols {
			b.Cols[i] = c.Flatten(nil)
		}
	}
	return g.addFlat(o, b.Cols, hash, make([]int32, len(hash)))
}

// readBack adds a piece's spilled rows to its groups and finishes their states.
func readBack(o *Operator, g *groups, p piece) error {
	var blocks []spill.Block
	var from *spill.Reader
	if o.disk != nil {
		blocks, from = o.disk.Blocks(p.part), o.disk.NewReader(o.account)
		defer from.Free()
	}
	for _, block := range blocks {
		if err := o.ctx.Err(); err != nil {
			return err
		}
		b, err := from.Read(block)
		if err != nil {
			return err
		}
		from.Forgo()
		if err := o.addRows(g, p, b); err != nil {
			return err
		}
	}
	if o.completion.abreast > 1 {
		return g.finish(alone(o.ctx))
	}
	return g.finish(o.ctx)
}
