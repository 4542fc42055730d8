package storage

import (
	"context"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// fetch reads rows, given by ascending ids that v has, into the columns whose vector is
// nil. Strings share v's memory.
func (v *version) fetch(ctx context.Context, ids []int64, cols []*vec.Vector) error {
	var missing []int
	for c := range cols {
		if cols[c] == nil {
			missing = append(missing, c)
		}
	}
	return v.fetchColumns(ctx, ids, cols, missing)
}

// fetchColumns is fetch of the columns listed.
func (v *version) fetchColumns(ctx context.Context, ids []int64, cols []*vec.Vector, missing []int) error {
	for _, c := range missing {
		cols[c] = vec.NewFlat(v.schema.Columns[c].Type, len(ids))
	}
	var at place
	for from := 0; from < len(ids); {
		if err := ctx.Err(); err != nil {
			return sqlerr.From(err)
		}
		var rows []int32
		at, rows = v.together(ids[from:])
		for _, c := range missing {
			if err := at.part.gather(at.seg, rows, c, cols[c], from); err != nil {
				return err
			}
		}
		from += len(rows)
	}
	return nil
}

// together gives the rows of the first ids that lie in one segment.
func (v *version) together(ids []int64) (place, []int32) {
	first, _ := v.find(ids[0])
	guess := first
	rows := []int32{int32(first.row)}
	for _, id := range ids[1:] {
		p, ok := v.locate(id, &guess)
		if !ok || p.part != first.part || p.seg != first.seg {
			break
		}
		rows = append(rows, int32(p.row))
	}
	return first, rows
}

// gather copies rows of a segment or tail to dst from row at on.
func (v *version) gather(seg int, rows []int32, col int, dst *vec.Vector, at int) error {
	if seg == len(v.segs) {
		for _, r := range rows {
			b := v.tail.blockAt(int(r))
			var one vec.Vector
			b.read(col, int(r), int(r)+1, &one)
			appendFlat(dst, at, &one, 1)
			at++
		}
		return nil
	}
	src, err := v.segs[seg].cols[col].pick(&v.schema.Columns[col], rows)
	if err == nil {
		appendFlat(dst, at, src, len(rows))
	}
	return err
}

// pick gives the values of ascending rows of the column, flat.
func (c *column) pick(def *catalog.Column, rows []int32) (*vec.Vector, error) {
	var out vec.Vector
	switch {
	case c.runs != nil:
		return c.runs.read(def.Type, 0, c.runs.rows(), rows, false, new(expansion)).Flatten(nil), nil
	case c.dict != nil:
		codes := make([]int32, len(rows))
		for i, r := range rows {
			codes[i] = c.codes[r]
		}
		out = vec.Vector{Type: def.Type, Form: vec.View, N: len(rows), Base: c.dict, Idx: codes}
		return out.Flatten(nil), nil
	case c.ints != nil:
		arrowvec.TakeWide(c.ints, def.Type, 0, rows, &out)
		return &out, nil
	}
	if taken, err := arrowvec.Take(c.arr, def.Type, 0, rows, &out); taken || err != nil {
		return &out, err
	}
	from, to := int(rows[0]), int(rows[len(rows)-1])+1
	if err := c.read(def, from, to, &out); err != nil {
		return nil, err
	}
	idx := make([]int32, len(rows))
	for i, r := range rows {
		idx[i] = r - int32(from)
	}
	return (&vec.Composer{}).View(&out, idx).Flatten(nil), nil
}
