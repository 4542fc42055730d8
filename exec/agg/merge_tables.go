package agg

import (
	"math/bits"
	"slices"

	"gsql/exec/agg/keytable"
	"gsql/exec/agg/state"
	"gsql/exec/op"
	"gsql/sql/vec"
)

// The workers' tables are merged in partitions if they hold more than serialMerge groups, or rows that
// states keep, together.
// A partition has about partitionGroups, which fit in the second-level cache with their keys and
// states.
const (
	serialMerge     = 1 << 14
	partitionGroups = 1 << 14
	maxPartitions   = 256
)

// mergeTables turns the workers' groups, and what their splitters hold, into partitions that share no
// key.
func (o *Operator) mergeTables() error {
	total, kept := 0, 0
	for _, s := range o.parts {
		total += s.n
		kept += s.keptRows()
	}
	logParts := splitBits
	if len(o.splits) == 0 {
		// Of two workers, one can as well add the rows of the other to its own.
		if len(o.keys) == 0 || total <= serialMerge && (kept <= serialMerge || len(o.parts) == 2) {
			return o.mergeInto(o.parts)
		}
		logParts = bits.Len(uint(max(total/partitionGroups, 2*o.ctx.Workers) - 1))
		logParts = min(logParts, bits.Len(maxPartitions-1))
	}
	sources := o.parts
	lists, err := o.listGroups(logParts)
	if err != nil {
		return err
	}
	parts := make([]*groups, 1<<logParts)
	err = op.EachTask(o.ctx, o.ctx.Workers, len(parts), func(p int) (err error) {
		parts[p], err = o.mergePart(lists, p)
		return err
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
	o.freeSplits()
	return nil
}

// mergePart returns the groups of partition p of all workers, those so far also on errors. Buffered
// rows come last, so that they do not make groups that must be merged.
func (o *Operator) mergePart(lists []*state.ByGroup, p int) (dst *groups, err error) {
	if dst, err = o.largestPart(lists, p); err != nil {
		return dst, err
	}
	for i, src := range o.parts {
		if rows := lists[i].Of(int32(p)); len(rows) > 0 {
			if err := o.mergeGroups(dst, src, rows); err != nil {
				return dst, err
			}
		}
	}
	for _, s := range o.splits {
		if src := s.parts[p]; src != nil {
			if err := o.mergeGroups(dst, src, nil); err != nil {
				return dst, err
			}
			src.free()
			s.parts[p] = nil
		}
	}
	for _, s := range o.splits {
		if err := s.addBuffered(dst, p); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// largestPart takes from a splitter the groups of partition p to which all others are to be added: the
// largest ones, or new ones if none has any.
func (o *Operator) largestPart(lists []*state.ByGroup, p int) (g *groups, err error) {
	var of *splitter
	for _, s := range o.splits {
		if src := s.parts[p]; src != nil && (g == nil || src.n > g.n) {
			g, of = src, s
		}
	}
	if g != nil {
		of.parts[p] = nil
		return g.apart(), nil
	}
	if g, err = o.newGroups(); err != nil {
		return nil, err
	}
	n := 0
	for _, l := range lists {
		n += len(l.Of(int32(p)))
	}
	return g, g.table.Extend(n)
}

// listGroups lists the groups of each of o.parts by partition.
func (o *Operator) listGroups(logParts int) ([]*state.ByGroup, error) {
	lists := make([]*state.ByGroup, len(o.parts))
	err := op.EachTask(o.ctx, o.ctx.Workers, len(lists), func(i int) error {
		lists[i] = partition(o.parts[i].table, logParts)
		return nil
	})
	return lists, err
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
