package storage

import (
	"context"

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

// together gives the rows of the first ids that lie in one segment and chunk.
func (v *version) together(ids []int64) (place, []int32) {
	first, _ := v.find(ids[0])
	guess := first
	rows := []int32{int32(first.row)}
	for _, id := range ids[1:] {
		p, ok := v.locate(id, &guess)
		if !ok || p.part != first.part || p.seg != first.seg || p.row/chunkRows != first.row/chunkRows {
			break
		}
		rows = append(rows, int32(p.row))
	}
	return first, rows
}

// gather copies rows of one chunk of a segment or tail to dst from row at on.
func (v *version) gather(seg int, rows []int32, col int, dst *vec.Vector, at int) error {
	from, to := int(rows[0]), int(rows[len(rows)-1])+1
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
	var src vec.Vector
	if err := v.segs[seg].cols[col].read(&v.schema.Columns[col], from, to, &src); err != nil {
		return err
	}
	idx := make([]int32, len(rows))
	for i, r := range rows {
		idx[i] = r - int32(from)
	}
	var c vec.Composer
	appendFlat(dst, at, c.View(&src, idx).Flatten(nil), len(rows))
	return nil
}
