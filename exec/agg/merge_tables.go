package agg

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"gsql/exec/agg/keytable"
	"gsql/exec/agg/state"
	"gsql/exec/op"
	"gsql/sql/vec"
)

// The workers' tables are merged in partitions if they hold more than serialMerge groups together.
// A partition has about partitionGroups, which fit in the second-level cache with their keys and
// states.
const (
	serialMerge     = 1 << 14
	partitionGroups = 1 << 14
	maxPartitions   = 256
)

// mergeTables turns the workers' groups into partitions that share no key.
func (o *Operator) mergeTables() error {
	sources, total := o.parts, 0
	for _, s := range sources {
		total += s.n
	}
	if len(o.keys) == 0 || total <= serialMerge {
		return o.mergeInto(sources)
	}
	logParts := bits.Len(uint(max(total/partitionGroups, 2*o.ctx.Workers) - 1))
	logParts = min(logParts, bits.Len(maxPartitions-1))
	lists := make([]*state.ByGroup, len(sources))
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
func partition(t *keytable.Table, logParts int) *state.ByGroup {
	b := &state.ByGroup{}
	b.Build(1<<logParts, func(yield func(row, g int32)) {
		hash := make([]uint64, vec.BatchSize)
		for lo := 0; lo < t.Groups; lo += len(hash) {
			hi := min(lo+len(hash), t.Groups)
			for i, h := range t.HashesOf(lo, hi, hash) {
				yield(int32(lo+i), int32(h>>(64-logParts)))
			}
		}
	})
	return b
}

// mergeInto adds all sources to the first one.
func (o *Operator) mergeInto(sources []*groups) error {
	for _, s := range sources[1:] {
		if err := o.mergeGroups(sources[0], s, nil); err != nil {
			return err
		}
		s.free()
	}
	o.parts = sources[:1]
	return nil
}

func (o *Operator) mergePartition(dst *groups, sources []*groups, lists []*state.ByGroup, p int32) error {
	for i, s := range sources {
		if rows := lists[i].Of(p); len(rows) > 0 {
			if err := o.mergeGroups(dst, s, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeGroups adds the groups from of src, nil for all, to dst.
func (o *Operator) mergeGroups(dst, src *groups, from []int32) error {
	m := o.merger()
	defer o.mergers.Put(m)
	if from == nil {
		from = m.everyOne(src.n)
	}
	const step = 4 * vec.BatchSize
	for len(from) > 0 {
		if err := o.ctx.Err(); err != nil {
			return err
		}
		n := min(step, len(from))
		if err := m.add(o, dst, src, from[:n]); err != nil {
			return err
		}
		from = from[n:]
	}
	return nil
}

// merger holds the scratch space of merging.
type merger struct {
	to      []int32
	hash    []uint64
	all     []int32 // 0, 1, 2 and so on
	scratch []*vec.Vector
	rows    vec.Selector
}

// merger returns an unused merger, to be put back.
func (o *Operator) merger() *merger {
	if m, ok := o.mergers.Get().(*merger); ok {
		return m
	}
	m := &merger{}
	for _, t := range o.types {
		m.scratch = append(m.scratch, &vec.Vector{Type: t})
	}
	return m
}

// everyOne returns the numbers of n groups.
func (m *merger) everyOne(n int) []int32 {
	for len(m.all) < n {
		m.all = append(m.all, int32(len(m.all)))
	}
	return m.all[:n]
}

// places returns memory for the group numbers of n rows.
func (m *merger) places(n int) []int32 {
	m.to = slices.Grow(m.to[:0], n)[:n]
	return m.to
}

func (m *merger) add(o *Operator, dst, src *groups, from []int32) error {
	to := m.places(len(from))
	if dst.table == nil {
		clear(to)
	} else {
		m.hash = slices.Grow(m.hash[:0], len(from))
		hash := m.hash[:len(from)]
		keys := m.rows.Select(&vec.Batch{Cols: src.table.Keys, N: src.n}, from).Cols
		for i, k := range keys {
			keys[i] = k.Flatten(m.scratch[i])
		}
		src.table.HashesOfSome(from, keys, hash)
		if err := dst.table.FindHashed(keys, hash, to); err != nil {
			return err
		}
		if err := dst.grow(dst.table.Groups); err != nil {
			return err
		}
	}
	for i, s := range dst.states {
		if err := o.sets.TakeIn(dst.held, s, func() error { return s.Merge(src.states[i], from, to) }); err != nil {
			return err
		}
	}
	return nil
}
