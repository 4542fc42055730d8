package storage

import (
	"slices"
	"strings"
	"sync"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/segment"
)

// Sample returns about previewRows rows of a table, in stretches of previewStretch rows. It omits
// columns whose strings are longer than previewText bytes on average.
const (
	previewRows    = 2048
	previewStretch = 8
	previewText    = 256
)

// preview holds the rows that Sample returns, read when a column is first requested. Versions
// that inherit statistics from each other share it. It holds copies and keeps no version alive.
type preview struct {
	mu       sync.Mutex
	of       uint64        // id of the version that was read
	cols     []*vec.Vector // by ordinal, all of the same rows; nil for columns not requested yet
	findings *catalog.Findings
	held     *mem.Holding // of cols
}

// previewBytes returns the size in bytes of a column of sampled rows, or 0 for nil.
func previewBytes(c *vec.Vector) int64 {
	if c == nil {
		return 0
	}
	n := int64(c.N) * segment.SlotBytes(c.Type.Kind())
	for _, x := range c.Str {
		n += int64(len(x))
	}
	return n
}

// Sample implements catalog.Sampler.
func (v *version) Sample(columns []int) (*vec.Batch, *catalog.Findings) {
	st := v.Stats()
	for _, c := range columns {
		if c < 0 || c >= len(st.Columns) || st.Columns[c].AvgLen > previewText {
			return nil, nil
		}
	}
	s := v.stats.Load().preview
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cols == nil || slices.ContainsFunc(columns, func(c int) bool { return s.cols[c] == nil }) {
		if !s.read(v, columns) {
			return nil, nil
		}
	}
	b := &vec.Batch{Cols: make([]*vec.Vector, len(columns))}
	for i, c := range columns {
		b.Cols[i], b.N = s.cols[c], s.cols[c].N
	}
	return b, s.findings
}

// Review implements catalog.Reviewer.
func (v *version) Review(columns []int, most int64) *vec.Batch {
	st := v.Stats()
	n := v.rows()
	if n > most {
		return nil
	}
	for _, c := range columns {
		if c < 0 || c >= len(st.Columns) || st.Columns[c].AvgLen > previewText {
			return nil
		}
	}
	cols, err := readSample(v, places(v.runs(), int(n), previewStretch), columns...)
	if err != nil {
		return nil
	}
	b := &vec.Batch{Cols: cols}
	if len(cols) > 0 {
		b.N = cols[0].N
	}
	return b
}

// read reads columns from the rows of v. If the columns present came from another version, it
// reads those again.
func (s *preview) read(v *version, columns []int) bool {
	cols, findings := make([]*vec.Vector, len(v.schema.Columns)), s.findings
	same := s.cols != nil && s.of == v.id
	if !same {
		findings = &catalog.Findings{}
	}
	list := scattered(places(v.runs(), previewRows, previewStretch), previewStretch)
	var wanted []int
	for c := range cols {
		known := s.cols != nil && s.cols[c] != nil
		switch {
		case known && same:
			cols[c] = s.cols[c]
		case known || slices.Contains(columns, c):
			wanted = append(wanted, c)
		}
	}
	fresh, err := readSample(v, list, wanted...)
	if err != nil {
		return false
	}
	for i, col := range fresh {
		if col.Type.Kind() == types.KindStr {
			ownText(col.Str)
		}
		cols[wanted[i]] = col
	}
	s.of, s.cols, s.findings = v.id, cols, findings
	n := int64(0)
	for _, c := range cols {
		n += previewBytes(c)
	}
	s.held.Free()
	s.held = v.mem.HoldAnyway(n)
	return true
}

// scattered cuts the stretches of list to a length of at most long. The order is such that the
// first quarter of the result, and also the first half, covers the whole list.
func scattered(list []stretch, long int) []stretch {
	var all []stretch
	for _, p := range list {
		for at := p.from; at < p.to; at += long {
			all = append(all, stretch{p.run, at, min(at+long, p.to)})
		}
	}
	out := make([]stretch, 0, len(all))
	for _, first := range []int{0, 2, 1, 3} {
		for i := first; i < len(all); i += 4 {
			out = append(out, all[i])
		}
	}
	return out
}

// ownText moves strings to newly allocated memory.
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
