package window

import "gsql/internal/mem"

// fanout is the number of children of a node of the segment tree.
const fanout = 8

// tree aggregates over any frames with a segment tree: node j of level k holds the state of the
// positions [j*fanout^k, (j+1)*fanout^k) of the partition, for k from 1 on; level 0 is the rows
// themselves. Only full nodes are stored. Building it takes O(n), and each row O(log n). Rows are
// never removed from a state.
type tree[S any] struct {
	f        fold[S]
	o        *Operator
	out      *result
	nodes    *mem.Buffer[S]
	starts   []int      // of the levels from 1 on: the first node
	levels   []*list[S] // instead of nodes, if rows are on disk
	height   int        // levels from 1 on
	lo       int        // first position of the partition
	from, to int        // the last row's frame
	err      error      // of reading from disk
}

func (t *tree[S]) backwards() bool { return false }

func (t *tree[S]) free() {
	t.nodes.Free()
	for _, l := range t.levels {
		_ = l.reset() // the file has no name in its directory any more
	}
}

// begin builds the tree.
func (t *tree[S]) begin(p *partition) error {
	t.lo = p.lo
	if t.o.view != nil {
		return t.buildOnDisk(p)
	}
	return t.build(p.hi - p.lo)
}

// build builds the tree of count rows in memory.
func (t *tree[S]) build(count int) (err error) {
	t.starts = t.starts[:0]
	total := 0
	for n := count / fanout; n > 0; n /= fanout {
		t.starts = append(t.starts, total)
		total += n
	}
	t.height = len(t.starts)
	if t.nodes == nil {
		t.nodes, err = mem.Alloc[S](t.o.account, total)
	} else {
		err = t.nodes.Grow(total)
	}
	if err != nil {
		return err
	}
	for level := range t.starts {
		count /= fanout
		for j := range count {
			if j%(checkRows/fanout) == 0 {
				if err := t.o.ctx.Err(); err != nil {
					return err
				}
			}
			var s S
			t.take(&s, level, j*fanout, (j+1)*fanout)
			t.nodes.S[t.starts[level]+j] = s
		}
	}
	return nil
}

// buildOnDisk builds the tree in one pass over the rows: a node is merged into its parent as soon
// as it is full.
func (t *tree[S]) buildOnDisk(p *partition) error {
	for _, l := range t.levels {
		if err := l.reset(); err != nil {
			return err
		}
	}
	t.height = 0
	open := []S{*new(S)} // the nodes of each level that are not full
	for lo := p.lo; lo < p.hi; {
		base, end, err := t.o.reach(lo, p.hi)
		if err != nil {
			return err
		}
		for ; lo < end; lo++ {
			t.f.lift(&open[0], lo-base)
			n := lo + 1 - p.lo
			for level := 0; n%fanout == 0; level, n = level+1, n/fanout {
				if level+1 == len(open) {
					open = append(open, *new(S))
				}
				if err := t.add(level, open[level]); err != nil {
					return err
				}
				t.f.merge(&open[level+1], &open[level])
				open[level] = *new(S)
			}
		}
	}
	return nil
}

// add appends a node on disk to the level above the given one.
func (t *tree[S]) add(level int, s S) error {
	if level == len(t.levels) {
		t.levels = append(t.levels, newList[S](t.o.view.r.pool, t.o.ctx.Spill))
	}
	t.height = max(t.height, level+1)
	return t.levels[level].append(s)
}

// take merges the nodes [lo, hi) of a level into a state.
func (t *tree[S]) take(s *S, level, lo, hi int) {
	switch {
	case t.o.view != nil:
		t.takeFromDisk(s, level, lo, hi)
	case level == 0:
		for j := lo; j < hi; j++ {
			t.f.lift(s, t.lo+j)
		}
	default:
		nodes := t.nodes.S[t.starts[level-1]:]
		for j := lo; j < hi; j++ {
			t.f.merge(s, &nodes[j])
		}
	}
}

func (t *tree[S]) takeFromDisk(s *S, level, lo, hi int) {
	if level == 0 {
		if err := addRows(t.o, t.f, s, t.lo+lo, t.lo+hi); err != nil {
			t.err = err
		}
		return
	}
	for lo < hi {
		nodes, err := t.levels[level-1].get(lo, hi-lo)
		if err != nil {
			t.err = err
			return
		}
		for j := range nodes {
			t.f.merge(s, &nodes[j])
		}
		lo += len(nodes)
	}
}

// query returns the state of positions [lo, hi), counted from the partition's first. Level by
// level, it merges the nodes at both ends whose parent is not completely inside.
func (t *tree[S]) query(lo, hi int) (s S) {
	for level := 0; ; level++ {
		up, down := (lo+fanout-1)/fanout*fanout, hi/fanout*fanout
		if level == t.height || up >= down {
			t.take(&s, level, lo, hi)
			return s
		}
		t.take(&s, level, lo, up)
		t.take(&s, level, down, hi)
		lo, hi = up/fanout, down/fanout
	}
}

func (t *tree[S]) rows(p *partition, lo, hi int, f *frames) error {
	for i := lo; i < hi; i++ {
		from, to := f.from[i-lo], f.to[i-lo]
		if i > p.first && from == t.from && to == t.to {
			t.out.repeat(i-p.base, 1)
			continue
		}
		t.from, t.to = from, to
		s := t.query(from-p.lo, to-p.lo)
		if t.err != nil {
			return t.err
		}
		if err := t.f.put(i-p.base, &s); err != nil {
			return err
		}
	}
	return nil
}
