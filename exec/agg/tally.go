package agg

// tally counts the rows of a batch by few groups once for all states of a worker that count them.
type tally struct {
	open    bool // a batch is being added, whose groups do not change
	counted bool
	n       [fewGroups]int32
}

// begin and end enclose the updates by a batch.
func (t *tally) begin() { t.open, t.counted = true, false }
func (t *tally) end()   { t.open = false }

// count adds the rows of each group to ns.
func (t *tally) count(ns []int64, gids []int32) {
	if t == nil || !t.open {
		var n [fewGroups]int32
		countFew(&n, gids)
		addTally(ns, &n)
		return
	}
	if !t.counted {
		t.counted = true
		countFew(&t.n, gids)
	}
	addTally(ns, &t.n)
}

func addTally(ns []int64, n *[fewGroups]int32) {
	for g, rows := range n[:len(ns)] {
		ns[g] += int64(rows)
	}
}

// tallied is a state that counts all rows of its groups.
type tallied interface{ tallyBy(t *tally) }
