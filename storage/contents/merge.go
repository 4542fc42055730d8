package contents

import (
	"context"
	"slices"

	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/segment"
)

// Merging says which segments Merge rewrites.
type Merging struct {
	Least  int                         // at least so many adjacent segments that have room in one
	Wasted int                         // a segment in which at least one row of so many is deleted
	Also   func(*segment.Segment) bool // other segments; may be nil
	Most   int64                       // bytes of segments after which the others are left as they are; 0 for no limit
	// Keep is called with each new segment and returns it as it is to be kept; it may be nil.
	Keep func(*segment.Segment) (*segment.Segment, error)
}

// Merge rewrites segments without their deleted rows. Rows keep their ids. It returns the bytes of the
// segments that it has replaced, 0 if nothing has changed.
func (r *Rows) Merge(ctx context.Context, s Shape, m Merging) (bytes int64, err error) {
	var out []segment.Sealed
	for from := 0; from < len(r.Segs); {
		if m.Most > 0 && bytes >= m.Most {
			out = append(out, r.Segs[from:]...)
			break
		}
		group := r.Segs[from : from+together(r.Segs[from:], s)]
		if len(group) < m.Least {
			group = group[:1]
		}
		from += len(group)
		if len(group) == 1 && !m.wastes(&group[0]) {
			out = append(out, group[0])
			continue
		}
		for i := range group {
			bytes += max(1, group[i].Bytes)
		}
		if err := ctx.Err(); err != nil {
			return 0, sqlerr.From(err)
		}
		merged, err := rewrite(s, group)
		for i := range merged {
			if err == nil && m.Keep != nil {
				merged[i].Segment, err = m.Keep(merged[i].Segment)
			}
		}
		if err != nil {
			return 0, err
		}
		out = append(out, merged...)
	}
	if bytes > 0 {
		r.Segs = out
	}
	return bytes, nil
}

func (m *Merging) wastes(s *segment.Sealed) bool {
	return s.Del.Count()*m.Wasted >= s.Rows || m.Also != nil && m.Also(s.Segment)
}

// together returns the number of segments, from the first, whose live rows fit in one.
func together(segs []segment.Sealed, s Shape) int {
	rows, bytes := 0, int64(0)
	for i := range segs {
		rows += segs[i].Rows - segs[i].Del.Count()
		bytes += segs[i].Bytes
		if i > 0 && (rows > s.SegmentRows || bytes > segment.MaxBytes) {
			return i
		}
	}
	return len(segs)
}

// rewrite returns a segment with the live rows of segments, or none if there are none.
func rewrite(s Shape, group []segment.Sealed) ([]segment.Sealed, error) {
	var batches [][]*vec.Vector
	var ids []int64
	for i := range group {
		old := &group[i]
		live := old.Del.Live(nil, 0, old.Rows)
		if len(live) == 0 {
			continue
		}
		for _, row := range live {
			ids = append(ids, old.RowID(int(row)))
		}
		cols, err := liveColumns(s, old, live)
		if err != nil {
			return nil, err
		}
		batches = append(batches, cols)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	seg, err := segment.Seal(s.Mem, s.Schema, batches...)
	if err != nil {
		return nil, err
	}
	if ids[len(ids)-1]-ids[0] != int64(len(ids)-1) {
		seg.IDs = slices.Clip(ids)
	}
	return []segment.Sealed{{Segment: seg, Base: ids[0]}}, nil
}

// liveColumns reads the live rows of a segment.
func liveColumns(s Shape, old *segment.Sealed, live []int32) ([]*vec.Vector, error) {
	cols := make([]*vec.Vector, len(old.Cols))
	for i := range old.Cols {
		var src vec.Vector
		if err := old.Cols[i].Read(&s.Schema.Columns[i], 0, old.Rows, &src); err != nil {
			return nil, err
		}
		var c vec.Composer
		cols[i] = c.View(&src, live).Flatten(nil)
	}
	return cols, nil
}
