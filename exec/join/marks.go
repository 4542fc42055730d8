package join

import "sync/atomic"

// marks holds two bits for every row of a side, 32 rows to a word: hit is set if the row has had
// a partner, unknown if the join condition was NULL for some partner. Several goroutines may set
// bits of shared marks at once.
type marks struct {
	hit, unknown []uint32
	shared       bool
}

func words(rows int) int { return (rows + 31) / 32 }

// reset clears the marks of one goroutine for a batch.
func (m *marks) reset(rows int, withUnknown bool) {
	m.hit = cleared(m.hit, words(rows))
	if withUnknown {
		m.unknown = cleared(m.unknown, words(rows))
	}
}

func cleared(s []uint32, n int) []uint32 {
	if cap(s) < n {
		return make([]uint32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// set sets the bits of rows. It reports whether one of them was already set, or occurs twice in
// rows.
func set(bits []uint32, rows []int32, shared bool) (twice bool) {
	if shared {
		return setShared(bits, rows)
	}
	var before uint32
	for _, r := range rows {
		bit := uint32(1) << (r & 31)
		before |= bits[r>>5] & bit
		bits[r>>5] |= bit
	}
	return before != 0
}

func setShared(bits []uint32, rows []int32) (twice bool) {
	for _, r := range rows {
		bit := uint32(1) << (r & 31)
		if atomic.LoadUint32(&bits[r>>5])&bit != 0 || atomic.OrUint32(&bits[r>>5], bit)&bit != 0 {
			twice = true
		}
	}
	return twice
}

// isSet reports whether the bit of a row is set. Other goroutines may set those of other rows
// meanwhile.
func isSet(bits []uint32, r int) bool { return atomic.LoadUint32(&bits[r>>5])>>(r&31)&1 != 0 }

// appendRows appends the rows of [from, to) whose bits satisfy keep.
func (m *marks) appendRows(dst []int32, from, to int, keep func(hit, unknown bool) bool) []int32 {
	for r := from; r < to; r++ {
		if keep(isSet(m.hit, r), m.unknown != nil && isSet(m.unknown, r)) {
			dst = append(dst, int32(r))
		}
	}
	return dst
}
