package contents

import (
	"gsql/sql/vec"
	"gsql/storage/segment"
)

// compact rewrites segments in which more than half the rows are deleted and drops segments
// without live rows. Rows keep their ids. The deletions that precede a rewrite amortise its cost.
func (r *Rows) compact(s Shape) error {
	need := false
	for i := range r.Segs {
		need = need || 2*r.Segs[i].Del.Count() > r.Segs[i].Rows
	}
	if !need {
		return nil
	}
	kept := make([]segment.Sealed, 0, len(r.Segs))
	for _, seg := range r.Segs {
		if seg.Del.Count() == seg.Rows {
			continue
		}
		if 2*seg.Del.Count() > seg.Rows {
			var err error
			if seg, err = rewrite(s, seg); err != nil {
				return err
			}
		}
		kept = append(kept, seg)
	}
	r.Segs = kept
	return nil
}

// rewrite returns the segment without its deleted rows.
func rewrite(s Shape, old segment.Sealed) (segment.Sealed, error) {
	live := old.Del.Live(nil, 0, old.Rows)
	ids := make([]int64, len(live))
	for i, row := range live {
		ids[i] = old.RowID(int(row))
	}
	cols := make([]*vec.Vector, len(old.Cols))
	for i := range old.Cols {
		var src vec.Vector
		if err := old.Cols[i].Read(&s.Schema.Columns[i], 0, old.Rows, &src); err != nil {
			return old, err
		}
		var c vec.Composer
		cols[i] = c.View(&src, live).Flatten(nil)
	}
	seg, err := segment.Seal(s.Mem, s.Schema, cols)
	if err != nil {
		return old, err
	}
	seg.IDs = ids
	return segment.Sealed{Segment: seg, Base: ids[0]}, nil
}
