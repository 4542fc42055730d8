package engine

import (
	"slices"
)

// makeRoom lets cached columns go or move until the arena's stack has bytes more; the engine's
// mutex is held. Where pinned columns do not allow it nothing changes and it returns false.
// The least recently used go while the arena is too full; then columns that are in the stack's
// way move to holes above, at the device's own copy rate, or go.
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

// move queues copying the column to a hole at or above the place least; false if there is
// none.
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

// drop takes a column out of the cache.
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
