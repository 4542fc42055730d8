// Package keyindex maps the keys of a table to row ids, for its unique keys.
package keyindex

import (
	"math"
	"slices"
	"sort"

	"gsql/internal/mem"
	"gsql/storage/segment"
)

// runRows is the least number of ascending integer keys that are stored as a run.
const runRows = 1024

// Values holds the keys of a batch of rows.
type Values struct {
	Ints []int64 // set if the key is a single integer column
	Strs []string
	Null []bool // rows with a NULL in the key, which are never duplicates; may be nil
}

// IsNull reports whether the key of row i contains a NULL.
func (v *Values) IsNull(i int) bool { return v.Null != nil && v.Null[i] }

// Index maps keys to row ids. Keys that arrive in bulk, in ascending order and above all others,
// as in most loads, are stored as sorted runs without hashing. An entry of the map is newer than
// one of a run. Callers must synchronise access.
type Index struct {
	ints map[int64]int64 // integer keys; nil for other keys
	strs map[string]int64
	top  int64 // highest key ever entered in ints
	runs []keyRun

	text    int64 // bytes of all strings ever put; puts is their number
	puts    int64
	account *mem.Account
	held    *mem.Holding // charge of charged bytes; nil while they are few
	charged int64
}

// keyRun holds the ascending keys of rows with consecutive ids.
type keyRun struct {
	lo, hi int64
	first  int64   // row id of lo
	keys   []int64 // nil if the keys are consecutive, too
}

// New returns an empty index whose memory is charged to account.
func New(account *mem.Account, ints bool) *Index {
	if ints {
		return &Index{ints: make(map[int64]int64), top: math.MinInt64, account: account}
	}
	return &Index{strs: make(map[string]int64), account: account}
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

// newKeyRun returns a run with copies of strictly ascending keys.
func newKeyRun(keys []int64, first int64) keyRun {
	r := keyRun{lo: keys[0], hi: keys[len(keys)-1], first: first}
	if uint64(r.hi)-uint64(r.lo) != uint64(len(keys)-1) {
		r.keys = slices.Clone(keys)
	}
	return r
}

func (r *keyRun) len() int {
	if r.keys != nil {
		return len(r.keys)
	}
	return int(r.hi - r.lo + 1)
}

func (r *keyRun) key(i int) int64 {
	if r.keys != nil {
		return r.keys[i]
	}
	return r.lo + int64(i)
}

func (r *keyRun) get(key int64) (int64, bool) {
	if key < r.lo || key > r.hi {
		return 0, false
	}
	if r.keys == nil {
		return r.first + key - r.lo, true
	}
	i, ok := slices.BinarySearch(r.keys, key)
	return r.first + int64(i), ok
}

// Get returns the row id of key i.
func (x *Index) Get(kv *Values, i int) (int64, bool) {
	if x.ints == nil {
		id, ok := x.strs[kv.Strs[i]]
		return id, ok
	}
	key := kv.Ints[i]
	if key <= x.top {
		if id, ok := x.ints[key]; ok {
			return id, true
		}
	}
	if at := sort.Search(len(x.runs), func(j int) bool { return x.runs[j].hi >= key }); at < len(x.runs) {
		return x.runs[at].get(key)
	}
	return 0, false
}

// Put enters key i. It hides an entry of a run with the same key.
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

// AddRun adds a run with copies of ascending keys above all others, whose rows have consecutive
// ids.
func (x *Index) AddRun(keys []int64, first int64) { x.runs = append(x.runs, newKeyRun(keys, first)) }

// DropRun removes the run added last.
func (x *Index) DropRun() { x.runs = x.runs[:len(x.runs)-1] }

// Runs returns the number of runs.
func (x *Index) Runs() int { return len(x.runs) }

// TakeRuns moves those runs of own that are above all keys of x to x, adding shift to row ids. It
// returns the other entries of own.
func (x *Index) TakeRuns(own *Index, shift int64) *Index {
	rest := &Index{ints: own.ints, strs: own.strs}
	for _, r := range own.runs {
		if x.empty() || r.lo > x.max() {
			r.first += shift
			x.runs = append(x.runs, r)
		} else {
			rest.runs = append(rest.runs, r)
		}
	}
	return rest
}

func (x *Index) empty() bool { return len(x.ints)+len(x.strs)+len(x.runs) == 0 }

// max returns an upper bound of the integer keys.
func (x *Index) max() int64 {
	if n := len(x.runs); n > 0 {
		return max(x.top, x.runs[n-1].hi)
	}
	return x.top
}

// Above reports whether keys are numerous integers, strictly ascending and all higher than x's,
// so that AddRun may store them as a run.
func (x *Index) Above(keys []int64) bool {
	if len(keys) < runRows || !x.empty() && keys[0] <= x.max() {
		return false
	}
	for i := 1; i < len(keys); i++ {
		if keys[i] <= keys[i-1] {
			return false
		}
	}
	return true
}

// Len returns the number of entries, including hidden ones.
func (x *Index) Len() int {
	n := len(x.ints) + len(x.strs)
	for i := range x.runs {
		n += x.runs[i].len()
	}
	return n
}

// Each calls f with every key, as the only one of its Values, and its row id, until f returns
// false. Hidden keys are included.
func (x *Index) Each(f func(key *Values, id int64) bool) {
	kv := Values{Ints: make([]int64, 1), Strs: make([]string, 1)}
	for key, id := range x.ints {
		if kv.Ints[0] = key; !f(&kv, id) {
			return
		}
	}
	for key, id := range x.strs {
		if kv.Strs[0] = key; !f(&kv, id) {
			return
		}
	}
	for i := range x.runs {
		r := &x.runs[i]
		for j := range r.len() {
			if kv.Ints[0] = r.key(j); !f(&kv, r.first+int64(j)) {
				return
			}
		}
	}
}

// Sweep removes entries of rows that are not alive: single entries from the maps, and runs
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
	x.runs = slices.DeleteFunc(x.runs, func(r keyRun) bool {
		for i := range r.len() {
			if alive(r.first + int64(i)) {
				return false
			}
		}
		return true
	})
}
