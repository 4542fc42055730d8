package window

import "gsql/internal/mem"

// fanout is the number of children of a node of the segment tree.
const fanout = 8

// tree aggregates over any frames with a segment tree: node j of level k holds the state
// of the positions [j*fanout^k, (j+1)*fanout^k) of the partition, for k from 1 on; rows
// themselves are level 0. Only nodes that are full are kept. It takes O(n) to build and
// O(log n) for a row, without ever taking a row away.
type tree[S any] struct {
	f        fold[S]
	o        *Operator
	out      *result
	nodes    *mem.Buffer[S]
	starts   []int // of the levels from 1 on, in nodes
	lo       int   // first position of the partition
	from, to int32 // the last row's frame
}

func (t *tree[S]) backwards() bool { return false }
func (t *tree[S]) free()           { t.nodes.Free() }

// begin builds the tree.
func (t *tree[S]) begin(p *partition) (err error) {
	t.lo, t.starts = p.lo, t.starts[:0]
	total := 0
	for n := (p.hi - p.lo) / fanout; n > 0; n /= fanout {
		t.starts = append(t.starts, total)
		total += n
	}
	if t.nodes == nil {
		t.nodes, err = mem.Alloc[S](t.o.account, total)
	} else {
		err = t.nodes.Grow(total)
	}
	if err != nil {
		return err
	}
	count := p.hi - p.lo
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

// take adds the nodes [lo, hi) of a level to a state.
func (t *tree[S]) take(s *S, level, lo, hi int) {
	if level == 0 {
		for j := lo; j < hi; j++ {
			t.f.lift(s, t.lo+j)
		}
		return
	}
	nodes := t.nodes.S[t.starts[level-1]:]
	for j := lo; j < hi; j++ {
		t.f.merge(s, &nodes[j])
	}
}

// query gives the state of positions [lo, hi), counted from the partition's first: the
// nodes at both ends that have no full parent within, level by level.
func (t *tree[S]) query(lo, hi int) (s S) {
	for level := 0; ; level++ {
		up, down := (lo+fanout-1)/fanout*fanout, hi/fanout*fanout
		if level == len(t.starts) || up >= down {
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
			t.out.repeat(i, 1)
			continue
		}
		t.from, t.to = from, to
		s := t.query(int(from)-p.lo, int(to)-p.lo)
		if err := t.f.put(i, &s); err != nil {
			return err
		}
	}
	return nil
}
