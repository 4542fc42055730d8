package engine

import (
	"slices"
)

// makeRoom evicts or moves cached columns until the arena's stack has bytes more; the caller holds
// the engine's mutex. If pinned columns prevent that, nothing changes and it returns false. The
// columns of least worth are evicted while the arena is too full; then columns that block the
// stack move to holes above, at the device's own copy rate, or are evicted.
func (e *Engine) makeRoom(bytes int64) (bool, error) {
	height := e.arena.Height()
	if bytes < 0 || bytes > e.cached.floor(e.arena)-height {
		return false, nil
	}
	for bytes > e.arena.Size()-e.arena.Used() && e.evict() {
	}
	var moved []*entry
	for _, x := range slices.Clone(e.cached.entries) {
		if e.arena.Place(x.at) >= height+bytes {
			continue
		}
		if e.move(x, height+bytes) {
			moved = append(moved, x)
		} else {
			e.drop(x)
		}
	}
	if moved == nil {
		return true, nil
	}
	err := e.dev.Sync(e.compute)
	if err != nil {
		for _, x := range moved {
			e.drop(x)
		}
	}
	return err == nil, err
}

// move queues copying the column to a hole at or above the offset least. It returns false if there
// is none.
func (e *Engine) move(x *entry, least int64) bool {
	to, err := e.arena.Keep(cacheOperator, x.bytes, least)
	if err != nil {
		return false
	}
	from := x.at
	if e.dev.CopyDevice(to, from, x.bytes, e.compute) != nil {
		e.arena.Drop(to)
		return false
	}
	e.arena.Drop(from)
	x.put(to)
	return true
}

// drop removes a column from the cache.
func (e *Engine) drop(x *entry) {
	e.cached.entries = slices.DeleteFunc(e.cached.entries, func(y *entry) bool { return x == y })
	e.arena.Drop(x.at)
}

// forget is drop for callers that do not hold the mutex.
func (e *Engine) forget(x *entry) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drop(x)
}
