// Package keyindex maps the keys of a table to row ids, for its unique keys.
package keyindex

import (
	"maps"
	"math"
	"slices"

	"gsql/internal/mem"
	"gsql/storage/segment"
)

// Index maps keys to row ids. Single keys are in a map. Many keys that arrive together are checked and entered in bulk: as a
// sorted run if they are ascending integers above all others, as in most loads, otherwise as a block. A key may
// have several entries; the valid one is that of the newest row, which has the highest id. Callers must synchronise access.
type Index struct {
	form   Form
	ints   map[int64]int64  // integer keys; nil for other keys
	strs   map[string]int64 // other keys
	top    int64            // highest integer key ever entered, apart from runs
	runs   []keyRun
	blocks []*block

	text    int64 // bytes of all strings ever put; puts is their number
	puts    int64
	account *mem.Account
	held    *mem.Holding // charge of charged bytes; nil while they are few
	charged int64
}

// New returns an empty index whose memory is charged to account.
func New(account *mem.Account, form Form) *Index {
	x := &Index{form: form, top: math.MinInt64, account: account}
	x.clear()
	return x
}

// clear empties the map.
func (x *Index) clear() {
	if x.form == Integer {
		x.ints = make(map[int64]int64)
	} else {
		x.strs = make(map[string]int64)
	}
}

// Estimated size of a map entry: Go's maps are between seven sixteenths and seven eighths full.
const (
	intEntryBytes  = 32
	textEntryBytes = 40
)

// footprint estimates the bytes held by x.
func (x *Index) footprint() int64 {
	n := int64(len(x.ints)) * intEntryBytes
	if x.puts > 0 {
		n += int64(len(x.strs)) * (textEntryBytes + x.text/x.puts)
	}
	for i := range x.runs {
		n += 8 * int64(len(x.runs[i].keys))
	}
	for _, b := range x.blocks {
		n += b.bytes()
	}
	return n
}

// Charge charges the growth of x since the last charge. Small changes are deferred.
func (x *Index) Charge() error {
	n := x.footprint()
	d := n - x.charged
	if d < segment.ChargeBytes && d > -segment.ChargeBytes {
		return nil
	}
	if err := x.holding().Grow(d); err != nil {
		return err
	}
	x.charged = n
	return nil
}

// ChargeAnyway is like Charge for entries that can no longer be refused.
func (x *Index) ChargeAnyway() {
	n := x.footprint()
	if d := n - x.charged; d >= segment.ChargeBytes || d <= -segment.ChargeBytes {
		x.holding().GrowAnyway(d)
		x.charged = n
	}
}

func (x *Index) holding() *mem.Holding {
	if x.held == nil {
		x.held = x.account.HoldAnyway(0)
	}
	return x.held
}

// Get returns the row id of key i.
func (x *Index) Get(kv *Values, i int) (int64, bool) {
	id := int64(-1)
	if x.ints == nil {
		if single, ok := x.strs[kv.Strs[i]]; ok {
			id = single
		}
		if len(x.blocks) > 0 {
			id = max(id, x.inBlocks(x.form.print(kv.Strs[i])))
		}
		return id, id >= 0
	}
	key := kv.Ints[i]
	if key <= x.top {
		if single, ok := x.ints[key]; ok {
			id = single
		}
		if len(x.blocks) > 0 {
			id = max(id, x.inBlocks(printOfInt(key)))
		}
	}
	if of, ok := x.inRuns(key); ok {
		id = max(id, of)
	}
	return id, id >= 0
}

// inBlocks returns the highest row id of the key with a print, -1 if no block has it.
func (x *Index) inBlocks(p print) int64 {
	id := int64(-1)
	for _, b := range x.blocks {
		id = max(id, b.get(p))
	}
	return id
}

// Put enters key i for a row newer than all others.
func (x *Index) Put(kv *Values, i int, id int64) {
	if x.ints == nil {
		x.strs[kv.Strs[i]] = id
		x.text += int64(len(kv.Strs[i]))
		x.puts++
		return
	}
	x.ints[kv.Ints[i]] = id
	x.top = max(x.top, kv.Ints[i])
}

// Restore undoes Put for the rows before end; replaced holds the previous ids of keys, by row.
func (x *Index) Restore(kv *Values, end int, replaced map[int]int64) {
	for i := range end {
		if kv.IsNull(i) {
			continue
		}
		if id, ok := replaced[i]; ok {
			x.Put(kv, i, id)
		} else if x.ints != nil {
			delete(x.ints, kv.Ints[i])
		} else {
			delete(x.strs, kv.Strs[i])
		}
	}
}

// Mark is a state of an index's runs and blocks.
type Mark struct {
	runs   []keyRun
	blocks []*block
}

// Mark returns the current state, for Reset.
func (x *Index) Mark() Mark { return Mark{slices.Clip(x.runs), slices.Clip(x.blocks)} }

// Reset removes the runs and blocks that were entered after m. Marks are reset in reverse order.
func (x *Index) Reset(m Mark) { x.runs, x.blocks = m.runs, m.blocks }

// Frozen returns the index as it is now, for reading: later changes of x do not affect it.
func (x *Index) Frozen() *Index {
	return &Index{form: x.form, ints: maps.Clone(x.ints), strs: maps.Clone(x.strs), top: x.top, runs: slices.Clip(x.runs), blocks: slices.Clip(x.blocks)}
}

func (x *Index) empty() bool { return len(x.ints)+len(x.strs)+len(x.runs)+len(x.blocks) == 0 }

// Len returns the number of entries, including those that are not valid.
func (x *Index) Len() int {
	n := len(x.ints) + len(x.strs)
	for i := range x.runs {
		n += x.runs[i].len()
	}
	for _, b := range x.blocks {
		n += b.len()
	}
	return n
}

// EachSingle calls f with every key of the map, as the only one of its Values, and its row id.
func (x *Index) EachSingle(f func(key *Values, id int64)) {
	kv := Values{Ints: make([]int64, 1), Strs: make([]string, 1)}
	for key, id := range x.ints {
		kv.Ints[0] = key
		f(&kv, id)
	}
	for key, id := range x.strs {
		kv.Strs[0] = key
		f(&kv, id)
	}
}

// eachSingle calls f with the prints of the keys of the map until it returns false.
func (x *Index) eachSingle(f func(p print, id int64) bool) {
	for key, id := range x.ints {
		if !f(printOfInt(key), id) {
			return
		}
	}
	for key, id := range x.strs {
		if !f(x.form.print(key), id) {
			return
		}
	}
}

// Sweep removes entries of rows that are not alive: single entries, those of blocks, and runs
// without a live row.
func (x *Index) Sweep(alive func(id int64) bool) {
	for key, id := range x.ints {
		if !alive(id) {
			delete(x.ints, key)
		}
	}
	for key, id := range x.strs {
		if !alive(id) {
			delete(x.strs, key)
		}
	}
	x.runs = slices.DeleteFunc(slices.Clone(x.runs), func(r keyRun) bool {
		for i := range r.len() {
			if alive(r.first + int64(i)) {
				return false
			}
		}
		return true
	})
	var kept []*block
	for _, b := range x.blocks {
		if b = b.keep(x.form, alive); b != nil {
			kept = append(kept, b)
		}
	}
	x.blocks = kept
}
