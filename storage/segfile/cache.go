package segfile

import (
	"sync"

	"gsql/storage/segment"
)

// cache bounds the memory of the columns that are loaded. It evicts those that have not been read
// since the hand of the clock passed them last. Evicting drops a reference: who reads the column
// keeps it in memory.
type cache struct {
	mu    sync.Mutex
	limit int64 // bytes, 0 for none
	used  int64 // bytes of the loaded columns, and of those being loaded
	ring  []*column
	hand  int
}

// begin makes room for n bytes that are about to be loaded.
func (c *cache) begin(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used += n
	if c.limit > 0 {
		c.evict(c.used - c.limit)
	}
}

// end adds the data of a column, for which begin has made room. It takes the n bytes back if there
// are no data, or if the file is removed: nobody would take such columns from the cache.
func (c *cache) end(col *column, d *segment.Data, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d == nil || col.file.removed.Load() {
		c.used -= n
		return
	}
	col.size = n
	c.ring = append(c.ring, col)
	col.hot.Store(true)
	col.data.Store(d)
}

// evict drops columns of at least n bytes, or all, and returns how many bytes it has dropped.
func (c *cache) evict(n int64) int64 {
	dropped := int64(0)
	for spared := 0; dropped < n && len(c.ring) > 0; {
		if c.hand >= len(c.ring) {
			c.hand = 0
		}
		col := c.ring[c.hand]
		if col.hot.Swap(false) && spared < len(c.ring) {
			c.hand++
			spared++
			continue
		}
		dropped += c.drop(c.hand)
	}
	return dropped
}

// drop drops a column and returns its size.
func (c *cache) drop(at int) int64 {
	col, last := c.ring[at], len(c.ring)-1
	c.ring[at] = c.ring[last]
	c.ring[last] = nil
	c.ring = c.ring[:last]
	c.used -= col.size
	col.data.Store(nil)
	return col.size
}

// purge drops the columns of a file.
func (c *cache) purge(f *file) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := len(c.ring) - 1; at >= 0; at-- {
		if c.ring[at].file == f {
			c.drop(at)
		}
	}
}

// shrink evicts at least n bytes, and enough for a garbage collection to pay.
func (c *cache) shrink(n int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.evict(max(n, c.used/shrinkPart))
}

// shrinkPart is the part of the cache that is evicted at least when memory is refused.
const shrinkPart = 4
