package parquet

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// bounds returns the least and greatest value of a column chunk and its number of NULLs.
// Statistics that are missing are returned as nil for lo and hi, and as a negative number for
// nulls.
func (p *part) bounds(group int, c *column) (lo, hi *catalog.Datum, nulls int64) {
	if !c.flat() {
		return nil, nil, -1
	}
	stats := &p.meta.groups[group].chunks[c.node.leaf].stats
	min, max := stats.oldMin, stats.oldMax
	if p.ordered(c) {
		min, max = stats.min, stats.max
	} else if !c.signed() {
		return nil, nil, stats.nulls
	}
	if min != nil && max != nil {
		lo, hi = c.bound(min), c.bound(max)
	}
	if lo == nil || hi == nil || lo.Compare(*hi) > 0 {
		lo, hi = nil, nil
	}
	return lo, hi, stats.nulls
}

// flat reports whether the column has one value per row, of a supported type.
func (c *column) flat() bool { return !c.nested && c.Comment == "" && c.Type.ID != types.Null }

// ordered reports whether a column's bounds follow the order of its type. The C++ library compared decimals
// wrongly before version 4.
func (p *part) ordered(c *column) bool {
	ordered := c.node.leaf < len(p.meta.ordered) && p.meta.ordered[c.node.leaf]
	if c.Type.ID == types.Decimal && strings.HasPrefix(p.meta.creator, "parquet-cpp") {
		major := 0
		_, err := fmt.Sscanf(p.meta.creator, "parquet-cpp-arrow version %d.", &major)
		ordered = ordered && err == nil && major >= 4
	}
	return ordered
}

// signed reports whether values compare as signed numbers, for which the bounds of all writers
// agree.
func (c *column) signed() bool {
	switch c.physical {
	case parquet.Types.Int32, parquet.Types.Int64:
		return !c.Type.IsUnsigned()
	case parquet.Types.Float, parquet.Types.Double, parquet.Types.Boolean:
		return true
	}
	return false
}

// bound decodes a bound from the statistics. It returns nil if the bound is unreliable.
func (c *column) bound(b []byte) *catalog.Datum {
	if c.physical == parquet.Types.Int96 || c.form == halfForm || c.form == intervalForm || c.Type.ID == types.JSON {
		return nil // their order in statistics is undefined, or is that of other texts than the values'
	}
	if c.physical == parquet.Types.ByteArray {
		b = append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
	}
	v := vec.NewFlat(c.Type, 1)
	if err := (&plainDecoder{data: b}).decode(c, v, 0, 1); err != nil {
		return nil
	}
	d := catalog.DatumAt(v, 0)
	if math.IsNaN(d.F64) {
		return nil
	}
	return &d
}

// prunes reports whether no row of the group can satisfy all ranges.
func (p *part) prunes(group int, ranges []catalog.Range) bool {
	for _, r := range ranges {
		if r.Column < 0 || r.Column >= len(p.cols) {
			continue
		}
		c := p.cols[r.Column]
		lo, hi, nulls := p.bounds(group, c)
		if nulls >= 0 && nulls == p.meta.groups[group].rows {
			return true
		}
		if lo == nil {
			continue
		}
		if format.Comparable(c.Type, r.Lo) && hi.Compare(*r.Lo) < 0 || format.Comparable(c.Type, r.Hi) && lo.Compare(*r.Hi) > 0 {
			return true
		}
	}
	return false
}

// Stats implements format.Part. It uses the footer and a few dictionaries.
func (p *part) Stats(ctx context.Context) *catalog.Stats {
	s := &catalog.Stats{Rows: p.meta.rows, Exact: true, Bytes: p.Size, Columns: make([]catalog.ColumnStats, len(p.cols))}
	_ = format.Guard(p.Path, func() error { // a damaged file is reported when it is read
		for i, c := range p.cols {
			p.columnStats(ctx, c, &s.Columns[i])
		}
		return nil
	})
	return s
}

func (p *part) columnStats(ctx context.Context, c *column, s *catalog.ColumnStats) {
	var lo, hi *catalog.Datum
	known := len(p.meta.groups) > 0
	for g := range p.meta.groups {
		l, h, nulls := p.bounds(g, c)
		s.Nulls += max(nulls, 0)
		if l == nil {
			known = known && nulls == p.meta.groups[g].rows
			continue
		}
		if lo == nil {
			lo, hi = l, h
		}
		lo, hi = format.Lesser(lo, l), format.Greater(hi, h)
	}
	if known && lo != nil {
		s.Min, s.Max = lo, hi
	}
	s.NDV, s.AvgLen = p.distinct(ctx, c)
	if s.Min != nil && (c.Type.IsInteger() || c.Type.ID == types.Date) {
		if span := s.Max.I64 - s.Min.I64; span >= 0 && span < math.MaxInt64 && (s.NDV == 0 || s.NDV > span) {
			s.NDV = min(span+1, p.meta.rows-s.Nulls)
		}
	}
}
