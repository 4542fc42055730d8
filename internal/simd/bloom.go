package simd

import "unsafe"

const (
	// A filter of more words than farMembers is mostly outside the second-level cache; its words
	// are prefetched one block of elements ahead.
	farMembers          = 1 << 19
	membersAhead        = 256
	membersPerIteration = 8
)

// SelectMembers writes to dst the positions of those of the first done elements of xs that filter
// may contain, and returns their number. dst must be as long as xs, and the filter must have fewer
// than 2^32 words. The hash of x is the product of x ^ 0xa0761d6478bd642f and 0x9e3779b97f4a7c15,
// its upper 64 bits folded onto the lower ones. Its upper half, as a fraction of 2^32, determines
// the word of x, and its lowest four groups of six bits the bits set in that word.
func SelectMembers[T int64 | uint64](dst []int32, xs []T, filter []uint64) (selected, done int) {
	if done = len(xs) &^ (membersPerIteration - 1); current.selectMembers == nil || done == 0 {
		return 0, 0
	}
	_ = dst[done-1]
	first, words := (*int64)(unsafe.Pointer(&xs[0])), len(filter)
	if words <= farMembers {
		return current.selectMembers(&dst[0], first, done, &filter[0], words), done
	}
	current.prefetchMembers(first, min(membersAhead, done), &filter[0], words)
	for from := 0; from < done; from += membersAhead {
		to := min(from+membersAhead, done)
		if to < done {
			current.prefetchMembers((*int64)(unsafe.Pointer(&xs[to])), min(membersAhead, done-to), &filter[0], words)
		}
		n := current.selectMembers(&dst[selected], (*int64)(unsafe.Pointer(&xs[from])), to-from, &filter[0], words)
		for i := range dst[selected : selected+n] {
			dst[selected+i] += int32(from)
		}
		selected += n
	}
	return selected, done
}
