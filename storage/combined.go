package storage

import (
	"slices"
	"sync"

	"gsql/storage/stats"
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

// combinations are those of a version that has so many rows; negative if they are unknown.
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
		c = combinations{combine(v, columns), rows}
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
func combine(v *version, columns []int) float64 {
	st := v.Stats()
	if slices.ContainsFunc(columns, func(c int) bool { return c >= len(st.Columns) || st.Columns[c].AvgLen > previewText }) {
		return -1
	}
	list, rows := places(v.runs(), sampleRows, sampleStretch), 0
	for _, p := range list {
		rows += p.to - p.from
	}
	r := stats.NewRepeats(rows)
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
			stats.HashInto(hashes, values)
		}
		r.Add(hashes)
	}
	return r.Scaled(float64(st.Rows))
}
