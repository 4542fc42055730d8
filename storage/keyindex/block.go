package keyindex

import (
	"math"
	"math/bits"
	"sort"
)

// block is an immutable table of many keys, ordered by the first word of their prints. Of entries with equal
// prints the one with the highest row id is valid: the others are of deleted rows.
type block struct {
	base   int64 // the entries' rows are ids less base
	top    uint32
	shift  uint     // a first word shifted right by it is the number of a bucket
	starts []uint32 // of the buckets, and the number of entries
	hi     []uint64
	lo     []uint64 // nil for keys of one integer
	rows   []uint32
}

// bucketRows is the highest average number of entries in a bucket.
const bucketRows = 8

// bucketBits returns the binary logarithm of the number of buckets for n entries.
func bucketBits(n int) uint { return uint(bits.Len(uint(max(0, n-1)) / bucketRows)) }

// newBlock returns a block with room for n entries in 2^size buckets.
func newBlock(form Form, base int64, n int, size uint) *block {
	b := &block{base: base, shift: 64 - size, starts: make([]uint32, 1<<size+1), hi: make([]uint64, n), rows: make([]uint32, n)}
	if form != Integer {
		b.lo = make([]uint64, n)
	}
	b.starts[len(b.starts)-1] = uint32(n)
	return b
}

// blockBytes returns the size of a block of n entries.
func blockBytes(form Form, n int) int64 {
	size := int64(12*n) + 4<<bucketBits(n)
	if form != Integer {
		size += int64(8 * n)
	}
	return size
}

func (b *block) bytes() int64 {
	return int64(4*len(b.starts) + 8*len(b.hi) + 8*len(b.lo) + 4*len(b.rows))
}

func (b *block) len() int { return len(b.rows) }

func (b *block) print(i int) print {
	if b.lo == nil {
		return print{hi: b.hi[i]}
	}
	return print{b.hi[i], b.lo[i]}
}

func (b *block) id(i int) int64 { return b.base + int64(b.rows[i]) }

// get returns the highest row id of the key with a print, -1 if there is none.
func (b *block) get(p print) int64 {
	id := int64(-1)
	for i, to := b.bucket(p.hi >> b.shift); i < to; i++ {
		if b.has(i, p) {
			id = max(id, b.id(i))
		}
	}
	return id
}

// lowest is like get for the lowest id.
func (b *block) lowest(p print) int64 {
	id := int64(-1)
	for i, to := b.bucket(p.hi >> b.shift); i < to; i++ {
		if b.has(i, p) && (id < 0 || b.id(i) < id) {
			id = b.id(i)
		}
	}
	return id
}

// has reports whether entry i has a print.
func (b *block) has(i int, p print) bool { return b.hi[i] == p.hi && (b.lo == nil || b.lo[i] == p.lo) }

// bucket returns the range of a bucket's entries.
func (b *block) bucket(n uint64) (from, to int) { return int(b.starts[n]), int(b.starts[n+1]) }

// sortBucket orders the entries in [from, to) by the first words of their prints. Entries with equal ones stay in order.
func (b *block) sortBucket(from, to int) {
	if to-from > 4*bucketRows {
		sort.Stable(&entries{b, from, to - from})
		return
	}
	for i := from + 1; i < to; i++ {
		for j := i; j > from && b.hi[j] < b.hi[j-1]; j-- {
			b.swap(j, j-1)
		}
	}
}

func (b *block) swap(i, j int) {
	b.hi[i], b.hi[j] = b.hi[j], b.hi[i]
	b.rows[i], b.rows[j] = b.rows[j], b.rows[i]
	if b.lo != nil {
		b.lo[i], b.lo[j] = b.lo[j], b.lo[i]
	}
}

// entries are some of a block's, to be sorted.
type entries struct {
	b       *block
	from, n int
}

func (e *entries) Len() int           { return e.n }
func (e *entries) Less(i, j int) bool { return e.b.hi[e.from+i] < e.b.hi[e.from+j] }
func (e *entries) Swap(i, j int)      { e.b.swap(e.from+i, e.from+j) }

// keep returns the block with the entries of rows that are alive, or nil if there are none.
func (b *block) keep(form Form, alive func(id int64) bool) *block {
	live := make([]uint32, 0, len(b.rows))
	for i := range b.rows {
		if alive(b.id(i)) {
			live = append(live, uint32(i))
		}
	}
	if len(live) == b.len() {
		return b
	}
	if len(live) == 0 {
		return nil
	}
	out := newBlock(form, b.base, len(live), bucketBits(len(live)))
	for to, i := range live {
		out.set(to, b, int(i))
	}
	out.index()
	return out
}

// set copies entry j of from, whose base is at least b's, to i.
func (b *block) set(i int, from *block, j int) {
	b.hi[i] = from.hi[j]
	if b.lo != nil {
		b.lo[i] = from.lo[j]
	}
	b.rows[i] = from.rows[j] + uint32(from.base-b.base)
	b.top = max(b.top, b.rows[i])
}

// index sets the starts of the buckets, once the entries are in order.
func (b *block) index() {
	next := 0
	for i, hi := range b.hi {
		for bucket := int(hi >> b.shift); next <= bucket; next++ {
			b.starts[next] = uint32(i)
		}
	}
	for ; next < len(b.starts); next++ {
		b.starts[next] = uint32(b.len())
	}
}

// mergeable reports whether one block can hold the entries of both.
func mergeable(a, b *block) bool {
	return closeTogether(min(a.base, b.base), max(a.base+int64(a.top), b.base+int64(b.top)))
}

// closeTogether reports whether rows with ids from the lowest to the highest fit in a block.
func closeTogether(lowest, highest int64) bool { return highest-lowest <= math.MaxUint32 }

// merge returns a block with the entries of both.
func merge(form Form, a, b *block) *block {
	n := a.len() + b.len()
	out := newBlock(form, min(a.base, b.base), n, bucketBits(n))
	for to, i, j := 0, 0, 0; to < out.len(); to++ {
		if j == b.len() || i < a.len() && a.hi[i] <= b.hi[j] {
			out.set(to, a, i)
			i++
		} else {
			out.set(to, b, j)
			j++
		}
	}
	out.index()
	return out
}
