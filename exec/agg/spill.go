package agg

import (
	"math"

	"gsql/exec/rowhash"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// What goes to disk are the rows that come when memory is scarce, by partition: the keys and
// arguments of each. The groups that there are by then stay in memory as they are; in the end
// each partition's rows are added to its groups, one partition at a time, so that of those
// that are still to come only few are in memory (hybrid hashing: DeWitt et al.,
// Implementation Techniques for Main Memory Database Systems, 1984, for aggregation).
const (
	// diskPart is the part of the memory within reach that is left when rows go to disk:
	// what it takes to complete partitions later.
	diskPart = 1.0 / 4
	// freezePart is the part that is left when a table that is not split takes no more rows:
	// in one step it may double. Smaller tables than of freezeGroups are not what takes memory,
	// unless they keep values.
	freezePart   = 2.0 / 3
	freezeGroups = 1 << 10
	// leastBuffer is the least rows of a partition's buffer when memory is scarce.
	leastBuffer = 16
)

// scarce tells whether less than a part of the memory within reach is left, where rows may
// go to disk for that.
func (o *Operator) scarce(part float64) bool {
	if o.ctx.Spill == nil || len(o.keys) == 0 || o.collected {
		return false
	}
	return scarce(o.account, part)
}

// scarce tells whether less than a part of the memory within an account's reach is left.
func scarce(a *mem.Account, part float64) bool {
	left := a.Left()
	return left < math.MaxInt64 && float64(left) < part*float64(left+a.Used())
}

// onDisk gives the operator's disk, making one where memory has become scarce; nil as long
// as it has not.
func (o *Operator) onDisk(ts []types.Type, scarce bool) (*spill.Partitions, error) {
	o.spilling.Lock()
	defer o.spilling.Unlock()
	if o.disk != nil || !scarce {
		return o.disk, nil
	}
	f, err := o.ctx.Spill.Create(ts)
	if err != nil {
		return nil, err
	}
	o.disk = spill.NewPartitions(f, splitParts)
	return o.disk, nil
}

// freeze leaves the worker's table as it is and deals out further rows to the disk. Where
// there is no memory for the buffers everything stays as it was.
func (l *local) freeze() error {
	s := l.o.newSplitter()
	err := s.reserve()
	if err == nil {
		_, err = l.o.onDisk(s.types(), true)
	}
	if err == nil {
		l.split, l.frozen = s, true
		return nil
	}
	return l.keepWhole(s, err)
}

// settle puts what the workers' buffers hold where the other rows of their partitions are,
// and frees them.
func (o *Operator) settle() error {
	for _, s := range o.splits {
		for p := range splitParts {
			if err := s.flush(p); err != nil {
				return err
			}
		}
		s.freeBuffers()
	}
	for _, g := range o.parts {
		o.lists = append(o.lists, partition(g.table, splitBits))
	}
	return nil
}

// complete gives the groups of partition p: those of all workers with the rows on disk added.
func (o *Operator) complete(p int) (*groups, error) {
	g, err := o.newGroups()
	if err != nil {
		return nil, err
	}
	if err := o.gather(g, p); err != nil {
		g.free()
		return nil, err
	}
	return g, nil
}

// gather adds all that there is of partition p to g.
func (o *Operator) gather(g *groups, p int) error {
	if err := o.mergePartition(g, o.parts, o.lists, int32(p)); err != nil {
		return err
	}
	for _, s := range o.splits {
		if len(s.parts) == 0 {
			continue
		}
		if err := o.addPartition(g, s, p); err != nil {
			return err
		}
	}
	rows := g.n
	for _, s := range o.splits {
		rows += s.keptRows(p)
	}
	if err := g.table.extend(rows); err != nil {
		return err
	}
	for _, s := range o.splits {
		if err := s.addKept(g, p); err != nil {
			return err
		}
	}
	return o.readBack(g, p)
}

// readBack adds a partition's rows on disk to its groups and finishes them.
func (o *Operator) readBack(g *groups, p int) error {
	var blocks []spill.Block
	var from *spill.Reader
	if o.disk != nil {
		blocks, from = o.disk.Blocks(p), o.disk.NewReader()
	}
	for _, block := range blocks {
		if err := o.ctx.Err(); err != nil {
			return err
		}
		b, err := from.Read(block)
		if err != nil {
			return err
		}
		hash, gids := make([]uint64, b.N), make([]int32, b.N)
		rowhash.Rows(b.Cols[:len(o.types)], hash)
		if err := g.addFlat(o, b.Cols, hash, gids); err != nil {
			return err
		}
	}
	for _, s := range g.states {
		if err := s.finish(o.ctx); err != nil {
			return err
		}
	}
	return nil
}

// partStream completes partitions that no other stream has taken.
type partStream struct {
	output
	part  *groups // being given out
	p     int64
	at    int
	ended bool
}

// Next implements op.Stream.
func (s *partStream) Next() (*vec.Batch, error) {
	for {
		if err := s.o.ctx.Err(); err != nil {
			return nil, err
		}
		if s.part != nil && s.at < s.part.n {
			c := chunk{s.part, s.at, min(s.at+s.o.ctx.Rows(), s.part.n)}
			s.at = c.hi
			return s.batch(c, s.p<<32|int64(c.lo))
		}
		s.freePart()
		if s.p = s.o.cursor.Add(1) - 1; s.p >= splitParts {
			s.end()
			return nil, nil
		}
		var err error
		if s.part, err = s.o.complete(int(s.p)); err != nil {
			return nil, err
		}
		s.at = 0
	}
}

// end frees what partitions were made of once the last stream has given out its own: the
// operators above may want the memory.
func (s *partStream) end() {
	if s.ended {
		return
	}
	s.ended = true
	if s.o.reading.Add(-1) == 0 {
		s.o.freeParts()
	}
}

func (s *partStream) freePart() {
	if s.part != nil {
		s.part.free()
		s.part = nil
	}
}

// Close implements op.Stream.
func (s *partStream) Close() error {
	s.freePart()
	return nil
}
