package join

import (
	"slices"
	"sync"

	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// rangePairer joins by inequalities. One side is sorted (inner) and every row of the
// other (outer) looks for its partners there: those in a window of one operand, which
// several comparisons on the operand (a band) unite to, filtered by the other
// comparisons; or, where no single window is selective, by the sweep of IEJoin, which may
// have a tree by a third comparison. Which ones these are, samples of both sides tell.
// Equality keys divide the inner side into groups.
type rangePairer struct {
	nullSafe []bool // of the equality keys, which come first
	cs       []comparison
	once     bool

	ctx                 *op.Ctx
	acct                *mem.Account
	exact               bool
	leftKeys, rightKeys []*vec.Vector
	left, right         operands

	swapped bool // the left side is the inner one
	ops     []string
	tests   []test    // the first one drives: its window is searched, or swept over
	outer   *operands // its words are in the order of work in the end
	inner   order
	drivers []int32 // outer rows in the order of work
	sweep   *sweep  // nil: windows of the first test
	work    rangeWork

	mu       sync.Mutex
	held     holdings
	sweeping candidates // a sweep that no worker has: a want of memory shows early
}

// operands are the words and codes of one side's rows.
type operands struct {
	rows  int
	codes *coded // equality codes; its skip marks rows without partners
	words [][]uint64
}

// order is the inner side, sorted.
type order struct {
	rows  []int32
	codes []uint64      // of the groups; nil without equality keys
	words [][]uint64    // by test
	find  *search.Words // of the first test; nil with equality keys
}

// Build implements Pairer.
func (m *rangePairer) Build(ctx *op.Ctx, acct *mem.Account, left, right *Side) error {
	m.ctx, m.acct = ctx, acct
	k := len(m.nullSafe)
	m.leftKeys, m.rightKeys = left.Keys[:k], right.Keys[:k]
	m.exact = true
	if err := m.encode(left, right); err != nil {
		return err
	}
	m.choose()
	if err := m.sortInner(); err != nil {
		return err
	}
	return m.sortOuter()
}

// encode computes codes and words of both sides.
func (m *rangePairer) encode(left, right *Side) (err error) {
	k := len(m.nullSafe)
	cs := &codes{exact: true}
	if k > 0 {
		cs = newCodes(m.rightKeys, m.nullSafe)
		m.exact, m.once = cs.exact, m.once && cs.exact
	}
	for _, s := range []struct {
		o    *operands
		side *Side
	}{{&m.left, left}, {&m.right, right}} {
		s.o.rows = s.side.Rows
		if s.o.codes, err = encodeSide(m.ctx, m.acct, cs, s.side.Keys[:k], s.side.Rows); err != nil {
			return err
		}
		m.hold(s.o.codes.codes)
		if s.o.codes.skip == nil {
			if s.o.codes.skip, err = mem.Alloc[bool](m.acct, s.side.Rows); err != nil {
				return err
			}
		}
		m.hold(s.o.codes.skip)
		for range m.cs {
			w, err := mem.Alloc[uint64](m.acct, s.side.Rows)
			if err != nil {
				return err
			}
			m.hold(w)
			s.o.words = append(s.o.words, w.S)
		}
	}
	return m.encodeWords(left.Keys[k:], right.Keys[k:])
}

// encodeWords computes the words of the comparisons one after the other: all mark rows
// in the same flags.
func (m *rangePairer) encodeWords(left, right []*vec.Vector) error {
	for i := range m.cs {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		scratch := int64(0)
		if !m.cs[i].hasWords() {
			scratch = 8 * int64(m.left.rows+m.right.rows)
		}
		if err := m.acct.Reserve(scratch); err != nil {
			return err
		}
		err := m.cs[i].words(m.ctx, m.left.words[i], m.right.words[i], left[i], right[i], m.left.codes.skip.S, m.right.codes.skip.S)
		if m.acct.Release(scratch); err != nil {
			return err
		}
	}
	return nil
}

func (m *rangePairer) hold(b interface{ Free() }) {
	m.mu.Lock()
	m.held.add(b)
	m.mu.Unlock()
}

func (m *rangePairer) innerSide() *operands {
	if m.swapped {
		return &m.left
	}
	return &m.right
}

// bounds gives the positions of ascending words that are inside w.
func bounds(words []uint64, w window) (from, to int) {
	from = lowerBound(words, w.lo)
	if w.hi == ^uint64(0) {
		return from, len(words)
	}
	return from, from + lowerBound(words[from:], w.hi+1)
}

// sortInner orders the inner side by the first test's words, within groups of equal
// codes where there are keys.
func (m *rangePairer) sortInner() error {
	side := m.innerSide()
	s, err := m.sortRows(side.words[m.tests[0].key], side)
	if err != nil {
		return err
	}
	m.inner.rows = s.rows
	if len(m.nullSafe) > 0 {
		if err := m.groupInner(side, s); err != nil {
			return err
		}
	}
	for i := range m.tests {
		w, err := Arrange(m.ctx, m.acct, side.words[m.tests[i].key], m.inner.rows)
		if err != nil {
			return err
		}
		m.hold(w)
		m.inner.words = append(m.inner.words, w.S)
	}
	return nil
}

// sortRows gives the rows of a side that take part, sorted by words.
func (m *rangePairer) sortRows(words []uint64, side *operands) (*sorted, error) {
	in := &coded{}
	var err error
	if in.codes, err = mem.Alloc[uint64](m.acct, side.rows); err != nil {
		return nil, err
	}
	copy(in.codes.S, words)
	if slices.Contains(side.codes.skip.S, true) {
		if in.skip, err = mem.Alloc[bool](m.acct, side.rows); err != nil {
			in.free()
			return nil, err
		}
		copy(in.skip.S, side.codes.skip.S)
	}
	s, err := sortCodes(m.ctx, m.acct, in)
	if err == nil {
		m.held = append(m.held, s.held...)
	}
	return s, err
}

// groupInner sorts the rows, which are in the order of words, by their codes.
func (m *rangePairer) groupInner(side *operands, s *sorted) error {
	codes, err := Arrange(m.ctx, m.acct, side.codes.codes.S, s.rows)
	if err != nil {
		return err
	}
	g, err := sortCodes(m.ctx, m.acct, &coded{codes: codes})
	if err != nil {
		return err
	}
	m.held = append(m.held, g.held...)
	m.inner.rows, m.inner.codes = g.rows, g.codes
	return eachShare(m.ctx, len(g.rows), func(from, to int) {
		for i, at := range g.rows[from:to] {
			g.rows[from+i] = s.rows[at]
		}
	})
}

// sortOuter orders the outer rows so that neighbours look at neighbouring places.
func (m *rangePairer) sortOuter() error {
	words := m.outer.words[m.tests[0].on[0]]
	if m.sweep != nil {
		words = m.outer.words[m.sweep.by]
	} else if len(m.nullSafe) > 0 {
		words = m.outer.codes.codes.S
	}
	s, err := m.sortRows(words, m.outer)
	if err != nil {
		return err
	}
	m.drivers = s.rows
	if err := m.arrangeOuter(); err != nil {
		return err
	}
	if m.inner.codes == nil {
		if m.inner.find, err = search.New(m.acct, m.inner.words[0], len(m.inner.rows)); err != nil {
			return err
		}
	}
	if err := m.divide(); err != nil || m.sweep == nil {
		return err
	}
	if err := m.sweep.prepare(m); err != nil {
		return err
	}
	m.sweeping, err = m.sweep.worker(m)
	return err
}

// arrangeOuter puts the outer words into the order of work.
func (m *rangePairer) arrangeOuter() error {
	for i, words := range m.outer.words {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		arranged, err := Arrange(m.ctx, m.acct, words, m.drivers)
		if err != nil {
			return err
		}
		m.outer.words[i] = words[:copy(words, arranged.S)]
		arranged.Free()
	}
	return nil
}

// Close implements Pairer.
func (m *rangePairer) Close() {
	m.held.free()
	m.inner.find.Free()
}
