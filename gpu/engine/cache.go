package engine

import (
	"slices"
	"time"

	"gsql/gpu"
	"gsql/gpu/column"
)

// Key names a column of a table at one version. Whoever loads it keeps the rows in the table's own
// order, so that all columns of a version have the same order.
type Key struct {
	Table   string // its name, for display; Version distinguishes tables of the same name
	Version uint64 // catalog.Table.Version
	Column  int    // ordinal
	Name    string // of the column, for display
	Format  column.Format
	Narrow  bool   // a column.Narrow; Format is then zero
	Derived string // the function of the column whose values these are; "" for the column's own
	Share   Share  // the rows that these are; all if it is zero
	Stay    bool   // the column is evicted only if all others are; no part of the name
}

// Share is one of several equal shares of a table's rows, which different devices hold.
type Share struct{ Number, Of int }

// Rows returns the first row of the share among rows, and the one behind its last.
func (s Share) Rows(rows int64) (from, to int64) {
	if s.Of == 0 {
		return 0, rows
	}
	return rows * int64(s.Number) / int64(s.Of), rows * int64(s.Number+1) / int64(s.Of)
}

// names reports whether two keys name the same column.
func (k Key) names(other Key) bool {
	k.Stay = other.Stay
	return k == other
}

// Resident is a cached column.
type Resident struct {
	Key
	Rows  int64
	Bytes int64
	Width int       // bytes of a value of a narrow column
	Texts int64     // bytes of host memory that the dictionary of a narrow text column takes
	Used  time.Time // when a task last used it
}

// cacheOperator is the operator to which cached columns are charged.
const cacheOperator = "cached columns"

// cache holds columns in the arena's upper half, in order of their last use. The running task's
// columns are pinned: they are not moved, which is why only tasks may use the lower half.
//
// What is evicted first depends on price and recency (GreedyDual-Size: Cao and Irani, 1997): a column's worth is
// the price of bringing one of its bytes back, plus the worth of the last column that was evicted when this one
// was last used. So expensive columns stay longer, but not forever, and of equal ones the least recently used
// goes first.
type cache struct {
	entries []*entry
	evicted float64 // worth of the column that was evicted last
}

// The price of bringing back a byte of a column, in that of numbers, which are read and sent. Texts are hashed
// and numbered in order besides, and functions are computed for each row.
const (
	numberPrice   = 1
	textPrice     = 5
	functionPrice = 5
)

// price returns the price of bringing back a byte of a column.
func (x *entry) price() float64 {
	switch {
	case x.key.Derived != "":
		return functionPrice
	case x.narrow.Texts != nil:
		return textPrice
	}
	return numberPrice
}

type entry struct {
	key    Key
	column column.Column // unless key.Narrow
	narrow column.Narrow // if key.Narrow
	at     gpu.Ptr
	bytes  int64
	texts  int64 // bytes of the dictionary, which are expensive to count
	used   time.Time
	pinned bool
	worth  float64
}

// find returns the column of a key, pinned and marked as the most recently used, or nil. Whether it stays is as
// the key says from now on.
func (c *cache) find(key Key) *entry {
	for i, x := range c.entries {
		if x.key.names(key) {
			x.key = key
			copy(c.entries[i:], c.entries[i+1:])
			c.entries[len(c.entries)-1] = x
			c.use(x)
			return x
		}
	}
	return nil
}

// use notes that a task uses a column.
func (c *cache) use(x *entry) {
	x.used, x.pinned, x.worth = time.Now(), true, c.evicted+x.price()
}

func (c *cache) unpin() {
	for _, x := range c.entries {
		x.pinned = false
	}
}

func (c *cache) pinnedBytes() (bytes int64) {
	for _, x := range c.entries {
		if x.pinned {
			bytes += x.bytes
		}
	}
	return bytes
}

// floor returns the offset below which the arena's stack may grow if all columns that are not
// pinned are evicted.
func (c *cache) floor(a *gpu.Arena) int64 {
	least := a.Size()
	for _, x := range c.entries {
		if x.pinned {
			least = min(least, a.Place(x.at))
		}
	}
	return least
}

// Cached returns the column of a key from the device's cache and reports whether it was a hit. On a
// miss it calls load, which uploads the column to memory of the task, and caches the column if
// there is enough memory besides the columns that this task uses. The column stays at least until
// the end of the task.
func (t *Task) Cached(key Key, load func() (column.Column, error)) (c column.Column, hit bool, err error) {
	t.e.mu.Lock()
	x := t.e.cached.find(key)
	t.e.mu.Unlock()
	if x != nil {
		return x.column, true, nil
	}
	mark := t.Mark()
	if c, err = load(); err != nil || c.Rows == 0 {
		return c, false, err
	}
	t.e.mu.Lock()
	x = t.e.insert(key, c)
	t.e.mu.Unlock()
	if x == nil {
		return c, false, nil
	}
	if err = t.fill(x, c); err != nil {
		t.e.forget(x)
		return c, false, err
	}
	return x.column, false, t.Release(mark)
}

// fill copies c to the memory of its entry and waits, because a later query must not find the
// contents of a failed stream there.
func (t *Task) fill(x *entry, c column.Column) error {
	err := t.Device.CopyDevice(x.column.Values, c.Values, c.Rows*c.Kind.Width(), t.Compute)
	if err == nil && c.Valid != 0 {
		err = t.Device.CopyDevice(x.column.Valid, c.Valid, c.Rows, t.Compute)
	}
	if err != nil {
		return err
	}
	return t.Device.Sync(t.Compute)
}

// insert creates an entry for a column like c, whose memory the caller fills, and evicts others to
// make space; it returns nil if that does not suffice.
func (e *Engine) insert(key Key, c column.Column) *entry {
	valid := (c.Rows*c.Kind.Width() + gpu.Alignment - 1) / gpu.Alignment * gpu.Alignment
	bytes := valid
	if c.Valid != 0 {
		bytes += c.Rows
	}
	return e.enter(&entry{key: key, column: c, bytes: bytes})
}

// enter adds an entry, as insert does.
func (e *Engine) enter(x *entry) *entry {
	half := e.arena.Size() / 2
	if x.bytes > half-e.cached.pinnedBytes() {
		return nil
	}
	at, err := e.arena.Keep(cacheOperator, x.bytes, half)
	for err != nil && e.evict() {
		at, err = e.arena.Keep(cacheOperator, x.bytes, half)
	}
	if err != nil {
		return nil
	}
	e.cached.use(x)
	x.put(at)
	e.cached.entries = append(e.cached.entries, x)
	return x
}

// put sets the entry's addresses for memory at p.
func (x *entry) put(p gpu.Ptr) {
	if x.key.Narrow {
		x.at, x.narrow = p, placed(x.narrow, p)
		return
	}
	x.at, x.column.Values = p, p
	if x.column.Valid != 0 {
		width := x.column.Rows * x.column.Kind.Width()
		x.column.Valid = p + gpu.Ptr((width+gpu.Alignment-1)/gpu.Alignment*gpu.Alignment)
	}
}

// evict drops the column of least worth that is not pinned, of equal ones the least recently used, and one that
// is to stay only if there are no others. It reports whether there was one.
func (e *Engine) evict() bool {
	var least *entry
	for _, x := range e.cached.entries {
		if !x.pinned && (least == nil || x.before(least)) {
			least = x
		}
	}
	if least == nil {
		return false
	}
	e.cached.evicted = least.worth
	e.drop(least)
	return true
}

// before reports whether x is evicted before y, which was used less recently.
func (x *entry) before(y *entry) bool {
	if x.key.Stay != y.key.Stay {
		return y.key.Stay
	}
	return x.worth < y.worth
}

// Holds reports whether the column of a key is cached.
func (e *Engine) Holds(key Key) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.cached.entries, func(x *entry) bool { return x.key.names(key) })
}

// HoldsAny reports whether a share of a table's column is cached in a format of joins, whatever it is.
func (e *Engine) HoldsAny(table string, version uint64, ordinal int, share Share) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.cached.entries, func(x *entry) bool {
		return !x.key.Narrow && x.key.Version == version && x.key.Column == ordinal && x.key.Table == table && x.key.Share == share
	})
}

// Resident lists the cached columns, the least recently used first.
func (e *Engine) Resident() []Resident {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []Resident
	for _, x := range e.cached.entries {
		all = append(all, Resident{Key: x.key, Rows: x.column.Rows + x.narrow.Rows, Bytes: x.bytes, Width: x.narrow.Width, Texts: x.texts, Used: x.used})
	}
	return all
}
