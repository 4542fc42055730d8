package storage

import "gsql/sql/vec"

// compact rewrites segments of which more than half the rows are deleted and drops
// those without rows. Rows keep their ids. Each rewrite is paid for by the deletions
// before it.
func (v *version) compact() error {
	need := false
	for i := range v.segs {
		need = need || 2*v.segs[i].del.Count() > v.segs[i].rows
	}
	if !need {
		return nil
	}
	kept := make([]sealed, 0, len(v.segs))
	for _, s := range v.segs {
		if s.del.Count() == s.rows {
			continue
		}
		if 2*s.del.Count() > s.rows {
			var err error
			if s, err = v.rewrite(s); err != nil {
				return err
			}
		}
		kept = append(kept, s)
	}
	v.segs = kept
	return nil
}

// rewrite returns a segment without its deleted rows.
func (v *version) rewrite(s sealed) (sealed, error) {
	live := s.del.Live(nil, 0, s.rows)
	ids := make([]int64, len(live))
	for i, r := range live {
		ids[i] = s.rowID(int(r))
	}
	cols := make([]*vec.Vector, len(s.cols))
	for i := range s.cols {
		var src vec.Vector
		if err := s.cols[i].read(&v.schema.Columns[i], 0, s.rows, &src); err != nil {
			return s, err
		}
		var c vec.Composer
		cols[i] = c.View(&src, live).Flatten(nil)
	}
	seg, err := seal(v.mem, v.schema, cols)
	if err != nil {
		return s, err
	}
	seg.ids = ids
	return sealed{segment: seg, base: ids[0]}, nil
}
