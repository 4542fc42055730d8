package rowset

import "math/bits"

// chunkRows is the number of rows covered by one chunk of deletions: small, so that deleting a
// row copies little.
const chunkRows = 2048

// Deletions marks deleted rows of a segment or tail. It is immutable; nil marks none.
type Deletions struct {
	chunks []*[chunkRows / 64]uint64 // nil if no row of the chunk is deleted
	n      int
}

// Count returns the number of deleted rows.
func (d *Deletions) Count() int {
	if d == nil {
		return 0
	}
	return d.n
}

// Has reports whether a row is deleted.
func (d *Deletions) Has(row int) bool {
	if d == nil || row/chunkRows >= len(d.chunks) {
		return false
	}
	c := d.chunks[row/chunkRows]
	return c != nil && c[row%chunkRows/64]>>(row%64)&1 != 0
}

// With returns d with the rows added, in any order. Unchanged chunks are shared with d.
func (d *Deletions) With(rows []int) *Deletions {
	out := &Deletions{n: d.Count()}
	size := 0
	if d != nil {
		size = len(d.chunks)
	}
	for _, r := range rows {
		size = max(size, r/chunkRows+1)
	}
	out.chunks = make([]*[chunkRows / 64]uint64, size)
	if d != nil {
		copy(out.chunks, d.chunks)
	}
	for _, r := range rows {
		c := r / chunkRows
		if out.chunks[c] == nil {
			out.chunks[c] = new([chunkRows / 64]uint64)
		} else if d != nil && c < len(d.chunks) && out.chunks[c] == d.chunks[c] {
			fresh := *d.chunks[c]
			out.chunks[c] = &fresh
		}
		word, bit := &out.chunks[c][r%chunkRows/64], uint64(1)<<(r%64)
		if *word&bit == 0 {
			*word |= bit
			out.n++
		}
	}
	return out
}

// None reports whether no row of [from, to) is deleted.
func (d *Deletions) None(from, to int) bool {
	if d == nil || d.n == 0 {
		return true
	}
	for c := from / chunkRows; c < len(d.chunks) && c*chunkRows < to; c++ {
		if d.chunks[c] == nil {
			continue
		}
		lo, hi := max(from, c*chunkRows), min(to, (c+1)*chunkRows)
		for r := lo; r < hi; r++ {
			if r%64 == 0 && d.chunks[c][r%chunkRows/64] == 0 {
				r += 63
				continue
			}
			if d.Has(r) {
				return false
			}
		}
	}
	return true
}

// Live appends to idx the rows of [from, to) that are not deleted, relative to from.
func (d *Deletions) Live(idx []int32, from, to int) []int32 {
	for r := from; r < to; {
		end := min(to, r/64*64+64)
		for w := d.liveWord(r/64) >> (r % 64) << (r % 64); w != 0; w &= w - 1 {
			at := r/64*64 + bits.TrailingZeros64(w)
			if at >= end {
				break
			}
			idx = append(idx, int32(at-from))
		}
		r = end
	}
	return idx
}

func (d *Deletions) liveWord(word int) uint64 {
	c := word / (chunkRows / 64)
	if d == nil || c >= len(d.chunks) || d.chunks[c] == nil {
		return ^uint64(0)
	}
	return ^d.chunks[c][word%(chunkRows/64)]
}

// AppendNth appends to rows those at the given places, ascending, among the rows that are not deleted. first
// is the place of the first of these.
func (d *Deletions) AppendNth(rows []int32, places []int64, first int64) []int32 {
	if d.Count() == 0 {
		for _, p := range places {
			rows = append(rows, int32(p-first))
		}
		return rows
	}
	word, live := 0, d.liveWord(0)
	for _, p := range places {
		for n := int64(bits.OnesCount64(live)); first+n <= p; n = int64(bits.OnesCount64(live)) {
			first += n
			word++
			live = d.liveWord(word)
		}
		w := live
		for range p - first {
			w &= w - 1
		}
		rows = append(rows, int32(word*64+bits.TrailingZeros64(w)))
	}
	return rows
}
