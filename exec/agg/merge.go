package agg

import (
	"math/bits"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/sql/vec"
)

// Tables of the workers are merged in partitions once they hold together more than
// serialMerge groups; a partition aims for partitionGroups, which with their keys and
// states stay in the second level cache.
const (
	serialMerge     = 1 << 14
	partitionGroups = 1 << 14
	maxPartitions   = 256
)

// merge turns the workers' groups into partitions that share no key.
func (o *Operator) merge() error {
	sources, total := o.parts, 0
	for _, s := range sources {
		total += s.n
	}
	if len(o.keys) == 0 || total <= serialMerge {
		return o.mergeInto(sources)
	}
	logParts := bits.Len(uint(max(total/partitionGroups, 2*o.ctx.Workers) - 1))
	logParts = min(logParts, bits.Len(maxPartitions-1))
	lists := make([]*byGroup, len(sources))
	err := op.Parallel(o.ctx, min(len(sources), o.ctx.Workers), func(w int) error {
		for i := w; i < len(sources); i += o.ctx.Workers {
			lists[i] = partition(sources[i].table, logParts)
		}
		return nil
	})
	if err != nil {
		return err
	}
	parts := make([]*groups, 1<<logParts)
	var next atomic.Int64
	err = op.Parallel(o.ctx, o.ctx.Workers, func(int) error {
		for {
			p := int(next.Add(1)) - 1
			if p >= len(parts) {
				return nil
			}
			g, err := o.newGroups()
			if err != nil {
				return err
			}
			parts[p] = g
			if err := o.mergePartition(g, sources, lists, int32(p)); err != nil {
				return err
			}
		}
	})
	for _, p := range parts {
		if p != nil {
			o.parts = append(o.parts, p)
		}
	}
	if err != nil {
		return err
	}
	for _, s := range sources {
		s.free()
	}
	o.parts = o.parts[len(sources):]
	return nil
}

// partition lists a table's groups by the top bits of their hashes.
func partition(t *table, logParts int) *byGroup {
	b := &byGroup{}
	b.build(1<<logParts, func(yield func(row, g int32)) {
		for i, h := range t.hashes.S[:t.n] {
			yield(int32(i), int32(h>>(64-logParts)))
		}
	})
	return b
}

// mergeInto adds all sources to the first one.
func (o *Operator) mergeInto(sources []*groups) error {
	var all []int32
	for _, s := range sources[1:] {
		for len(all) < s.n {
			all = append(all, int32(len(all)))
		}
		if err := o.mergeGroups(sources[0], s, all[:s.n]); err != nil {
			return err
		}
		s.free()
	}
	o.parts = sources[:1]
	return nil
}

func (o *Operator) mergePartition(dst *groups, sources []*groups, lists []*byGroup, p int32) error {
	for i, s := range sources {
		if rows := lists[i].of(p); len(rows) > 0 {
			if err := o.mergeGroups(dst, s, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeGroups adds the groups from of src to dst.
func (o *Operator) mergeGroups(dst, src *groups, from []int32) error {
	const step = 4 * vec.BatchSize
	m := merger{o: o, to: make([]int32, min(step, len(from))), hash: make([]uint64, min(step, len(from)))}
	for _, t := range o.types {
		m.scratch = append(m.scratch, &vec.Vector{Type: t})
	}
	for len(from) > 0 {
		if err := o.ctx.Err(); err != nil {
			return err
		}
		n := min(step, len(from))
		if err := m.add(dst, src, from[:n]); err != nil {
			return err
		}
		from = from[n:]
	}
	return nil
}

// merger holds the scratch space of merging.
type merger struct {
	o       *Operator
	to      []int32
	hash    []uint64
	scratch []*vec.Vector
	rows    vec.Selector
}

func (m *merger) add(dst, src *groups, from []int32) error {
	to := m.to[:len(from)]
	if dst.table == nil {
		clear(to)
	} else {
		hash := m.hash[:len(from)]
		for i, g := range from {
			hash[i] = src.table.hashes.S[g]
		}
		keys := m.rows.Select(&vec.Batch{Cols: src.table.keys, N: src.n}, from).Cols
		for i, k := range keys {
			keys[i] = k.Flatten(m.scratch[i])
		}
		if err := dst.table.findHashed(keys, hash, to); err != nil {
			return err
		}
		if err := dst.grow(dst.table.n); err != nil {
			return err
		}
	}
	for i, s := range dst.states {
		if err := s.merge(src.states[i], from, to); err != nil {
			return err
		}
	}
	return nil
}
