package crashfs

import "math/rand/v2"

// sync makes the changes of a file durable, except those that a failed sync has lost.
func (n *node) sync(gen generation) {
	if !n.lost {
		n.durable = n.current
	} else {
		for _, c := range n.pending {
			c.apply(&n.durable, gen)
		}
	}
	n.pending = nil
}

// lose is what a failed sync does: some changes become durable, and the others never will,
// although reads see them until the system ends.
func (n *node) lose(gen generation, op int) {
	r := rand.New(rand.NewPCG(uint64(op), 1))
	for _, c := range n.pending {
		if r.IntN(2) == 0 {
			c.apply(&n.durable, gen)
		} else {
			n.lost = true
		}
	}
	n.pending = nil
}

// apply makes a change.
func (c change) apply(to *content, gen generation) {
	if c.data == nil {
		to.truncate(gen, c.at)
	} else {
		to.write(gen, c.data, c.at)
	}
}

// sync makes names durable.
func (d *names) sync() { d.durable, d.pending = d.current, nil }
