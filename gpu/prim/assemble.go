package prim

import (
	"encoding/binary"
	"errors"

	"gsql/gpu"
	"gsql/gpu/engine"
)

// Run is rows [First, First+Rows) of a Source, all in one part of a split.
type Run struct {
	First, Rows int64
	Part        int
}

// Source is memory with rows of a split: hashes and values.
type Source struct {
	Hashes, Values gpu.Ptr
	Runs           []Run
}

// Assemble fills p with the partitions of the rows of all sources, which together have at most as
// many rows as p has memory for. Partitions have more bits than SplitBits. ready is called before the
// source of that index is read, so that the compute stream waits for copies no earlier than
// necessary.
func (p *Partitions) Assemble(t *engine.Task, sources []Source, ready func(source int) error) error {
	m := t.Mark()
	return errors.Join(p.assemble(t, sources, ready), t.Release(m))
}

func (p *Partitions) assemble(t *engine.Task, sources []Source, ready func(source int) error) error {
	p.known = SplitBits
	p.Rows = 0
	for _, s := range sources {
		for _, r := range s.Runs {
			p.Rows += r.Rows
		}
	}
	levels := p.levels()
	if err := p.allocScratch(t, levels); err != nil {
		return err
	}
	if err := p.clear(t, 0); err != nil {
		return err
	}
	lists := make([]tiles, len(sources))
	for i, s := range sources {
		var err error
		if lists[i], err = p.upload(t, s.Runs); err != nil {
			return err
		}
		if err := ready(i); err != nil {
			return err
		}
		if err := p.count(t, 0, s.Hashes, lists[i]); err != nil {
			return err
		}
	}
	if err := p.sum(t, 0); err != nil {
		return err
	}
	out := p.place(len(levels) - 1)
	for i, s := range sources {
		if err := p.move(t, 0, rows{s.Hashes, Carried{Width: p.Width, Column: s.Values}}, out, lists[i]); err != nil {
			return err
		}
	}
	return p.further(t, 1, rows{out.keys, Carried{Width: p.Width, Column: out.carried.Column}})
}

// tileBytes is the size of a tile (kernels/partition.cuh).
const tileBytes = 16

// upload lists the tiles of runs in device memory.
func (p *Partitions) upload(t *engine.Task, runs []Run) (tiles, error) {
	var raw []byte
	size := p.tileRows()
	for _, r := range runs {
		for first := r.First; first < r.First+r.Rows; first += size {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(first))
			raw = binary.LittleEndian.AppendUint32(raw, uint32(min(size, r.First+r.Rows-first)))
			raw = binary.LittleEndian.AppendUint32(raw, uint32(r.Part))
		}
	}
	if len(raw) == 0 {
		return tiles{}, nil
	}
	list, err := t.Alloc(int64(len(raw)))
	if err != nil {
		return tiles{}, err
	}
	return tiles{list, int64(len(raw) / tileBytes)}, t.Device.CopyToDevice(list, raw, t.Compute)
}
