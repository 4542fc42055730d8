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
	c.add(col, n)
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
		dropped += c.drop(col)
	}
	return dropped
}

// add puts a column of n bytes into the ring.
func (c *cache) add(col *column, n int64) {
	col.size = n
	c.ring = append(c.ring, col)
	col.file.cached = append(col.file.cached, col)
	col.slot, col.place = len(c.ring), len(col.file.cached)
}

// drop drops a column of the ring and returns its size.
func (c *cache) drop(col *column) int64 {
	at, last := col.slot-1, len(c.ring)-1
	c.ring[at] = c.ring[last]
	c.ring[at].slot = col.slot
	c.ring[last] = nil
	c.ring = c.ring[:last]
	of := col.file
	last = len(of.cached) - 1
	of.cached[col.place-1] = of.cached[last]
	of.cached[col.place-1].place = col.place
	of.cached[last] = nil
	of.cached = of.cached[:last]
	col.slot, col.place = 0, 0
	c.used -= col.size
	col.data.Store(nil)
	return col.size
}

// purge drops the columns of a file.
func (c *cache) purge(f *file) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(f.cached) > 0 {
		c.drop(f.cached[len(f.cached)-1])
	}
	f.cached = nil
}

// forget drops a column that another one with the same data replaces.
func (c *cache) forget(col *column) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if col.slot > 0 {
		c.drop(col)
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
