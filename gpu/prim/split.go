package prim

import (
	"encoding/binary"

	"gsql/gpu"
	"gsql/gpu/engine"
)

// SplitBits is the number of bits of a Split: as many parts as one pass makes, so that they can be
// dealt to devices evenly.
const SplitBits = 8

// Split is one device's share of a side whose rows are split into parts by the first SplitBits of
// their hashes, before devices exchange parts. Count and Move fill it in two steps, so that parts can
// be dealt while rows still move.
type Split struct {
	p Partitions
}

// SplitBytes returns the device memory of a Split of n rows, and what filling it takes in addition.
func SplitBytes(wide bool, width, n int64) int64 {
	kept, scratch := PartitionBytes(wide, width, n, SplitBits)
	return kept + scratch
}

// NewSplit allocates memory for a split of n rows.
func NewSplit(t *engine.Task, wide bool, width, n int64) (*Split, error) {
	p, err := NewPartitions(t, wide, width, n, SplitBits)
	if err != nil {
		return nil, err
	}
	s := &Split{p: *p}
	return s, s.p.allocScratch(t, s.p.levels())
}

// Hashes returns where the rows' hashes are after Move.
func (s *Split) Hashes() gpu.Ptr { return s.p.Hashes }

// Values returns where the rows' values are after Move.
func (s *Split) Values() gpu.Ptr { return s.p.Values }

// Count counts the rows of each part. The n rows are as many as the split has memory for, or fewer.
func (s *Split) Count(t *engine.Task, keys gpu.Ptr, n int64) error {
	p := &s.p
	p.Rows = n
	all := tiles{p.tiles, p.room(0)}
	if err := p.list(t, 0, all); err != nil {
		return err
	}
	if err := p.clear(t, 0); err != nil {
		return err
	}
	if err := p.count(t, 0, keys, all); err != nil {
		return err
	}
	return p.sum(t, 0)
}

// Bounds waits for Count and returns where parts begin; the last bound is the number of rows. It must
// not be called after Move.
func (s *Split) Bounds(t *engine.Task) ([]int64, error) {
	n := int(s.p.Count())
	raw := make([]byte, 8*n)
	if err := t.Read(raw, s.p.Bounds+8); err != nil {
		return nil, err
	}
	bounds := make([]int64, n+1)
	for i := range n {
		bounds[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	bounds[n] = s.p.Rows
	return bounds, nil
}

// Move queues writing the rows to their parts.
func (s *Split) Move(t *engine.Task, keys gpu.Ptr, carried Carried) error {
	p := &s.p
	return p.move(t, 0, rows{keys, carried}, p.place(0), tiles{p.tiles, p.room(0)})
}
