package storage

import (
	"slices"
	"sync"

	"gsql/storage/stats"
)

// Limits of Combinations: columns in a set, and sets remembered per table.
const (
	combinedColumns = 8
	combinedSets    = 64
)

// columnSet holds the ordinals of columns plus one, ascending, padded with 0.
type columnSet [combinedColumns]uint16

// combined remembers the number of value combinations in sets of columns. Versions that inherit
// statistics from each other share it.
type combined struct {
	mu    sync.Mutex
	known map[columnSet]combinations
}

// combinations is the number of combinations in a version with the given number of rows. A
// negative count means unknown.
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
	if c.count > nearly*c.rows { // nearly unique, so new rows are assumed to be as well
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

// combine estimates the number of value combinations in columns from rows sampled all over the
// table. It returns -1 if the columns' texts are long.
func combine(v *version, columns []int) float64 {
	st := v.Stats()
	if slices.ContainsFunc(columns, func(c int) bool { return c >= len(st.Columns) || st.Columns[c].AvgLen > previewText }) {
		return -1
	}
	list, rows := places(v.runs(), sampleRows, sampleStretch), 0
	for _, p := range list {
		rows += p.to - p.from
	}
	parts, err := readParts(v, list, columns...)
	if err != nil {
		return -1
	}
	r := stats.NewRepeats(rows)
	for i := range list {
		var hashes []uint64
		for k := range columns {
			if hashes == nil {
				hashes = make([]uint64, parts[k][i].N)
			}
			stats.HashInto(hashes, parts[k][i])
		}
		r.Add(hashes)
	}
	return r.Scaled(float64(st.Rows))
}
