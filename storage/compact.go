package storage

import (
	"gsql/sql/vec"
	"gsql/storage/segment"
)

// compact rewrites segments in which more than half the rows are deleted and drops segments
// without live rows. Rows keep their ids. The deletions that precede a rewrite amortise its cost.
func compact(v *version) error {
	need := false
	for i := range v.segs {
		need = need || 2*v.segs[i].Del.Count() > v.segs[i].Rows
	}
	if !need {
		return nil
	}
	kept := make([]segment.Sealed, 0, len(v.segs))
	for _, s := range v.segs {
		if s.Del.Count() == s.Rows {
			continue
		}
		if 2*s.Del.Count() > s.Rows {
			var err error
			if s, err = rewrite(v, s); err != nil {
				return err
			}
		}
		kept = append(kept, s)
	}
	v.segs = kept
	return nil
}

// rewrite returns the segment without its deleted rows.
func rewrite(v *version, s segment.Sealed) (segment.Sealed, error) {
	live := s.Del.Live(nil, 0, s.Rows)
	ids := make([]int64, len(live))
	for i, r := range live {
		ids[i] = s.RowID(int(r))
	}
	cols := make([]*vec.Vector, len(s.Cols))
	for i := range s.Cols {
		var src vec.Vector
		if err := s.Cols[i].Read(&v.schema.Columns[i], 0, s.Rows, &src); err != nil {
			return s, err
		}
		var c vec.Composer
		cols[i] = c.View(&src, live).Flatten(nil)
	}
	seg, err := segment.Seal(v.mem, v.schema, cols)
	if err != nil {
		return s, err
	}
	seg.IDs = ids
	return segment.Sealed{Segment: seg, Base: ids[0]}, nil
}
