package joinorder

import (
	"strings"

	"gsql/planner/logical"
)

// tree is a join order: a relation, or the join of two trees.
type tree struct {
	set  relset
	l, r *tree // nil for a relation
	rows float64
	cost float64 // of all its joins and of reading the relations with a price, milliseconds
	// The cost that a dynamic filter on the rows streamed from the first relation of the tree,
	// its head, would reduce: reading the head, and the joins that these rows pass.
	head    int
	reads   reading
	passing float64 // milliseconds
	finder  *finder // nil if t is not a relation or has none
}

// unit returns the tree of one relation.
func (g *graph) unit(i int) *tree {
	return &tree{set: 1 << i, rows: g.rels[i].props.Rows, cost: g.rels[i].reads.ms, head: i, reads: g.rels[i].reads, finder: g.rels[i].finder}
}

// addShape adds the structure of t to a hash of shapes: which relations it joins with which.
func (t *tree) addShape(hash uint64) uint64 {
	if t.l == nil {
		return hash
	}
	const prime = 1099511628211 // of FNV-1a
	return t.r.addShape(t.l.addShape((hash ^ uint64(t.l.set)) * prime))
}

// builder builds logical joins from a tree.
type builder struct {
	g     *graph
	equal unionFind // columns made equal by joins built so far
	hints []*logical.JoinHint
}

func (b *builder) build(t *tree) logical.Node {
	if t.l == nil {
		return b.g.rels[t.set.first()].node
	}
	j := &logical.Join{Kind: logical.Inner, L: b.build(t.l), R: b.build(t.r)}
	for i := range b.g.edges {
		if e := &b.g.edges[i]; e.joins(t.l.set, t.r.set) && !b.implied(e) {
			j.On = append(j.On, e.pred)
		}
	}
	j.Hint = b.hint(t)
	return j
}

// joins reports whether the edge can be tested when l and r are joined, but not before.
func (e *edge) joins(l, r relset) bool {
	return e.rels&^(l|r) == 0 && e.rels&^l != 0 && e.rels&^r != 0
}

// implied reports whether an equality of columns follows from those already used in the tree
// below or at this join. If it does not, implied records it.
func (b *builder) implied(e *edge) bool {
	return e.class >= 0 && !b.equal.join(e.a, e.b)
}

// hint returns the user's hint for a join of the tree. A hint matches by the alias of an input
// relation, or if that relation was the right input of the hinted join.
func (b *builder) hint(t *tree) *logical.JoinHint {
	if len(b.hints) == 0 {
		return nil
	}
	for _, side := range []*tree{t.r, t.l} {
		if !side.set.single() {
			continue
		}
		r := &b.g.rels[side.set.first()]
		if forAnyTable(r.hint) || r.hint != nil && b.gone(r.hint) {
			return r.hint
		}
		for _, h := range b.hints {
			if names(h.Tables, r.alias) {
				return h
			}
		}
	}
	return b.blockHint()
}

// gone reports whether no relation has an alias in the hint. A derived table that was merged into
// the query has lost its alias, so the hint then stays with its join.
func (b *builder) gone(h *logical.JoinHint) bool {
	for i := range b.g.rels {
		if names(h.Tables, b.g.rels[i].alias) {
			return false
		}
	}
	return true
}

// blockHint returns a hint that all joins of the original tree had: it applies to all joins of
// the new tree.
func (b *builder) blockHint() *logical.JoinHint {
	n := 0
	var found *logical.JoinHint
	for _, h := range b.hints {
		if forAnyTable(h) {
			found = h
			n++
		}
	}
	if n < len(b.g.rels)-1 {
		return nil
	}
	return found
}

// forAnyTable reports whether a hint about algorithms names no tables.
func forAnyTable(h *logical.JoinHint) bool {
	return h != nil && len(h.Tables) == 0 && (len(h.Force)+len(h.Forbid) > 0 || h.Device != "")
}

func names(tables []string, alias string) bool {
	for _, t := range tables {
		if alias != "" && strings.EqualFold(t, alias) {
			return true
		}
	}
	return false
}
