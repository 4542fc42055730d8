// Package contents holds the rows of a table version: sealed segments followed by a tail, and
// which of their rows are deleted. Every row has an id, which it keeps until it is deleted.
//
// Versions share segments and the blocks of tails. A Rows value is immutable once it has been
// published; its methods that change it are for values that are not shared yet.
package contents

import (
	"context"
	"slices"
	"sort"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/rowset"
	"gsql/storage/segment"
)

// Shape describes how the rows of a table are kept.
type Shape struct {
	Schema      *catalog.Schema
	SegmentRows int          // rows at which a tail is sealed
	Mem         *mem.Account // charged for segments and tails; nil counts nothing
}

// Rows are the rows of a version. A copy of the value shares memory with the original; changing
// the copy leaves the original as it was.
type Rows struct {
	Segs    []segment.Sealed // by ascending ids
	Tail    segment.Tail
	TailDel *rowset.Deletions // of the tail
}

// Next returns the id that follows those of the tail.
func (r *Rows) Next() int64 { return r.Tail.Base + int64(r.Tail.N) }

// Count returns the number of rows that are not deleted.
func (r *Rows) Count() int64 {
	total := int64(r.Tail.N - r.TailDel.Count())
	for i := range r.Segs {
		total += int64(r.Segs[i].Rows - r.Segs[i].Del.Count())
	}
	return total
}

// Memory estimates the bytes held by the rows.
func (r *Rows) Memory() int64 {
	total := r.Tail.Memory()
	for i := range r.Segs {
		total += r.Segs[i].Bytes
	}
	return total
}

// Place is the position of a row: in segment number Seg, or in the tail if Seg is the number of
// segments.
type Place struct {
	Rows *Rows
	Seg  int
	Row  int
}

// Find locates a row by id; ok is false if r does not have it (any more). It may find a deleted
// row: see Place.Deleted.
func (r *Rows) Find(id int64) (Place, bool) {
	if row := id - r.Tail.Base; row >= 0 && r.Tail.N > 0 {
		return Place{r, len(r.Segs), int(row)}, row < int64(r.Tail.N)
	}
	i := sort.Search(len(r.Segs), func(i int) bool { return r.Segs[i].Base > id }) - 1
	if i < 0 {
		return Place{}, false
	}
	row, ok := r.Segs[i].Row(id)
	return Place{r, i, row}, ok
}

// Locate is like Find, but tries the segment of guess first.
func (r *Rows) Locate(id int64, guess *Place) (Place, bool) {
	if guess.Rows == r && guess.Seg < len(r.Segs) {
		if row, ok := r.Segs[guess.Seg].Row(id); ok {
			return Place{r, guess.Seg, row}, true
		}
	}
	return r.Find(id)
}

// Deleted reports whether the row at p is deleted.
func (p Place) Deleted() bool {
	if p.InTail() {
		return p.Rows.TailDel.Has(p.Row)
	}
	return p.Rows.Segs[p.Seg].Del.Has(p.Row)
}

// InTail reports whether the row is in the tail.
func (p Place) InTail() bool { return p.Seg == len(p.Rows.Segs) }

// Delete marks rows as deleted. ids must be ascending and distinct. It returns the ids of rows
// that were alive; missing is set if any were not.
func (r *Rows) Delete(ids []int64) (gone []int64, missing bool) {
	gone = make([]int64, 0, len(ids))
	var rows []int
	var at Place
	copied := false
	flush := func() {
		if len(rows) > 0 {
			r.deleteIn(at.Seg, rows, &copied)
		}
		rows = rows[:0]
	}
	for _, id := range ids {
		p, ok := r.Locate(id, &at)
		if !ok || p.Deleted() {
			missing = true
			continue
		}
		if p.Seg != at.Seg || at.Rows == nil {
			flush()
			at = p
		}
		gone = append(gone, id)
		rows = append(rows, p.Row)
	}
	flush()
	return gone, missing
}

func (r *Rows) deleteIn(seg int, rows []int, copied *bool) {
	if seg == len(r.Segs) {
		r.TailDel = r.TailDel.With(rows)
		return
	}
	if !*copied {
		r.Segs = slices.Clone(r.Segs)
		*copied = true
	}
	r.Segs[seg].Del = r.Segs[seg].Del.With(rows)
}

// Append adds n rows, flat vectors that conform to the schema, to the tail, and seals the tail
// whenever it is full.
func (r *Rows) Append(ctx context.Context, s Shape, cols []*vec.Vector, n int) error {
	for from := 0; from < n; {
		if err := ctx.Err(); err != nil {
			return sqlerr.From(err)
		}
		to := min(n, from+max(1, s.SegmentRows-r.Tail.N))
		var err error
		if r.Tail, err = r.Tail.Append(s.Mem, s.Schema, segment.Sliced(cols, from, to), to-from); err != nil {
			return err
		}
		if s.Full(&r.Tail) {
			if err := r.Seal(s); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// Seal turns the tail into a segment and starts a new one.
func (r *Rows) Seal(s Shape) error {
	if r.Tail.N > 0 {
		seg, err := r.Tail.Seal(s.Mem, s.Schema)
		if err != nil {
			return err
		}
		r.Segs = append(slices.Clip(r.Segs), segment.Sealed{Segment: seg, Base: r.Tail.Base, Del: r.TailDel})
	}
	r.Tail, r.TailDel = segment.Tail{Base: r.Next()}, nil
	return nil
}

// Full reports whether a tail should become a segment.
func (s *Shape) Full(x *segment.Tail) bool {
	return x.N >= s.SegmentRows || x.Bytes >= segment.MaxBytes
}
