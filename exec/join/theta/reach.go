package theta

import (
	"math/bits"

	"gsql/internal/mem"
)

// reach is a tree of greatest words over positions: the parent of node i is i/2, and position k
// is the leaf size+k. It finds the positions of a window whose words are at least a given one in
// O(log n) each, regardless of the number of other positions: a priority search tree (McCreight,
// "Priority Search Trees", SIAM J. Comput. 1985) whose order never changes.
type reach struct {
	tree []uint64
	size int32
}

// newReach makes the tree of words by position, complemented if falls is set. If words is nil,
// all n positions have the least word.
func newReach(acct *mem.Account, words []uint64, n int, falls bool) (*reach, *mem.Buffer[uint64], error) {
	size := 1 << bits.Len(uint(max(n, 1)-1))
	b, err := mem.Alloc[uint64](acct, 2*size)
	if err != nil {
		return nil, nil, err
	}
	t := b.S
	if words == nil {
		return &reach{t, int32(size)}, b, nil
	}
	copy(t[size:], words)
	if falls {
		for i := range words {
			t[size+i] = ^t[size+i]
		}
	}
	for i := size - 1; i > 0; i-- {
		t[i] = max(t[2*i], t[2*i+1])
	}
	return &reach{t, int32(size)}, b, nil
}

// next returns the first position in [at, to) whose word is at least x, or to.
func (r *reach) next(at, to int32, x uint64) int32 {
	if at >= to {
		return to
	}
	i, height := r.size+at, 0
	for r.tree[i] < x {
		for i&1 == 1 { // the subtrees to the left of a right child are done
			i, height = i>>1, height+1
		}
		i++
		if i == 1 || i<<height-r.size >= to { // the root has no sibling
			return to
		}
	}
	for i < r.size {
		if i *= 2; r.tree[i] < x {
			i++
		}
	}
	return min(i-r.size, to)
}

// raise sets the word of a position to x, which must not be less.
func (r *reach) raise(at int32, x uint64) {
	for i := r.size + at; i > 0 && r.tree[i] < x; i /= 2 {
		r.tree[i] = x
	}
}

// forget sets the word of a position to the least word.
func (r *reach) forget(at int32) {
	i := r.size + at
	for r.tree[i] = 0; i > 1; {
		i /= 2
		r.tree[i] = max(r.tree[2*i], r.tree[2*i+1])
	}
}
