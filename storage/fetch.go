package storage

import (
	"context"
	"sort"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/contents"
	"gsql/storage/segment"
)

// fetch reads rows, given by ascending ids that exist in v, into the columns whose vector is nil.
// Strings share v's memory.
func (v *version) fetch(ctx context.Context, ids []int64, cols []*vec.Vector) error {
	var missing []int
	for c := range cols {
		if cols[c] == nil {
			missing = append(missing, c)
		}
	}
	return v.fetchColumns(ctx, ids, cols, missing)
}

// fetchColumns is like fetch for the columns listed in missing.
func (v *version) fetchColumns(ctx context.Context, ids []int64, cols []*vec.Vector, missing []int) error {
	for _, c := range missing {
		cols[c] = vec.NewFlat(v.schema.Columns[c].Type, len(ids))
	}
	var f fetcher
	for from := 0; from < len(ids); {
		if err := ctx.Err(); err != nil {
			return sqlerr.From(err)
		}
		var at contents.Place
		at, f.rows = v.together(ids[from:], f.rows)
		for _, c := range missing {
			if err := f.gather(v.schema, at, c, cols[c], from); err != nil {
				return err
			}
		}
		from += len(f.rows)
	}
	return nil
}

// fetcher holds buffers for fetching rows segment by segment.
type fetcher struct {
	rows  []int32 // of the segment
	out   vec.Vector
	flat  vec.Vector
	codes []int32
	runs  segment.Expansion
}

// together returns the rows of the longest prefix of ids that are all in one segment. It reuses the
// memory of rows.
func (v *version) together(ids []int64, rows []int32) (contents.Place, []int32) {
	first, _ := v.find(ids[0])
	guess := first
	rows = append(rows[:0], int32(first.Row))
	for _, id := range ids[1:] {
		p, ok := v.locate(id, &guess)
		if !ok || p.Rows != first.Rows || p.Seg != first.Seg {
			break
		}
		rows = append(rows, int32(p.Row))
	}
	return first, rows
}

// gather copies the rows of a segment or tail to dst, starting at row to.
func (f *fetcher) gather(schema *catalog.Schema, at contents.Place, col int, dst *vec.Vector, to int) error {
	if at.InTail() {
		for _, r := range f.rows {
			b := at.Rows.Tail.BlockAt(int(r))
			var one vec.Vector
			b.Read(col, int(r), int(r)+1, &one)
			segment.AppendFlat(dst, to, &one, 1)
			to++
		}
		return nil
	}
	c, err := at.Rows.Segs[at.Seg].Cols[col].Data()
	if err != nil {
		return err
	}
	src, err := f.pick(c, &schema.Columns[col])
	if err == nil {
		segment.AppendFlat(dst, to, src, len(f.rows))
	}
	return err
}

// pick returns the values of the fetcher's rows of a column as a flat vector, valid until the
// next call.
func (f *fetcher) pick(c *segment.Data, def *catalog.Column) (*vec.Vector, error) {
	rows := f.rows
	switch {
	case c.Runs != nil:
		return c.Runs.Read(def.Type, 0, c.Runs.Rows(), rows, false, &f.runs).Flatten(&f.flat), nil
	case c.Dict != nil:
		f.codes = f.codes[:0]
		for _, r := range rows {
			f.codes = append(f.codes, c.Codes[r])
		}
		f.out = vec.Vector{Type: def.Type, Form: vec.View, N: len(rows), Base: c.Dict, Idx: f.codes}
		return f.out.Flatten(&f.flat), nil
	case c.Ints != nil:
		arrowvec.TakeWide(c.Ints, def.Type, 0, rows, &f.out)
		return &f.out, nil
	}
	if taken, err := arrowvec.Copy(c.Arr, def.Type, 0, rows, &f.out); taken || err != nil {
		return &f.out, err
	}
	from, to := int(rows[0]), int(rows[len(rows)-1])+1
	var all vec.Vector
	if err := c.Read(def, from, to, &all); err != nil {
		return nil, err
	}
	idx := make([]int32, len(rows))
	for i, r := range rows {
		idx[i] = r - int32(from)
	}
	return (&vec.Composer{}).View(&all, idx).Flatten(nil), nil
}

// ReadPlaces implements catalog.PlaceReader.
func (v *version) ReadPlaces(ctx context.Context, places []int64, columns []int) ([]*vec.Vector, error) {
	ids, err := v.idsAt(places)
	if err != nil {
		return nil, err
	}
	byColumn := make([]*vec.Vector, len(v.schema.Columns))
	if err := v.fetchColumns(ctx, ids, byColumn, columns); err != nil {
		return nil, err
	}
	out := make([]*vec.Vector, len(columns))
	for i, c := range columns {
		out[i] = byColumn[c]
	}
	return out, nil
}

// idsAt returns the ids of the rows at ascending places among those that are not deleted.
func (v *version) idsAt(places []int64) ([]int64, error) {
	ids := make([]int64, 0, len(places))
	first, rows := int64(0), []int32(nil) // the place of a run's first row; rows of the run
	for _, r := range v.runs() {
		end := first + int64(r.rows()-r.Del.Count())
		n := sort.Search(len(places), func(i int) bool { return places[i] >= end })
		rows = r.Del.AppendNth(rows[:0], places[:n], first)
		for _, row := range rows {
			ids = append(ids, r.id(int(row)))
		}
		if places, first = places[n:], end; len(places) == 0 {
			return ids, nil
		}
	}
	if len(places) > 0 {
		return nil, sqlerr.Internal("table '%s' has no row %d", v.name, places[0])
	}
	return ids, nil
}
