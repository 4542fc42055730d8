package agg

import (
	"errors"

	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// flush aggregates the buffered rows of partition p. Goroutines may flush different partitions
// concurrently.
func (s *splitter) flush(p int) error {
	if s.n[p] == 0 {
		return nil
	}
	d, err := s.o.onDisk(s.types(), s.o.scarce(diskPart))
	if err != nil {
		return err
	}
	rows, done := int(s.n[p]), 0
	s.n[p] = 0
	defer func() {
		s.forget(p, rows)
		s.uncover(p)
	}()
	if d == nil {
		s.uncover(p) // what keeps the texts is charged for them
		if s.keepsRows() {
			done, err = s.keep(p, rows)
		} else {
			done, err = s.group(p, rows)
		}
		if err == nil && done < rows {
			d, err = s.o.onDisk(s.types(), true)
		}
	}
	if err != nil || done == rows {
		return err
	}
	return d.Put(p, s.buffered(p, done, rows))
}

// canPut reports whether rows that do not fit in memory can spill.
func (s *splitter) canPut(refusal error) bool {
	return errors.Is(refusal, sqlerr.OutOfMemory) && s.o.ctx.Spill != nil && s.o.phase.maySpill()
}

// group aggregates buffered rows of partition p as long as memory suffices for their groups, and
// returns their number.
func (s *splitter) group(p, rows int) (int, error) {
	g, err := s.groupsOf(p)
	if s.canPut(err) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	before, end := g.n, p*s.room+rows
	cols := make([]*vec.Vector, len(s.cols))
	m := s.o.merger()
	defer s.o.mergers.Put(m)
	gids := m.places(vec.BatchSize)
	for lo := p * s.room; lo < end; lo += vec.BatchSize {
		if err := s.o.ctx.Err(); err != nil {
			return 0, err
		}
		hi := min(lo+vec.BatchSize, end)
		for i := range cols {
			cols[i] = s.cols[i].slice(lo, hi)
		}
		if err := g.find(s.o, cols, s.hashes.S[lo:hi], gids[:hi-lo]); s.canPut(err) {
			g.table.Groups = g.n // those beyond have no states
			return lo - p*s.room, nil
		} else if err != nil {
			return 0, err
		}
		if err := g.update(s.o, cols, gids[:hi-lo]); err != nil {
			return 0, err
		}
	}
	if s.o.phase.maySpill() {
		s.grouped += rows
		s.made += g.n - before
	}
	return rows, nil
}

// groupsOf returns the groups of full buffers of partition p, which it makes if there are none yet.
func (s *splitter) groupsOf(p int) (g *groups, err error) {
	if s.parts[p] == nil {
		if g, err = s.o.newGroups(); err != nil {
			return nil, err
		}
		s.parts[p] = g.join(s.held)
	}
	return s.parts[p], nil
}

// addBuffered moves the buffered rows of partition p to g.
func (s *splitter) addBuffered(g *groups, p int) error {
	rows := int(s.n[p])
	if rows == 0 {
		return nil
	}
	s.n[p] = 0
	defer s.forget(p, rows)
	s.uncover(p) // what keeps the texts is charged for them
	cols := make([]*vec.Vector, len(s.cols))
	m := s.o.merger()
	defer s.o.mergers.Put(m)
	gids := m.places(vec.BatchSize)
	for lo, end := p*s.room, p*s.room+rows; lo < end; lo += vec.BatchSize {
		if err := s.o.ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+vec.BatchSize, end)
		for i := range cols {
			cols[i] = s.cols[i].slice(lo, hi)
		}
		if err := g.addFlat(s.o, cols, s.hashes.S[lo:hi], gids[:hi-lo]); err != nil {
			return err
		}
	}
	return nil
}

// addFlat aggregates flat rows, keys and arguments, whose hashes are known.
func (g *groups) addFlat(o *Operator, cols []*vec.Vector, hash []uint64, gids []int32) error {
	if err := g.find(o, cols, hash, gids); err != nil {
		return err
	}
	return g.update(o, cols, gids)
}

// find returns the groups of rows, adding new ones.
func (g *groups) find(o *Operator, cols []*vec.Vector, hash []uint64, gids []int32) error {
	if err := g.table.FindHashed(cols[:len(o.types)], hash, gids); err != nil {
		return err
	}
	return g.grow(g.table.Groups)
}

// update adds rows of known groups to the states.
func (g *groups) update(o *Operator, cols []*vec.Vector, gids []int32) error {
	args := cols[len(o.types):]
	for i, st := range g.states {
		n := len(o.aggs[i].args)
		own := args[:n]
		if err := o.sets.TakeIn(g.held, st, func() error { return st.Update(gids, len(gids), own) }); err != nil {
			return err
		}
		args = args[n:]
	}
	return nil
}
