package state

import (
	"gsql/exec/sort"
	"gsql/sql/vec"
)

// makeRoom spills the values if memory is scarce.
func (m *median[T]) makeRoom() error {
	if m.used >= setRows && m.files.Ctx.Spill != nil && Scarce(m.account, setLeft) {
		return m.Put()
	}
	return nil
}

// Join implements Keeper.
func (m *median[T]) Join(h *Held) { m.joinTo(h, m) }

// Rows implements Keeper.
func (m *median[T]) Rows() int { return m.used }

// Put implements Keeper. It spills the values.
func (m *median[T]) Put() error {
	if m.used == 0 {
		m.freeBlocks()
		return nil
	}
	disk, err := m.file(1)
	if err != nil {
		return err
	}
	b := &vec.Batch{Cols: []*vec.Vector{vec.NewFlat(groupType, setBlock), vec.NewFlat(m.types[1], setBlock)}}
	flush := func() error {
		if err := m.files.Ctx.Err(); err != nil {
			return err
		}
		full := &vec.Batch{Cols: []*vec.Vector{b.Cols[0].Slice(0, b.N), b.Cols[1].Slice(0, b.N)}, N: b.N}
		b.N = 0
		return disk.Put(0, full)
	}
	for g := range int32(m.n) {
		l := &m.lists.S[g]
		err := m.runs(g, func(xs []T) error {
			l.away += len(xs)
			for len(xs) > 0 {
				n := min(len(xs), setBlock-b.N)
				m.kind.put(xs[:n], b.Cols[1], b.N)
				for i := range n {
					b.Cols[0].I64[b.N+i] = int64(g)
				}
				if b.N, xs = b.N+n, xs[n:]; b.N == setBlock {
					if err := flush(); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		l.at, l.end, l.last = 0, 0, 0
	}
	m.freeBlocks()
	return flush()
}

// selectOnDisk takes the values in the middle of each group from all, sorted.
func (m *median[T]) selectOnDisk(p *picks[T]) error {
	of, at := int64(-1), 0
	return m.sorted(p.ctx, []sort.Column{{At: 1}}, func(cols []*vec.Vector, rows int) error {
		for i, g := range cols[0].I64[:rows] {
			if g != of {
				of, at = g, 0
			}
			n := m.lists.S[g].away
			if at == (n-1)/2 || at == n/2 {
				if err := p.add(int32(g), m.kind.get(cols[1], i)); err != nil {
					return err
				}
			}
			at++
		}
		return nil
	})
}
