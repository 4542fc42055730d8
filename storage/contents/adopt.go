package contents

import (
	"slices"

	"gsql/storage/segment"
)

// MinSegment is the number of rows from which a transaction's rows become separate segments;
// fewer are copied to the table's tail.
func (s *Shape) MinSegment() int { return s.SegmentRows / 4 }

// Separate reports whether Adopt keeps the segments of own, instead of copying its rows to the
// tail.
func (s *Shape) Separate(own *Rows) bool {
	return len(own.Segs) > 0 || own.Tail.N >= s.MinSegment()
}

// Adopt adds the rows of own behind those of r; nil adds none. next is the id of the first of
// them. Segments with many deleted rows are rewritten. It returns the id of the next row.
func (r *Rows) Adopt(s Shape, own *Rows, next, ownBase int64) (int64, error) {
	r.resetTail(next)
	if own == nil {
		return next, r.compact(s)
	}
	shift := next - ownBase
	rows := own.Next() - ownBase
	separate := s.Separate(own)
	var err error
	if separate {
		err = r.adoptSegments(s, own, shift)
	} else {
		err = r.appendTail(s, own)
	}
	if err != nil {
		return 0, err
	}
	next += rows
	if separate {
		r.Tail = segment.Tail{Base: next}
	}
	if s.Full(&r.Tail) {
		if err := r.Seal(s); err != nil {
			return 0, err
		}
	}
	return next, r.compact(s)
}

// resetTail drops the tail if all of its rows are deleted.
func (r *Rows) resetTail(next int64) {
	if r.Tail.N > 0 && r.TailDel.Count() == r.Tail.N {
		r.Tail, r.TailDel = segment.Tail{Base: next}, nil
	}
}

// adoptSegments adds own's segments to r's, and own's tail as a further segment.
func (r *Rows) adoptSegments(s Shape, own *Rows, shift int64) error {
	if err := r.Seal(s); err != nil {
		return err
	}
	r.Segs = slices.Clip(r.Segs)
	for _, seg := range own.Segs {
		seg.Base += shift
		r.Segs = append(r.Segs, seg)
	}
	t := own.Tail
	if t.N == 0 {
		return nil
	}
	seg, err := t.Seal(s.Mem, s.Schema)
	if err != nil {
		return err
	}
	r.Segs = append(r.Segs, segment.Sealed{Segment: seg, Base: t.Base + shift, Del: own.TailDel})
	return nil
}

// appendTail copies own's tail to the end of r's.
func (r *Rows) appendTail(s Shape, own *Rows) (err error) {
	at := r.Tail.N
	for _, b := range own.Tail.Blocks {
		if r.Tail, err = r.Tail.Append(s.Mem, s.Schema, b.Cols, min(b.Cap, own.Tail.N-b.Start)); err != nil {
			return err
		}
	}
	if own.TailDel.Count() == 0 {
		return nil
	}
	var gone []int
	for row := range own.Tail.N {
		if own.TailDel.Has(row) {
			gone = append(gone, at+row)
		}
	}
	r.TailDel = r.TailDel.With(gone)
	return nil
}
