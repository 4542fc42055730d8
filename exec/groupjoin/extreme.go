package groupjoin

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// extremes is MIN or MAX: a tree of the values' words, which are complemented for MAX.
type extremes struct {
	extremeOut
	*presence
	words *mem.Buffer[uint64] // by position
	tree  *mem.Buffer[uint64]
}

func newExtremes(ctx *op.Ctx, isMax bool, p *presence, v *vec.Vector, rows []int32, acct *mem.Account) (_ measure, err error) {
	m := &extremes{presence: p}
	defer func() {
		if err != nil {
			m.words.Free()
			m.tree.Free()
		}
	}()
	if m.extremeOut, err = newExtremeOut(ctx, isMax, v, acct); err != nil {
		return nil, err
	}
	if m.words, err = m.encode(ctx, v, rows, acct); err != nil {
		return nil, err
	}
	m.tree, err = leastTree(acct, len(rows))
	if err != nil {
		return nil, err
	}
	copy(m.tree.S[len(m.tree.S)/2:], m.words.S)
	buildLeast(m.tree.S)
	return m, nil
}

// encode returns the words by position.
func (m *extremes) encode(ctx *op.Ctx, v *vec.Vector, rows []int32, acct *mem.Account) (*mem.Buffer[uint64], error) {
	byRow, err := m.byRow(ctx, v, v.N, acct)
	if err != nil {
		return nil, err
	}
	defer byRow.Free()
	words, err := mem.Alloc[uint64](acct, len(rows))
	if err != nil {
		return nil, err
	}
	for k, r := range rows {
		words.S[k] = noWord
		if m.has(int32(k)) {
			words.S[k] = byRow.S[r]
		}
	}
	return words, nil
}

// leastTree returns an empty tree.
func leastTree(acct *mem.Account, n int) (*mem.Buffer[uint64], error) {
	t, err := mem.Alloc[uint64](acct, 2*treeSize(n))
	if err != nil {
		return nil, err
	}
	for i := range t.S {
		t.S[i] = noWord
	}
	return t, nil
}

func (m *extremes) windows(s *windowList, out *results) error {
	m.count(s, out.count)
	for i := range out.word {
		least := leastIn(m.tree.S, s.lo[i], s.hi[i])
		if s.lo2 != nil {
			least = min(least, leastIn(m.tree.S, s.lo2[i], s.hi2[i]))
		}
		out.word[i] = least
	}
	return nil
}

func (m *extremes) sweep(w *sweeping, from, to int, out *results) error {
	if err := w.counts(m.presence, from, to, out); err != nil {
		return err
	}
	t, err := leastTree(w.acct, len(m.words.S))
	if err != nil {
		return err
	}
	defer t.Free()
	entered := w.s.entered[from]
	for _, at := range w.at[:entered] {
		t.S[len(t.S)/2+int(at)] = m.words.S[at]
	}
	buildLeast(t.S)
	return w.each(from, to, func(i int) error {
		for ; entered < w.s.entered[i]; entered++ {
			at := w.at[entered]
			addLeast(t.S, at, m.words.S[at])
		}
		out.word[i] = leastIn(t.S, w.s.lo[i], w.s.hi[i])
		return nil
	})
}

func (m *extremes) free() {
	m.presence.free()
	m.words.Free()
	m.tree.Free()
}
