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

// Once memory is scarce, rows spill by partition: their keys and arguments. The groups that exist
// by then stay in memory. At the end, each partition's rows are added to its groups, one
// partition at a time, so that only few further groups are in memory (hybrid hashing: DeWitt et
// al., Implementation Techniques for Main Memory Database Systems, 1984, applied to aggregation).
const (
	// diskPart is the part of the available memory that is still free when rows spill: it is
	// needed to complete partitions later.
	diskPart = 1.0 / 4
	// freezePart is the part that is free when a table that is not split takes no more rows,
	// because it may double in one step. Tables with fewer than freezeGroups groups take little
	// memory, unless they keep values.
	freezePart = 2.0 / 3
	// mergePart is the part that is free when the workers' groups are merged in memory.
	mergePart    = 3.0 / 4
	freezeGroups = 1 << 10
	// leastBuffer is the least number of rows in a partition's buffer when memory is scarce.
	leastBuffer = 4
)

// scarce reports whether rows should spill because less than a part of the memory within reach is
// left. It is false in phases in which rows cannot spill.
func (o *Operator) scarce(part float64) bool {
	if o.ctx.Spill == nil || len(o.keys) == 0 || !o.phase.maySpill() {
		return false
	}
	return state.Scarce(o.account, part)
}

// leaveRoom limits the memory of the tables of workers that collect rows concurrently, all of
// which may take memory at the same time. It leaves what is needed to complete partitions later.
func (o *Operator) leaveRoom() {
	if o.ctx.Spill == nil || len(o.keys) == 0 {
		return
	}
	o.reserve = o.account.SetAside(o.account.Own() / 2)
	if left := o.account.Left(); left < math.MaxInt64 {
		o.account.Limit(o.account.Used() + int64((1-diskPart)*float64(left)))
	}
}

// If less than crampedPart is free, a table of any size is frozen before a batch that might not
// fit: a batch is assumed to take groupBytes per row, and its texts.
const (
	crampedPart = 1.0 / 8
	groupBytes  = 128
	// freezeShare: tables that take less than this part of the memory within reach are small.
	freezeShare = 32
)

// freezeFrom returns the least number of groups for which a table is frozen when memory is
// scarce. It is lower if there is little memory altogether.
func (o *Operator) freezeFrom() int {
	reach := o.account.Left() + o.account.Used()
	return min(o.freezeAt, max(int(reach/(freezeShare*groupBytes)), 1))
}

// cramped reports whether memory might not suffice for what aggregates keep of a batch.
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

// textsOf returns the bytes of text that aggregates might keep of a batch, or 0 if what its groups
// take cannot exhaust memory.
func (o *Operator) textsOf(b *vec.Batch) (n int64) {
	if !o.texts || !o.scarce(freezePart) {
		return 0
	}
	for _, c := range b.Cols {
		n += c.TextBytes()
	}
	return n
}

// onDisk returns the operator's spilled partitions, creating them if memory is scarce. It returns
// nil if nothing has spilled yet.
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

// freeze leaves the worker's table unchanged and spills further rows by partition, without
// buffers if there is no memory for them.
func (l *local) freeze() error {
	s := l.o.newSplitter(&l.held)
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
	l.asc.on = false
	return nil
}

// put spills rows by partition.
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

// freezeOn freezes a table that lacked memory for a batch's groups; the batch then spills. It
// returns other errors.
func (l *local) freezeOn(refusal error) error {
	if !errors.Is(refusal, sqlerr.OutOfMemory) || l.o.ctx.Spill == nil {
		return refusal
	}
	l.table.Groups = l.groups.n // further groups have no states
	if l.table.Groups == 0 {
		if err := l.startOver(); err != nil {
			return err
		}
	}
	return l.freeze()
}

// startOver frees the memory of the groups and starts without groups.
func (l *local) startOver() (err error) {
	l.groups.free()
	l.held.Keepers = nil
	if l.groups, err = l.o.newGroups(); err == nil {
		l.join(&l.held)
	}
	return err
}

// Rows implements spill.Holder. It returns the number of rows that Put spills, counting 1 for the
// buffers, which stay while rows are dealt out to them.
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

// Put implements spill.Holder. It spills the rows that are kept and those in buffers. Further
// rows spill at once.
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

// goDirect spills the rows in the buffers and frees the buffers.
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
