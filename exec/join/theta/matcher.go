package theta

import (
	"cmp"
	"slices"

	"gsql/exec/join/match"
	"gsql/exec/join/merge"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
	"gsql/sql/expr"
)

// RangeMatcher joins by inequalities if one side is small: it sorts that side by one operand, and
// the other side streams past. The partners of a row are a window of positions. Further
// predicates whose words rise or fall with the positions, as the ends of disjoint periods do,
// narrow the window. Of the other predicates, the first is searched with a tree, and the rest are
// checked.
type RangeMatcher struct {
	Comparisons []Comparison
	Left        bool // the left side is built
	Once        bool // one partner is enough for a probe row
	// Settles is set if one partner is enough for a build row. If a single worker probes, such
	// rows are skipped once they have a partner.
	Settles bool

	ops        []expr.FuncID // "probe op build"
	predicates []predicate   // the first one drives
	rows       []int32       // by position
	words      [][]uint64
	narrow     []narrowing
	reach      *reach
	reached    int  // the predicate of the reach
	falls      bool // the reach holds complemented words
	checked    []int
	held       mem.Buffers
	searches   []*search.Words
	after      []int32 // Settles: a position at or before the next one without a partner
}

// narrowing is a predicate whose partners are a window of positions.
type narrowing struct {
	test  int
	falls bool // words are complemented, and so are windows
	words *search.Words
}

// searchBuckets is the least number of buckets of a table of words.
const searchBuckets = 1 << 10

// Build implements Matcher.
func (m *RangeMatcher) Build(ctx *op.Ctx, acct *mem.Account, build *match.Side) error {
	m.ops, m.predicates = orient(m.Comparisons, m.Left)
	m.drive()
	skip, err := mem.Alloc[bool](acct, build.Rows)
	if err != nil {
		return err
	}
	byRow := make([]*mem.Buffer[uint64], len(m.predicates))
	defer func() {
		skip.Free()
		for _, w := range byRow {
			w.Free()
		}
	}()
	for i, t := range m.predicates {
		if byRow[i], err = mem.Alloc[uint64](acct, build.Rows); err != nil {
			return err
		}
		if err = keyenc.SideOrderKeys(ctx, byRow[i].S, build.Keys[t.key], skip.S); err != nil {
			return err
		}
	}
	order, err := merge.Sort(ctx, acct, &keyenc.Codes{Words: byRow[0], Skip: skip})
	byRow[0], skip = nil, nil
	if err != nil {
		return err
	}
	m.held.Add(order)
	m.rows, m.words = order.Rows, append(m.words, order.Codes)
	for _, w := range byRow[1:] {
		arranged, err := merge.Arrange(ctx, acct, w.S, m.rows)
		if err != nil {
			return err
		}
		m.held.Add(arranged)
		m.words = append(m.words, arranged.S)
	}
	if m.Settles = m.Settles && ctx.Workers <= 1; m.Settles {
		if err := m.unsettle(acct); err != nil {
			return err
		}
	}
	return m.plan(acct)
}

// unsettle allocates the records of positions with a partner.
func (m *RangeMatcher) unsettle(acct *mem.Account) error {
	after, err := mem.Alloc[int32](acct, len(m.rows)+1)
	if err != nil {
		return err
	}
	m.held.Add(after)
	m.after = after.S
	for i := range m.after {
		m.after[i] = int32(i)
	}
	return nil
}

// unsettled returns the first position from at on that has no partner yet. It halves paths, as in
// the disjoint sets of Tarjan and van Leeuwen (1984).
func (m *RangeMatcher) unsettled(at int32) int32 {
	if !m.Settles {
		return at
	}
	for m.after[at] != at {
		m.after[at] = m.after[m.after[at]]
		at = m.after[at]
	}
	return at
}

// settle records that a position has a partner.
func (m *RangeMatcher) settle(at int32) {
	if !m.Settles {
		return
	}
	m.after[at] = at + 1
	if m.reach != nil {
		m.reach.forget(at)
	}
}

// drive moves the predicate to the front that is likely to have the smallest windows: one bounded
// on both sides, otherwise the first that is not "<>".
func (m *RangeMatcher) drive() {
	best := slices.IndexFunc(m.predicates, func(t predicate) bool { return !t.negate })
	for i := range m.predicates {
		if below, above := m.bounded(i); below && above && !m.predicates[i].negate {
			best = i
			break
		}
	}
	m.predicates[0], m.predicates[best] = m.predicates[best], m.predicates[0]
}

// bounded reports at which ends windows of predicate i are bounded.
func (m *RangeMatcher) bounded(i int) (below, above bool) {
	for _, c := range m.predicates[i].on {
		op := m.ops[c]
		below, above = below || op != expr.FuncGT && op != expr.FuncGE, above || op != expr.FuncLT && op != expr.FuncLE
	}
	return below, above
}

// plan decides how each predicate is evaluated.
func (m *RangeMatcher) plan(acct *mem.Account) error {
	for i, words := range m.words {
		rises := slices.IsSorted(words)
		falls := !rises && slices.IsSortedFunc(words, func(a, b uint64) int { return cmp.Compare(b, a) })
		switch {
		case m.predicates[i].negate:
			m.checked = append(m.checked, i)
		case rises || falls:
			if err := m.addNarrowing(acct, i, falls); err != nil {
				return err
			}
		case m.reach == nil:
			below, _ := m.bounded(i)
			r, b, err := newReach(acct, words, len(words), !below)
			if err != nil {
				return err
			}
			m.held.Add(b)
			m.reach, m.reached, m.falls = r, i, !below
			if below, above := m.bounded(i); below && above {
				m.checked = append(m.checked, i)
			}
		default:
			m.checked = append(m.checked, i)
		}
	}
	return nil
}

func (m *RangeMatcher) addNarrowing(acct *mem.Account, i int, falls bool) error {
	words := m.words[i]
	if falls {
		w, err := mem.Alloc[uint64](acct, len(words))
		if err != nil {
			return err
		}
		m.held.Add(w)
		for k, x := range words {
			w.S[k] = ^x
		}
		words = w.S
	}
	s, err := search.New(acct, words, max(2*len(words), min(searchBuckets, 16*len(words))))
	if err != nil {
		return err
	}
	m.searches = append(m.searches, s)
	m.narrow = append(m.narrow, narrowing{i, falls, s})
	return nil
}

// Close implements Matcher.
func (m *RangeMatcher) Close() {
	m.held.Free()
	for _, s := range m.searches {
		s.Free()
	}
	m.searches = nil
}

// Prober implements Matcher.
func (m *RangeMatcher) Prober() match.Prober {
	return &rangeProber{m: m, words: make([][]uint64, len(m.Comparisons)), windows: make([]windows, len(m.predicates))}
}
