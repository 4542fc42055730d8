package contents

import "gsql/storage/segment"

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
		if 2*seg.Del.Count() <= seg.Rows {
			kept = append(kept, seg)
			continue
		}
		fewer, err := rewrite(s, []segment.Sealed{seg})
		if err != nil {
			return err
		}
		kept = append(kept, fewer...)
	}
	r.Segs = kept
	return nil
}
