package keyindex

import (
	"slices"
	"sort"
)

// runRows is the least number of ascending integer keys that are stored as a run.
const runRows = 1024

// keyRun holds the ascending keys of rows with consecutive ids.
type keyRun struct {
	lo, hi int64
	first  int64   // row id of lo
	keys   []int64 // nil if the keys are consecutive, too
}

// newKeyRun returns a run of strictly ascending keys, which it may keep.
func newKeyRun(keys []int64, first int64) keyRun {
	r := keyRun{lo: keys[0], hi: keys[len(keys)-1], first: first}
	if uint64(r.hi)-uint64(r.lo) != uint64(len(keys)-1) {
		r.keys = keys
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

// chunk returns the run as a chunk.
func (r *keyRun) chunk() *Chunk {
	c := &Chunk{n: r.len(), first: r.first, ints: r.keys, climbs: true}
	if c.ints == nil {
		c.ints = make([]int64, c.n)
		for i := range c.ints {
			c.ints[i] = r.lo + int64(i)
		}
	}
	return c
}

// inRuns returns the row id of a key that is in a run.
func (x *Index) inRuns(key int64) (int64, bool) {
	if at := sort.Search(len(x.runs), func(j int) bool { return x.runs[j].hi >= key }); at < len(x.runs) {
		return x.runs[at].get(key)
	}
	return 0, false
}

// AddRun adds a run with copies of ascending keys above all others, whose rows have consecutive
// ids.
func (x *Index) AddRun(keys []int64, first int64) {
	r := newKeyRun(keys, first)
	r.keys = slices.Clone(r.keys)
	x.runs = append(x.runs, r)
}

// Above reports whether keys are numerous integers, strictly ascending and all higher than x's,
// so that AddRun may store them as a run.
func (x *Index) Above(keys []int64) bool {
	return len(keys) >= runRows && (x.empty() || keys[0] > x.max()) && climbs(keys)
}

// Runs returns the number of runs.
func (x *Index) Runs() int { return len(x.runs) }

// max returns an upper bound of the integer keys.
func (x *Index) max() int64 {
	if n := len(x.runs); n > 0 {
		return max(x.top, x.runs[n-1].hi)
	}
	return x.top
}
