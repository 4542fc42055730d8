package join

import (
	"cmp"
	"slices"

	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
)

// rangeMatcher joins by inequalities where one side is small: it is sorted by one operand,
// and the other side streams past. The partners of a row are a window of positions. Further
// tests whose words rise or fall with the positions, as the ends of periods that do not
// overlap do, narrow the window; of the others the first one is searched by a tree, and the
// rest is checked.
type rangeMatcher struct {
	cs   []comparison
	left bool // the left side is built
	once bool // one partner is enough
	// settles is set where one partner is enough for a built row, and a single worker probes:
	// rows that have one are looked at no more.
	settles bool

	ops      []string // "probe op build"
	tests    []test   // the first one drives
	rows     []int32  // by position
	words    [][]uint64
	narrow   []narrowing
	reach    *reach
	reached  int  // its test
	falls    bool // the reach is of complemented words
	checked  []int
	held     holdings
	searches []*search.Words
	after    []int32 // settles: a position not before which the next one without partner is
}

// narrowing is a test that has a window of positions.
type narrowing struct {
	test  int
	falls bool // words are complemented, and so are windows
	words *search.Words
}

// searchBuckets is how many buckets a table of words has at least.
const searchBuckets = 1 << 10

// Build implements Matcher.
func (m *rangeMatcher) Build(ctx *op.Ctx, acct *mem.Account, build *Side) error {
	m.ops, m.tests = orient(m.cs, m.left)
	m.drive()
	skip, err := mem.Alloc[bool](acct, build.Rows)
	if err != nil {
		return err
	}
	byRow := make([]*mem.Buffer[uint64], len(m.tests))
	defer func() {
		skip.Free()
		for _, w := range byRow {
			w.Free()
		}
	}()
	for i, t := range m.tests {
		if byRow[i], err = mem.Alloc[uint64](acct, build.Rows); err != nil {
			return err
		}
		if err = sideWords(ctx, byRow[i].S, build.Keys[t.key], skip.S); err != nil {
			return err
		}
	}
	order, err := SortWords(ctx, acct, byRow[0], skip)
	byRow[0], skip = nil, nil
	if err != nil {
		return err
	}
	m.held.add(order)
	m.rows, m.words = order.Rows, append(m.words, order.Words)
	for _, w := range byRow[1:] {
		arranged, err := Arrange(ctx, acct, w.S, m.rows)
		if err != nil {
			return err
		}
		m.held.add(arranged)
		m.words = append(m.words, arranged.S)
	}
	if m.settles = m.settles && ctx.Workers <= 1; m.settles {
		if err := m.unsettle(acct); err != nil {
			return err
		}
	}
	return m.plan(acct)
}

// unsettle makes room for what is known of settled positions.
func (m *rangeMatcher) unsettle(acct *mem.Account) error {
	after, err := mem.Alloc[int32](acct, len(m.rows)+1)
	if err != nil {
		return err
	}
	m.held.add(after)
	m.after = after.S
	for i := range m.after {
		m.after[i] = int32(i)
	}
	return nil
}

// unsettled gives the first position from at on that has no partner yet. Paths are halved, as
// in the disjoint sets of Tarjan and van Leeuwen (1984).
func (m *rangeMatcher) unsettled(at int32) int32 {
	if !m.settles {
		return at
	}
	for m.after[at] != at {
		m.after[at] = m.after[m.after[at]]
		at = m.after[at]
	}
	return at
}

// settle notes that a position has a partner.
func (m *rangeMatcher) settle(at int32) {
	if !m.settles {
		return
	}
	m.after[at] = at + 1
	if m.reach != nil {
		m.reach.forget(at)
	}
}

// drive puts the test first that is likely to have the smallest windows: one that is
// bounded on both sides, else the first one that is no "<>".
func (m *rangeMatcher) drive() {
	best := slices.IndexFunc(m.tests, func(t test) bool { return !t.negate })
	for i := range m.tests {
		if below, above := m.bounded(i); below && above && !m.tests[i].negate {
			best = i
			break
		}
	}
	m.tests[0], m.tests[best] = m.tests[best], m.tests[0]
}

// bounded tells by which ends windows of test i are bounded.
func (m *rangeMatcher) bounded(i int) (below, above bool) {
	for _, c := range m.tests[i].on {
		op := m.ops[c]
		below, above = below || op != ">" && op != ">=", above || op != "<" && op != "<="
	}
	return below, above
}

// plan decides how each test is run.
func (m *rangeMatcher) plan(acct *mem.Account) error {
	for i, words := range m.words {
		rises := slices.IsSorted(words)
		falls := !rises && slices.IsSortedFunc(words, func(a, b uint64) int { return cmp.Compare(b, a) })
		switch {
		case m.tests[i].negate:
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
			m.held.add(b)
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

func (m *rangeMatcher) addNarrowing(acct *mem.Account, i int, falls bool) error {
	words := m.words[i]
	if falls {
		w, err := mem.Alloc[uint64](acct, len(words))
		if err != nil {
			return err
		}
		m.held.add(w)
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
func (m *rangeMatcher) Close() {
	m.held.free()
	for _, s := range m.searches {
		s.Free()
	}
	m.searches = nil
}

// Prober implements Matcher.
func (m *rangeMatcher) Prober() Prober {
	return &rangeProber{m: m, words: make([][]uint64, len(m.cs)), windows: make([]windows, len(m.tests))}
}
