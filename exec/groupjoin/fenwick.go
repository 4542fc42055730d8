package groupjoin

// fenwick sums values by position (Fenwick, "A New Data Structure for Cumulative Frequency
// Tables", Software: Practice and Experience 1994): element i, from 1, has the sum of the
// positions in [i - i&-i, i). It takes a quarter of the steps and of the memory of a tree, but
// sums over windows are differences.
type fenwick[T int32 | int64] []T

// build turns values into sums; the value of position k is in element k+1.
func (f fenwick[T]) build() {
	for i := 1; i < len(f); i++ {
		if up := i + i&-i; up < len(f) {
			f[up] += f[i]
		}
	}
}

// add adds x at a position.
func (f fenwick[T]) add(at int32, x T) {
	for i := int(at) + 1; i < len(f); i += i & -i {
		f[i] += x
	}
}

// between sums the positions in [lo, hi): the elements of either end, until they meet.
func (f fenwick[T]) between(lo, hi int32) (sum T) {
	for ; hi > lo; hi &= hi - 1 {
		sum += f[hi]
	}
	for ; lo > hi; lo &= lo - 1 {
		sum -= f[lo]
	}
	return sum
}
