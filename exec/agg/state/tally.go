package state

// Tally counts the rows of a batch by group, for few groups, once for all states of a worker that
// need these counts.
type Tally struct {
	open    bool // a batch is being added, and its groups do not change
	counted bool
	n       [fewGroups]int32
}

// Begin marks the start of the updates by a batch.
func (t *Tally) Begin() { t.open, t.counted = true, false }

// End marks their end.
func (t *Tally) End() { t.open = false }

// count adds the rows of each group to ns.
func (t *Tally) count(ns []int64, gids []int32) {
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

// Tallied is a state that counts all rows of its groups.
type Tallied interface {
	// TallyBy makes the state count with t, which it shares with other states.
	TallyBy(t *Tally)
}
