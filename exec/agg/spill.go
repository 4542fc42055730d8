package agg

import (
	"errors"
	"math"

	"gsql/exec/agg/state"
	"gsql/exec/rowhash"
	"gsql/exec/spill"
	"gsql/sql/sqlerr"
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
	freezePart = 2.0 / 3
	// mergePart is the part that is left when the workers' groups are merged in memory.
	mergePart    = 3.0 / 4
	freezeGroups = 1 << 10
	// leastBuffer is the least rows of a partition's buffer when memory is scarce.
	leastBuffer = 4
)

// scarce reports whether less than a part of the memory within reach is left, where rows may
// go to disk for that.
func (o *Operator) scarce(part float64) bool {
	if o.ctx.Spill == nil || len(o.keys) == 0 || !o.phase.maySpill() {
		return false
	}
	return state.Scarce(o.account, part)
}

// leaveRoom limits the memory of the tables of workers that collect rows concurrently, all of them
// finding memory at the same time, by what it takes to complete partitions later.
func (o *Operator) leaveRoom() {
	if o.ctx.Spill == nil || len(o.keys) == 0 {
		return
	}
	o.reserve = o.account.SetAside(o.account.Own() / 2)
	if left := o.account.Left(); left < math.MaxInt64 {
		o.account.Limit(o.account.Used() + int64((1-diskPart)*float64(left)))
	}
}

// Where less than crampedPart is left, tables of any size are frozen for batches that there may
// be no room for: groupBytes a row and its texts.
const (
	crampedPart = 1.0 / 8
	groupBytes  = 128
	// freezeShare: tables that take less than this part of the memory within reach are small.
	freezeShare = 32
)

// freezeFrom returns how many groups a table has that takes memory when memory is scarce: where
// there is little altogether, few do.
func (o *Operator) freezeFrom() int {
	reach := o.account.Left() + o.account.Used()
	return min(o.freezeAt, max(int(reach/(freezeShare*groupBytes)), 1))
}

// cramped reports whether there may be no room for what aggregates keep of a batch.
func (o *Operator) cramped(b *vec.Batch) bool {
	if !o.scarce(crampedPart) {
		return false
	}
	need := groupBytes * int64(b.N)
	for _, c := range b.Cols {
		need += c.TextBytes()
	}
	return o.yielding.Left() < need
}

// onDisk returns the operator's disk, making one where memory has become scarce; nil as long
// as it has not.
func (o *Operator) onDisk(ts []types.Type, scarce bool) (*spill.Partitions, error) {
	o.diskMu.Lock()
	defer o.diskMu.Unlock()
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

// freeze leaves the worker's table as it is and deals out further rows to the disk, without
// buffers where there is no memory for these.
func (l *local) freeze() error {
	s := l.o.newSplitter()
	s.direct = s.rowsWithin() < leastBuffer
	if !s.direct {
		if err := s.reserve(); errors.Is(err, sqlerr.OutOfMemory) {
			s.freeBuffers()
			s.direct = true
		} else if err != nil {
			return err
		}
	}
	if _, err := l.o.onDisk(s.types(), true); err != nil {
		s.free()
		return err
	}
	l.deal(s)
	l.frozen, l.asc.on = true, false
	return nil
}

// put deals out rows to the disk by partition.
func (s *splitter) put(cols []*vec.Vector, rows int) error {
	hash := make([]uint64, rows)
	rowhash.Rows(cols[:len(s.o.types)], hash)
	var of [splitParts][]int32
	for i, h := range hash {
		p := h >> (64 - splitBits)
		of[p] = append(of[p], int32(i))
	}
	b := &vec.Batch{Cols: cols, N: rows}
	for p, idx := range of {
		if err := s.o.disk.Put(p, vec.Select(b, idx)); err != nil {
			return err
		}
	}
	return nil
}

// freezeOn freezes a table that refused a batch's groups, which go to disk then. Otherwise it
// returns the error why they were refused.
func (l *local) freezeOn(refusal error) error {
	if !errors.Is(refusal, sqlerr.OutOfMemory) || l.o.ctx.Spill == nil {
		return refusal
	}
	l.table.Groups = l.groups.n // those beyond have no states
	if l.table.Groups == 0 {
		if err := l.startOver(); err != nil {
			return err
		}
	}
	return l.freeze()
}

// startOver frees the memory of the groups and begins with none.
func (l *local) startOver() (err error) {
	l.groups.free()
	l.held.Keepers = nil
	if l.groups, err = l.o.newGroups(); err == nil {
		l.join(&l.held)
	}
	return err
}

// Rows implements spill.Holder: how many rows go to disk by Put, or 1 for the buffers. They stay while rows are
// dealt out to them.
func (s *splitter) Rows() int {
	n := 0
	for p := range s.kept {
		n += s.keptRows(p)
	}
	if s.hashes != nil && !s.busy {
		n++
	}
	return n
}

// Put implements spill.Holder: it moves the rows that are kept, and those in buffers, to disk. Further ones go there at
// once.
func (s *splitter) Put() error {
	d, err := s.o.onDisk(s.types(), true)
	if err != nil {
		return err
	}
	for p, blocks := range s.kept {
		for _, b := range blocks {
			if err := s.o.ctx.Err(); err != nil {
				return err
			}
			if err := d.Put(p, &vec.Batch{Cols: b.Columns(), N: b.Rows()}); err != nil {
				return err
			}
			b.Free()
		}
		s.kept[p] = nil
	}
	if s.busy || s.direct {
		return nil
	}
	return s.goDirect()
}

// goDirect frees the buffers, whose rows spill.
func (s *splitter) goDirect() error {
	if _, err := s.o.onDisk(s.types(), true); err != nil {
		return err
	}
	for p := range splitParts {
		if err := s.flush(p); err != nil {
			return err
		}
	}
	s.freeBuffers()
	s.direct = true
	return nil
}
