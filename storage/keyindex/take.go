package keyindex

import (
	"context"
	"slices"
)

// foldRows is the number of single keys from which they become a block, which is smaller.
const foldRows = 1 << 16

// TakeBulk moves the runs and blocks of own to x, adding shift to row ids. A run that is not above all keys of x
// becomes a block. It reports whether x has taken a block, which may have keys that x has, too.
func (x *Index) TakeBulk(own *Index, shift int64) (blocks bool) {
	for _, r := range own.runs {
		r.first += shift
		if x.empty() || r.lo > x.max() {
			x.runs = append(x.runs, r)
			continue
		}
		x.take(blockOf(x.form, r.chunk()))
		x.top = max(x.top, r.hi)
		blocks = true
	}
	for _, b := range own.blocks {
		moved := *b
		moved.base += shift
		x.take(&moved)
		x.top = max(x.top, own.top)
		blocks = true
	}
	return blocks
}

// blockOf returns a block of the keys of a chunk.
func blockOf(form Form, c *Chunk) *block {
	b := newBuilder(form, []*Chunk{c})
	_ = b.count(context.Background()) // fails only if the context ends
	_ = b.scatter(context.Background())
	for part := range b.ends {
		b.order(&b.scratch[0], part)
	}
	return b.block
}

// mostMerged is the number of entries up to which blocks are merged: others wait meanwhile.
const mostMerged = 1 << 26

// take adds a block. Blocks of similar sizes are merged, so that there are few, if there is memory for that.
func (x *Index) take(b *block) {
	for n := len(x.blocks); n > 0; n = len(x.blocks) {
		last := x.blocks[n-1]
		both := last.len() + b.len()
		if last.len() > 2*b.len() || both > mostMerged || !mergeable(last, b) || x.account.Left() < blockBytes(x.form, both) {
			break
		}
		x.blocks, b = x.blocks[:n-1], merge(x.form, last, b)
	}
	x.blocks = append(slices.Clip(x.blocks), b) // marks share the slice
}

// Fold makes a block of the single keys if they are many.
func (x *Index) Fold() { x.fold(foldRows) }

func (x *Index) fold(least int) {
	n := len(x.ints) + len(x.strs)
	if n < max(1, least) {
		return
	}
	c := &Chunk{n: n, ids: make([]int64, 0, n), hi: make([]uint64, 0, n), lo: make([]uint64, 0, n)}
	lowest, highest := int64(-1), int64(0)
	x.eachSingle(func(p print, id int64) bool {
		c.ids, c.hi, c.lo = append(c.ids, id), append(c.hi, p.hi), append(c.lo, p.lo)
		if lowest < 0 {
			lowest = id
		}
		lowest, highest = min(lowest, id), max(highest, id)
		return true
	})
	if !closeTogether(lowest, highest) {
		return
	}
	c.first = lowest
	b := blockOf(x.form, c)
	b.top = uint32(highest - lowest)
	x.take(b)
	x.clear()
	x.text, x.puts = 0, 0
}

// Common calls f with the rows of each key that both x and own have, until it returns true, and reports whether it
// has.
func (x *Index) Common(own *Index, f func(own, id int64) bool) (found bool) {
	own.EachSingle(func(key *Values, at int64) {
		if id, ok := x.Get(key, 0); !found && ok {
			found = f(at, id)
		}
	})
	for i := range own.runs {
		r := &own.runs[i]
		key := Values{Ints: make([]int64, 1)}
		for j := 0; j < r.len() && !found; j++ {
			key.Ints[0] = r.key(j)
			if id, ok := x.Get(&key, 0); ok {
				found = f(r.first+int64(j), id)
			}
		}
	}
	for _, b := range own.blocks {
		x.eachSingle(func(p print, id int64) bool {
			at := b.get(p)
			found = found || at >= 0 && f(at, id)
			return !found
		})
		for i := 0; i < b.len() && !found; i++ {
			p := b.print(i)
			id := x.inBlocks(p)
			if len(x.runs) > 0 {
				if of, ok := x.inRuns(intOf(p)); ok {
					id = max(id, of)
				}
			}
			if id >= 0 {
				found = f(b.id(i), id)
			}
		}
	}
	return found
}
