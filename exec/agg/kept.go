package agg

import (
	"math"

	"gsql/exec/colstore"
	"gsql/sql/vec"
)

// If hardly any rows share a group, grouping them on arrival builds large tables that are merged
// into larger ones. Such rows are kept ungrouped, by partition; each partition is
// grouped in one table when it is completed, and freed afterwards.
const (
	// keepFrom is how many rows a worker has grouped before it looks at how few groups these are.
	keepFrom = 1 << 18
	// keepShare: of n rows with d duplicates among them, drawn from many groups, the N rows of a
	// worker have more than N/2 groups if d < keepShare * n * n/N: there are G = n*n/2d groups
	// and G(1 - exp(-N/G)) of them are met.
	keepShare = 0.79
)

// keepsRows reports whether the groups so far suggest that rows are better kept ungrouped.
func (s *splitter) keepsRows() bool {
	if s.kept == nil && s.o.phase.maySpill() && s.grouped >= s.o.keepFrom {
		n := float64(s.grouped)
		all := max(s.o.inRows/float64(s.o.ctx.Workers), 2*n)
		if float64(s.grouped-s.made) < keepShare*n*n/all {
			s.kept = make([][]*colstore.Store, splitParts)
		}
	}
	return s.kept != nil
}

// keep moves the buffered rows of partition p to its kept rows. It returns their number: all that are
// buffered, or none if memory does not suffice.
func (s *splitter) keep(p, rows int) (int, error) {
	block := colstore.New(s.types(), s.o.account)
	if err := block.Append(s.buffered(p, 0, rows)); err != nil {
		block.Free()
		if s.canPut(err) {
			return 0, nil
		}
		return 0, err
	}
	s.kept[p] = append(s.kept[p], block)
	return rows, nil
}

// addKept groups the kept rows of a piece.
func (s *splitter) addKept(g *groups, p piece) error {
	if s.kept == nil {
		return nil
	}
	for _, block := range s.kept[p.part] {
		if err := s.o.ctx.Err(); err != nil {
			return err
		}
		if err := s.o.addRows(g, p, &vec.Batch{Cols: block.Columns(), N: block.Rows()}); err != nil {
			return err
		}
	}
	return nil
}

// drop frees the groups and kept rows of partition p.
func (s *splitter) drop(p int) {
	s.parts[p].free()
	if s.kept != nil {
		for _, block := range s.kept[p] {
			block.Free()
		}
		s.kept[p] = nil
	}
}

// keptRows returns the number of rows that partition p keeps.
func (s *splitter) keptRows(p int) (n int) {
	if s.kept != nil {
		for _, block := range s.kept[p] {
			n += block.Rows()
		}
	}
	return n
}

// keptGroups estimates how many groups the kept rows of a piece make: see keepShare.
func (o *Operator) keptGroups(p piece) int {
	rows, all := 0, math.Inf(1)
	for _, s := range o.splits {
		rows += s.keptRows(p.part)
		if d := s.grouped - s.made; s.kept != nil && d > 0 {
			all = min(all, float64(s.grouped)*float64(s.grouped)/float64(2*d))
		}
	}
	n, groups := float64(rows), all/splitParts
	if n < groups {
		return rows >> p.bits // most of them
	}
	return int(groups*(1-math.Exp(-n/groups))) >> p.bits
}

func (s *splitter) freeKept() {
	for _, blocks := range s.kept {
		for _, block := range blocks {
			block.Free()
		}
	}
	s.kept = nil
}
