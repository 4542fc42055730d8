package storage

import (
	"slices"
	"strings"
	"sync"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// What Sample shows of a table: about previewRows rows, in stretches of previewStretch; no columns
// whose strings are longer than previewText bytes on average.
const (
	previewRows    = 2048
	previewStretch = 8
	previewText    = 256
)

// preview are the rows that Sample gives, read when columns are first asked for. Versions that
// take over each other's statistics share them. It keeps copies, not what a version holds.
type preview struct {
	mu   sync.Mutex
	cols []*vec.Vector // by ordinal, of the same rows; nil for those not asked for
}

// Sample implements catalog.Sampler.
func (v *version) Sample(columns []int) *vec.Batch {
	st := v.Stats()
	for _, c := range columns {
		if c < 0 || c >= len(st.Columns) || st.Columns[c].AvgLen > previewText {
			return nil
		}
	}
	s := v.stats.Load().preview
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cols == nil || slices.ContainsFunc(columns, func(c int) bool { return s.cols[c] == nil }) {
		if !s.read(v, columns) {
			return nil
		}
	}
	b := &vec.Batch{Cols: make([]*vec.Vector, len(columns))}
	for i, c := range columns {
		b.Cols[i], b.N = s.cols[c], s.cols[c].N
	}
	return b
}

// read reads columns, and those that were there, from the rows of v.
func (s *preview) read(v *version, columns []int) bool {
	runs, cols := v.runs(), make([]*vec.Vector, len(v.schema.Columns))
	for c := range cols {
		if !slices.Contains(columns, c) && (s.cols == nil || s.cols[c] == nil) {
			continue
		}
		col, ok := v.sample(runs, c, previewRows, previewStretch)
		if !ok {
			return false
		}
		if col.Type.Kind() == types.KindStr {
			ownText(col.Str)
		}
		cols[c] = col
	}
	s.cols = cols
	return true
}

// ownText copies strings to memory of their own.
func ownText(list []string) {
	size := 0
	for _, x := range list {
		size += len(x)
	}
	var all strings.Builder
	all.Grow(size)
	for i, x := range list {
		all.WriteString(x)
		list[i] = all.String()[all.Len()-len(x):]
	}
}
