package dml

import (
	"slices"

	"gsql/planner/binder"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage"
)

// Count counts the outcomes of the rows of an INSERT.
type Count struct {
	Records    int64 // rows to insert
	Duplicates int64 // rows that conflicted with others of the same key
	Affected   int64
}

// inserting is the state of a running INSERT IGNORE, REPLACE or INSERT ... ON DUPLICATE KEY UPDATE.
type inserting struct {
	*Runner
	w      *binder.Insert
	change *physical.Node // plan of ON DUPLICATE KEY UPDATE, or nil
	m      *storage.Matcher
	extra  []*vec.Vector // columns after the table's in m's rows
	count  Count
}

// InsertEach inserts the rows of a plan one after another if they may conflict with rows of the
// same key: INSERT IGNORE skips such a row with a warning, REPLACE deletes the rows that it
// conflicts with, and ON DUPLICATE KEY UPDATE, with the plan update, updates the first of them.
// Rows that are independent of each other are handled together.
func (r *Runner) InsertEach(w *binder.Insert, rows, update *physical.Node) (Count, error) {
	in := &inserting{Runner: r, w: w, change: update}
	batches, _, err := r.Collect(rows)
	if err != nil {
		return in.count, err
	}
	schema := w.Table.Schema()
	for _, b := range batches {
		width := len(schema.Columns)
		r.FillNulls(schema, ordinals(width), b[:width])
		if err := in.rows(b, width); err != nil {
			return in.count, err
		}
	}
	return in.count, nil
}

// rows inserts a batch whose first width columns are the table's. INSERT IGNORE skips, with a
// warning, rows that violate a constraint.
func (in *inserting) rows(b []*vec.Vector, width int) (err error) {
	n := b[0].N
	in.m, err = storage.NewMatcher(in.Ctx, in.Tx, in.w.Table, b[:width], int(in.count.Records))
	switch violated := in.w.Ignore && ignorable(err); {
	case violated && n > 1:
		for i := range n {
			if err := in.rows((&vec.Batch{Cols: b, N: n}).Slice(i, i+1).Cols, width); err != nil {
				return err
			}
		}
		return nil
	case violated:
		in.count.Records++
		in.warn(err)
		return nil
	case err != nil:
		return err
	}
	defer in.m.Release()
	in.extra = b[width:]
	in.count.Records += int64(n)
	return in.batch(in.limit(n))
}

// limit returns how many rows may be handled together: one if the update changes keys, by which
// later rows are found.
func (in *inserting) limit(rows int) int {
	if in.w.Upsert == nil {
		return rows
	}
	schema := in.w.Table.Schema()
	for _, ix := range schema.Indexes {
		for _, c := range ix.Columns {
			col := &schema.Columns[c]
			if ix.Unique && (slices.Contains(in.w.Upsert.Ordinals, c) || col.Generated != "" || col.OnUpdateNow) {
				return 1
			}
		}
	}
	return rows
}

func (in *inserting) batch(limit int) error {
	for s := in.m.Next(limit); s.To > s.From; s = in.m.Next(limit) {
		err := in.Ctx.Err()
		if err != nil {
			return sqlerr.From(err)
		}
		switch {
		case in.w.Upsert != nil:
			err = in.upsert(s)
		case in.w.Replace:
			err = in.replace(s)
		default:
			err = in.ignore(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// insert adds rows that conflict with no others.
func (in *inserting) insert(rows []int32) error {
	in.count.Affected += int64(len(rows))
	return in.m.Insert(in.Ctx, rows)
}

// ignore adds the rows of a stretch that conflict with no others.
func (in *inserting) ignore(s storage.Stretch) error {
	var free []int32
	for i, met := range s.Met {
		if len(met) == 0 {
			free = append(free, int32(s.From+i))
			continue
		}
		in.count.Duplicates++
		in.warn(in.m.Duplicate(s.From+i, met[0].Key))
	}
	return in.insert(free)
}

func (in *inserting) warn(err error) {
	e := sqlerr.From(err)
	in.Warn(uint16(e.Code), e.Msg)
}

// replace deletes the rows that the rows of a stretch conflict with and adds the new ones. A row
// that equals the only one it can conflict with stays, and counts once.
func (in *inserting) replace(s storage.Stretch) error {
	rows, gone, err := in.replaced(s)
	if err != nil {
		return err
	}
	if in.m.Keys() == 1 && len(gone) > 0 {
		if rows, gone, err = in.unlike(s, rows); err != nil {
			return err
		}
	}
	if len(gone) > 0 {
		n, err := in.Tx.Delete(in.Ctx, in.w.Table, gone)
		if err != nil {
			return err
		}
		in.count.Affected += n
		in.count.Duplicates += n
	}
	in.count.Affected += int64(s.To - s.From - len(rows))
	return in.insert(rows)
}

// replaced returns the rows of a stretch and the ids of those they conflict with.
func (in *inserting) replaced(s storage.Stretch) (rows []int32, gone []int64, err error) {
	for i, met := range s.Met {
		rows = append(rows, int32(s.From+i))
		for _, x := range met {
			if err := in.m.Visible(x); err != nil {
				return nil, nil, err
			}
			gone = append(gone, x.ID)
		}
	}
	return rows, gone, nil
}

// unlike skips rows that equal the row they conflict with.
func (in *inserting) unlike(s storage.Stretch, rows []int32) (kept []int32, gone []int64, err error) {
	var meeting []int32
	var ids []int64
	for i, met := range s.Met {
		if len(met) > 0 {
			meeting, ids = append(meeting, rows[i]), append(ids, met[0].ID)
		}
	}
	differ, err := in.m.Differ(in.Ctx, meeting, ids)
	if err != nil {
		return nil, nil, err
	}
	at := 0
	for i, met := range s.Met {
		if len(met) > 0 {
			at++
			if !differ[at-1] {
				continue
			}
			gone = append(gone, met[0].ID)
		}
		kept = append(kept, rows[i])
	}
	return kept, gone, nil
}

// upsert adds the rows of a stretch that conflict with no others, and for each of the others
// updates the first row that it conflicts with.
func (in *inserting) upsert(s storage.Stretch) error {
	var free, meeting []int32
	var ids []int64
	for i, met := range s.Met {
		if len(met) == 0 {
			free = append(free, int32(s.From+i))
			continue
		}
		if err := in.m.Visible(met[0]); err != nil {
			return err
		}
		meeting, ids = append(meeting, int32(s.From+i)), append(ids, met[0].ID)
	}
	if err := in.insert(free); err != nil || len(ids) == 0 {
		return err
	}
	in.count.Duplicates += int64(len(ids))
	cols, err := in.newValues(meeting, ids)
	if err != nil {
		return err
	}
	changed, err := in.update(in.w.Table, ids, in.w.Upsert.Ordinals, cols, in.w.Ignore)
	in.count.Affected += 2 * changed
	return err
}

// newValues computes the assignments for conflicting rows; ids are the rows they conflict with.
func (in *inserting) newValues(rows []int32, ids []int64) ([]*vec.Vector, error) {
	old, err := in.Tx.Fetch(in.Ctx, in.w.Table, ids)
	if err != nil {
		return nil, err
	}
	number := &vec.Vector{Type: in.w.Upsert.Node.Schema()[0].T, N: len(ids), I64: make([]int64, len(ids))}
	for i := range number.I64 {
		number.I64[i] = int64(i)
	}
	given := append([]*vec.Vector{number}, old...)
	given = append(append(given, pick(in.m.Rows(), rows)...), pick(in.extra, rows)...)
	in.w.Upsert.Given.Give(given, len(ids))
	out, err := in.all(in.change)
	if err != nil {
		return nil, err
	}
	if out == nil || out[0].N != len(ids) {
		return nil, sqlerr.Internal("ON DUPLICATE KEY UPDATE lost rows")
	}
	order := make([]int32, len(ids))
	for i, x := range out[0].I64 {
		order[x] = int32(i)
	}
	cols := pick(out[1:], order)
	in.FillNulls(in.w.Table.Schema(), in.w.Upsert.Ordinals, cols)
	return cols, nil
}
