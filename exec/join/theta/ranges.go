package theta

import (
	"slices"
	"sync"

	"gsql/exec/join/match"
	"gsql/exec/join/merge"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// RangePairer joins by inequalities and holds both sides whole. Equality keys divide the inner
// side into groups.
type RangePairer struct {
	NullSafe    []bool // of the equality keys, which come first
	Comparisons []Comparison
	Once        bool

	ctx                 *op.Ctx
	acct                *mem.Account
	exact               bool
	leftKeys, rightKeys []*vec.Vector
	left, right         operands

	swapped    bool // the left side is the inner one
	ops        []expr.FuncID
	predicates []predicate // the first one drives: its windows are searched or swept
	outer      *operands   // at the end, its words are in the order of work
	inner      order
	drivers    []int32 // outer rows in the order of work
	sweep      *sweep  // nil for windows of the first predicate alone
	work       rangeWork

	mu       sync.Mutex
	held     mem.Buffers
	sweeping candidates // a sweep that no worker has yet; made early to detect a lack of memory
}

// operands holds the words and codes of one side's rows.
type operands struct {
	rows  int
	codes *keyenc.Codes // equality codes; Skip marks rows without partners
	words [][]uint64
}

// order is the sorted inner side.
type order struct {
	rows  []int32
	codes []uint64      // of the groups; nil without equality keys
	words [][]uint64    // by predicate
	find  *search.Words // of the first predicate; nil with equality keys
}

// Build implements Pairer.
func (m *RangePairer) Build(ctx *op.Ctx, acct *mem.Account, left, right *match.Side) error {
	m.ctx, m.acct = ctx, acct
	k := len(m.NullSafe)
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
func (m *RangePairer) encode(left, right *match.Side) (err error) {
	k := len(m.NullSafe)
	cs := &keyenc.Encoding{Exact: true}
	if k > 0 {
		cs = keyenc.NewEncoding(m.rightKeys, m.NullSafe)
		m.exact, m.Once = cs.Exact, m.Once && cs.Exact
	}
	for _, s := range []struct {
		o    *operands
		side *match.Side
	}{{&m.left, left}, {&m.right, right}} {
		s.o.rows = s.side.Rows
		if s.o.codes, err = keyenc.Encode(m.ctx, m.acct, cs, s.side.Keys[:k], s.side.Rows); err != nil {
			return err
		}
		m.hold(s.o.codes.Words)
		if s.o.codes.Skip == nil {
			if s.o.codes.Skip, err = mem.Alloc[bool](m.acct, s.side.Rows); err != nil {
				return err
			}
		}
		m.hold(s.o.codes.Skip)
		for range m.Comparisons {
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

// encodeWords computes the words of the comparisons one after another, because all of them mark
// rows in the same flags.
func (m *RangePairer) encodeWords(left, right []*vec.Vector) error {
	for i := range m.Comparisons {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		err := m.Comparisons[i].words(m.ctx, m.acct, m.left.words[i], m.right.words[i], left[i], right[i], m.left.codes.Skip.S, m.right.codes.Skip.S)
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *RangePairer) hold(b interface{ Free() }) {
	m.mu.Lock()
	m.held.Add(b)
	m.mu.Unlock()
}

func (m *RangePairer) innerSide() *operands {
	if m.swapped {
		return &m.left
	}
	return &m.right
}

// bounds returns the positions of ascending words that are inside w.
func bounds(words []uint64, w window) (from, to int) {
	from = merge.LowerBound(words, w.lo)
	if w.hi == ^uint64(0) {
		return from, len(words)
	}
	return from, from + merge.LowerBound(words[from:], w.hi+1)
}

// sortInner sorts the inner side by the first predicate's words, within groups of equal codes if
// there are keys.
func (m *RangePairer) sortInner() error {
	side := m.innerSide()
	s, err := m.sortRows(side.words[m.predicates[0].key], side)
	if err != nil {
		return err
	}
	m.inner.rows = s.Rows
	if len(m.NullSafe) > 0 {
		if err := m.groupInner(side, s); err != nil {
			return err
		}
	}
	for i := range m.predicates {
		w, err := merge.Arrange(m.ctx, m.acct, side.words[m.predicates[i].key], m.inner.rows)
		if err != nil {
			return err
		}
		m.hold(w)
		m.inner.words = append(m.inner.words, w.S)
	}
	return nil
}

// sortRows returns the rows of a side that can have partners, sorted by words.
func (m *RangePairer) sortRows(words []uint64, side *operands) (*merge.Order, error) {
	in := &keyenc.Codes{}
	var err error
	if in.Words, err = mem.Alloc[uint64](m.acct, side.rows); err != nil {
		return nil, err
	}
	copy(in.Words.S, words)
	if slices.Contains(side.codes.Skip.S, true) {
		if in.Skip, err = mem.Alloc[bool](m.acct, side.rows); err != nil {
			in.Free()
			return nil, err
		}
		copy(in.Skip.S, side.codes.Skip.S)
	}
	s, err := merge.Sort(m.ctx, m.acct, in)
	if err == nil {
		m.held.Add(s)
	}
	return s, err
}

// groupInner sorts rows that are in the order of words by their codes. The sort is stable.
func (m *RangePairer) groupInner(side *operands, s *merge.Order) error {
	codes, err := merge.Arrange(m.ctx, m.acct, side.codes.Words.S, s.Rows)
	if err != nil {
		return err
	}
	g, err := merge.Sort(m.ctx, m.acct, &keyenc.Codes{Words: codes})
	if err != nil {
		return err
	}
	m.held.Add(g)
	m.inner.rows, m.inner.codes = g.Rows, g.Codes
	return op.EachShare(m.ctx, len(g.Rows), func(from, to int) {
		for i, at := range g.Rows[from:to] {
			g.Rows[from+i] = s.Rows[at]
		}
	})
}

// sortOuter orders the outer rows so that consecutive ones examine neighbouring positions.
func (m *RangePairer) sortOuter() error {
	words := m.outer.words[m.predicates[0].on[0]]
	if m.sweep != nil {
		words = m.outer.words[m.sweep.by]
	} else if len(m.NullSafe) > 0 {
		words = m.outer.codes.Words.S
	}
	s, err := m.sortRows(words, m.outer)
	if err != nil {
		return err
	}
	m.drivers = s.Rows
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
func (m *RangePairer) arrangeOuter() error {
	for i, words := range m.outer.words {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		arranged, err := merge.Arrange(m.ctx, m.acct, words, m.drivers)
		if err != nil {
			return err
		}
		m.outer.words[i] = words[:copy(words, arranged.S)]
		arranged.Free()
	}
	return nil
}

// Close implements Pairer.
func (m *RangePairer) Close() {
	m.held.Free()
	m.inner.find.Free()
}
