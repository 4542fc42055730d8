package files

import (
	"slices"
	"unsafe"

	"gsql/sql/catalog"
	"gsql/storage/files/format"
)

// Stats implements catalog.Table. The first call reads the statistics. If its statement ends
// before that is done, a later call reads them.
func (t *table) Stats() *catalog.Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stats != nil {
		return t.stats
	}
	var all *catalog.Stats
	for i, p := range t.parts {
		s := t.dirs.describe(i, p.Stats(t.ctx))
		if i > 0 {
			s = mergeStats(all, s)
		}
		all = s
	}
	t.dirs.count(t.own, all)
	if t.rowNumber >= 0 && len(all.Columns) > 0 {
		all = t.withNumbers(all)
	}
	if t.ctx.Err() == nil {
		t.stats = all
		t.recount()
	}
	return all
}

// withNumbers adds the column of row numbers to the statistics. Every file counts from 1.
func (t *table) withNumbers(s *catalog.Stats) *catalog.Stats {
	most := int64(0)
	for _, p := range t.parts {
		most = max(most, p.Stats(t.ctx).Rows)
	}
	out := *s
	out.Columns = append(slices.Clone(s.Columns), catalog.ColumnStats{NDV: most})
	return &out
}

// retained returns about how many bytes the table retains between scans.
func (t *table) retained() int64 {
	n := int64(len(t.schema.Columns)) * int64(unsafe.Sizeof(catalog.Column{})+unsafe.Sizeof(catalog.ColumnStats{}))
	for _, p := range t.parts {
		n += p.Held()
	}
	for _, v := range t.sampled {
		n += format.PreviewBytes(v)
	}
	return n
}

// recount charges for statistics and previews that have been read since the last count. Planning
// needs them, so the charge is never refused.
func (t *table) recount() {
	n := t.retained()
	t.held.GrowAnyway(n - t.counts)
	t.counts = n
}

// mergeStats returns the statistics of the rows of two files together.
func mergeStats(a, b *catalog.Stats) *catalog.Stats {
	m := &catalog.Stats{Rows: a.Rows + b.Rows, Exact: a.Exact && b.Exact, Bytes: a.Bytes + b.Bytes}
	if len(a.Columns) != len(b.Columns) {
		return m
	}
	for i, x := range a.Columns {
		y := b.Columns[i]
		c := catalog.ColumnStats{Nulls: x.Nulls + y.Nulls}
		if x.NDV > 0 && y.NDV > 0 {
			c.NDV = max(x.NDV, y.NDV)
		}
		if x.Min != nil && y.Min != nil && x.Max != nil && y.Max != nil {
			c.Min, c.Max = format.Lesser(x.Min, y.Min), format.Greater(x.Max, y.Max)
		}
		if rows := a.Rows + b.Rows; rows > 0 {
			c.AvgLen = (x.AvgLen*float64(a.Rows) + y.AvgLen*float64(b.Rows)) / float64(rows)
		}
		m.Columns = append(m.Columns, c)
	}
	return m
}
