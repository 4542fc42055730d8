package storage

import (
	"math"
	"slices"
	"sort"

	"gsql/internal/mem"
	"gsql/storage/segment"
)

// runRows is the number of rows from which ascending integer keys are kept as a run.
const runRows = 1024

// keyIndex maps keys to row ids. Keys that come in bulk and in ascending order above
// all others, as those of most loads do, are kept as sorted runs and cost no hashing;
// an entry of the map is newer than one of a run.
type keyIndex struct {
	ints map[int64]int64 // integer keys; nil for others
	strs map[string]int64
	top  int64 // highest key ever in ints
	runs []keyRun

	text    int64 // bytes of all strings ever put, and how many those were
	puts    int64
	account *mem.Account
	held    *mem.Holding // of charged bytes; nil while there are few
	charged int64
}

// keyRun holds the ascending keys of rows with consecutive ids.
type keyRun struct {
	lo, hi int64
	first  int64   // row id of lo
	keys   []int64 // nil when the keys are consecutive, too
}

// newKeyIndex makes an empty index whose memory is charged to account.
func newKeyIndex(account *mem.Account, ints bool) *keyIndex {
	if ints {
		return &keyIndex{ints: make(map[int64]int64), top: math.MinInt64, account: account}
	}
	return &keyIndex{strs: make(map[string]int64), account: account}
}

// What an entry of a map takes: Go's maps are between seven sixteenths and seven eighths full.
const (
	intEntryBytes  = 32
	textEntryBytes = 40
)

// footprint estimates the bytes that x takes.
func (x *keyIndex) footprint() int64 {
	n := int64(len(x.ints)) * intEntryBytes
	if x.puts > 0 {
		n += int64(len(x.strs)) * (textEntryBytes + x.text/x.puts)
	}
	for i := range x.runs {
		n += 8 * int64(len(x.runs[i].keys))
	}
	return n
}

// charge counts what x has grown by; small changes wait for later ones.
func (x *keyIndex) charge() error {
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

// chargeAnyway is charge for entries that cannot be refused any more.
func (x *keyIndex) chargeAnyway() {
	n := x.footprint()
	if d := n - x.charged; d >= segment.ChargeBytes || d <= -segment.ChargeBytes {
		x.holding().GrowAnyway(d)
		x.charged = n
	}
}

func (x *keyIndex) holding() *mem.Holding {
	if x.held == nil {
		x.held = x.account.HoldAnyway(0)
	}
	return x.held
}

// newKeyRun makes a run of strictly ascending keys, which are copied.
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

func (x *keyIndex) get(kv *keyValues, i int) (int64, bool) {
	if x.ints == nil {
		id, ok := x.strs[kv.strs[i]]
		return id, ok
	}
	key := kv.ints[i]
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

// put enters a key. Keys of a run stay there, hidden.
func (x *keyIndex) put(kv *keyValues, i int, id int64) {
	if x.ints == nil {
		x.strs[kv.strs[i]] = id
		x.text += int64(len(kv.strs[i]))
		x.puts++
		return
	}
	x.ints[kv.ints[i]] = id
	x.top = max(x.top, kv.ints[i])
}

// restore takes back what was put for the rows before end: replaced has the ids that
// other entries had before.
func (x *keyIndex) restore(kv *keyValues, end int, replaced map[int]int64) {
	for i := range end {
		if kv.null != nil && kv.null[i] {
			continue
		}
		if id, ok := replaced[i]; ok {
			x.put(kv, i, id)
		} else if x.ints != nil {
			delete(x.ints, kv.ints[i])
		} else {
			delete(x.strs, kv.strs[i])
		}
	}
}

func (x *keyIndex) empty() bool { return len(x.ints)+len(x.strs)+len(x.runs) == 0 }

// max returns the highest integer key there may be.
func (x *keyIndex) max() int64 {
	if n := len(x.runs); n > 0 {
		return max(x.top, x.runs[n-1].hi)
	}
	return x.top
}

// above is true of many integer keys, strictly ascending, all higher than x's.
func (x *keyIndex) above(keys []int64) bool {
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

// len counts the entries, hidden ones too.
func (x *keyIndex) len() int {
	n := len(x.ints) + len(x.strs)
	for i := range x.runs {
		n += x.runs[i].len()
	}
	return n
}

// each calls f with every key, alone in its keyValues, and its row id until f says no.
// A key hidden by a newer entry comes, too.
func (x *keyIndex) each(f func(key *keyValues, id int64) bool) {
	kv := keyValues{ints: make([]int64, 1), strs: make([]string, 1)}
	for key, id := range x.ints {
		if kv.ints[0] = key; !f(&kv, id) {
			return
		}
	}
	for key, id := range x.strs {
		if kv.strs[0] = key; !f(&kv, id) {
			return
		}
	}
	for i := range x.runs {
		r := &x.runs[i]
		for j := range r.len() {
			if kv.ints[0] = r.key(j); !f(&kv, r.first+int64(j)) {
				return
			}
		}
	}
}

// sweep removes entries of rows that are not alive in v: all such of the maps, and runs
// without any other.
func (x *keyIndex) sweep(v *version) {
	for key, id := range x.ints {
		if !v.alive(id) {
			delete(x.ints, key)
		}
	}
	for key, id := range x.strs {
		if !v.alive(id) {
			delete(x.strs, key)
		}
	}
	x.runs = slices.DeleteFunc(x.runs, func(r keyRun) bool {
		for i := range r.len() {
			if v.alive(r.first + int64(i)) {
				return false
			}
		}
		return true
	})
}
