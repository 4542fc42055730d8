package storage

import (
	"math/bits"
	"slices"
	"sync"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// What Combinations counts: columns at most, and sets of columns that are remembered of a table.
const (
	combinedColumns = 8
	combinedSets    = 64
)

// columnSet has the ordinals of columns, ascending and one higher than they are; the rest is 0.
type columnSet [combinedColumns]uint16

// combined remembers how many combinations of values there are in columns together. Versions that
// take over each other's statistics share it.
type combined struct {
	mu    sync.Mutex
	known map[columnSet]combinations
}

// combinations are those of a version that has so many rows; negative where they cannot be told.
type combinations struct{ count, rows float64 }

// Combinations implements catalog.Combiner.
func (v *version) Combinations(columns []int) (float64, bool) {
	set, ok := newColumnSet(columns)
	st := v.Stats()
	if !ok || st.Rows == 0 {
		return 0, false
	}
	of, rows := v.stats.Load().combined, float64(st.Rows)
	of.mu.Lock()
	defer of.mu.Unlock()
	c, ok := of.known[set]
	if !ok {
		c = combinations{v.combine(columns), rows}
		if of.known == nil || len(of.known) >= combinedSets {
			of.known = map[columnSet]combinations{}
		}
		of.known[set] = c
	}
	const nearly = 0.9
	if c.count > nearly*c.rows { // about as many as rows, and so of those that came since
		return c.count * rows / c.rows, true
	}
	return min(c.count, rows), c.count >= 0
}

func newColumnSet(columns []int) (set columnSet, ok bool) {
	if len(columns) > len(set) {
		return set, false
	}
	for i, c := range columns {
		if c < 0 {
			return set, false
		}
		set[i] = uint16(c + 1)
	}
	slices.Sort(set[:len(columns)])
	return set, true
}

// combine estimates the combinations of values in columns by rows from all over the table; -1
// where their texts are long.
func (v *version) combine(columns []int) float64 {
	st := v.Stats()
	if slices.ContainsFunc(columns, func(c int) bool { return c >= len(st.Columns) || st.Columns[c].AvgLen > previewText }) {
		return -1
	}
	list, rows := places(v.runs(), sampleRows, sampleStretch), 0
	for _, p := range list {
		rows += p.to - p.from
	}
	r := newRepeats(rows)
	for _, p := range list {
		var hashes []uint64
		for _, c := range columns {
			values, ok := p.run.values(v.schema, c, p.from, p.to)
			if !ok {
				return -1
			}
			if hashes == nil {
				hashes = make([]uint64, values.N)
			}
			hashInto(hashes, values)
		}
		r.add(hashes)
	}
	return r.scaled(float64(st.Rows))
}

// hashInto mixes the values of a flat vector into the hashes of their rows.
func hashInto(hashes []uint64, v *vec.Vector) {
	null := func(i int) bool { return v.Null != nil && v.Null[i] }
	for i, h := range hashes {
		var x uint64
		switch kind := v.Type.Kind(); {
		case null(i):
			x = 1 // no value's hash, as good as certain
		case kind == types.KindI64, kind == types.KindU64:
			x = hashInt(v.I64[i])
		case kind == types.KindF64:
			x = hashFloat(v.F64[i])
		case kind == types.KindDec:
			x = hashDecimal(v.Dec[i])
		case kind == types.KindStr:
			x = hashString(v.Str[i])
		}
		hashes[i] = hashInt(int64(h+x)) + x
	}
}

// repeats says how often values are met in stretches of rows from all over a table. Those that are
// there again in the same one have been met once: rows close by were often made together.
type repeats struct {
	slots          []met // by their hashes, twice as many as there are rows at least
	distinct       int
	once, twice    int // values met so often
	rows, meetings int
	stretches      int32
}

// met says how often a value was met, and in which stretch last.
type met struct {
	hash        uint64
	times, last int32
}

// newRepeats takes up to rows values.
func newRepeats(rows int) *repeats {
	return &repeats{slots: make([]met, 1<<bits.Len(uint(max(1, 2*rows-1))))}
}

// add takes the values of a stretch.
func (r *repeats) add(hashes []uint64) {
	r.stretches++
	r.rows += len(hashes)
	for _, h := range hashes {
		m := r.find(h)
		if m.last == r.stretches {
			continue
		}
		switch m.times {
		case 0:
			r.distinct, r.once = r.distinct+1, r.once+1
		case 1:
			r.once, r.twice = r.once-1, r.twice+1
		case 2:
			r.twice--
		}
		*m = met{h, m.times + 1, r.stretches}
		r.meetings++
	}
}

// find gives a value's slot, or the one where it belongs.
func (r *repeats) find(h uint64) *met {
	last := uint64(len(r.slots) - 1)
	for at := h & last; ; at = (at + 1) & last {
		if m := &r.slots[at]; m.times == 0 || m.hash == h {
			return m
		}
	}
}

// scaled estimates the values of a table of so many rows: those met and, by how many were met once
// and twice, those that were not (Chao 1984, corrected for bias as in 1987), at most as many as
// would be met in all of it.
func (r *repeats) scaled(rows float64) float64 {
	distinct, once, twice := float64(r.distinct), float64(r.once), float64(r.twice)
	if float64(r.rows) >= rows {
		return distinct
	}
	unseen := once * max(0, once-1) / (2 * (twice + 1))
	return min(distinct+unseen, rows*float64(r.meetings)/float64(max(1, r.rows)))
}
