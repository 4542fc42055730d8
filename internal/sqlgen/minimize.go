package sqlgen

import "slices"

// plainest is the shortest expression of each kind, which minimising tries first.
var plainest = map[Kind]string{
	Int: "1", Uint: "1", Dec: "1.5", Float: "1e0", Str: "'a'", Date: "DATE '2024-01-31'",
	DateTime: "TIMESTAMP '2024-01-31 10:00:00'", Time: "TIME '10:00:00'", Bool: "TRUE",
}

// Minimize removes and replaces pieces of root as long as fails reports that the smaller statement
// still shows the failure. It calls fails at most budget times. root is not changed.
func Minimize(root *Node, budget int, fails func(*Node) bool) *Node {
	m := &minimizer{root: root.Clone(), budget: budget, fails: fails}
	for before := -1; before != m.root.size() && m.budget > 0; {
		before = m.root.size()
		var nodes []*Node
		m.root.walk(func(n *Node) { nodes = append(nodes, n) })
		for _, n := range nodes {
			m.reduce(n)
		}
	}
	return m.root
}

type minimizer struct {
	root   *Node
	budget int
	fails  func(*Node) bool
}

// try keeps the node's new form if the statement still fails.
func (m *minimizer) try(n *Node, form Node) bool {
	if m.budget <= 0 {
		return false
	}
	m.budget--
	old := *n
	*n = form
	if m.fails(m.root) {
		return true
	}
	*n = old
	return false
}

// reduce tries every smaller form of a node.
func (m *minimizer) reduce(n *Node) {
	if n.Off {
		return
	}
	if n.Optional {
		off := *n
		off.Off = true
		if m.try(n, off) {
			return
		}
	}
	if n.Text == nil {
		for i := len(n.Kids) - 1; i >= 0 && len(n.Kids) > n.Min; i-- {
			shorter := *n
			shorter.Kids = slices.Delete(slices.Clone(n.Kids), i, i+1)
			m.try(n, shorter)
		}
		return
	}
	if n.Kind == "" || len(n.Kids) == 0 {
		return
	}
	if plain := plainest[n.Kind]; plain != "" && m.try(n, Node{Kind: n.Kind, Text: []string{plain}}) {
		return
	}
	var below []*Node
	n.walk(func(k *Node) {
		if k != n && k.Kind == n.Kind {
			below = append(below, k)
		}
	})
	for _, k := range below {
		if m.try(n, *k) {
			return
		}
	}
}
