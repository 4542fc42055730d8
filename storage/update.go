package storage

import (
	"cmp"
	"context"
	"slices"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/timezone"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/conform"
)

// Update replaces the columns ordinals of the rows rowIDs with cols (one vector per ordinal, row
// i for rowIDs[i], which must be distinct), already cast by the caller, and returns the number of
// rows changed. Rows that are gone and rows that already have these values are skipped. All rows
// of one call change together, so keys may be swapped; after an error (as for Insert, or 1213 if
// another transaction changed the rows) none is changed. Changed rows move to the table's end.
func (tx *Tx) Update(ctx context.Context, tbl catalog.Table, rowIDs []int64, ordinals []int, cols []*vec.Vector) (int64, error) {
	w, err := tx.target(tbl)
	if err != nil {
		return 0, err
	}
	order, err := updateOrder(ctx, w.view, rowIDs)
	if err != nil {
		return 0, err
	}
	fresh := make([]*vec.Vector, len(w.view.schema.Columns))
	for i, o := range ordinals {
		var c vec.Composer
		if fresh[o], err = conform.Vector(&w.view.schema.Columns[o], c.View(cols[i], order), 0, nil); err != nil {
			return 0, err
		}
	}
	ids, err := w.view.changed(ctx, picked(rowIDs, order), ordinals, fresh)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	touch(tx, w.view.schema, fresh, len(ids))
	if err := w.view.fetch(ctx, ids, fresh); err != nil {
		return 0, err
	}
	var held heldTexts
	defer held.release(tx)
	if err := completeRows(tx, w.view.schema, fresh, 0, &held); err != nil {
		return 0, err
	}
	w.view.table.raiseTo(w.view.schema, ordinals, fresh)
	next := w.view.successor()
	gone, _ := next.delete(ids)
	if err := ctx.Err(); err != nil {
		return 0, sqlerr.From(err)
	}
	if err := tx.insert(ctx, w, next, [][]*vec.Vector{fresh}); err != nil {
		return 0, orConflict(tx, w, gone, err)
	}
	w.keepDeleted(gone)
	return int64(len(gone)), nil
}

// touch sets the ON UPDATE CURRENT_TIMESTAMP columns of n changed rows that were not given a new
// value.
func touch(tx *Tx, schema *catalog.Schema, fresh []*vec.Vector, n int) {
	for c := range schema.Columns {
		col := &schema.Columns[c]
		if !col.OnUpdateNow || fresh[c] != nil || tx.Env == nil {
			continue
		}
		now := tx.Env.Now()
		if col.Type.ID != types.Timestamp {
			now = timezone.Local(now, timezone.Of(tx.Env))
		}
		fresh[c] = catalog.Datum{Type: col.Type, I64: now - now%types.FractionUnit(col.Type)}.Vector(n).Flatten(nil)
	}
}

func picked(ids []int64, order []int32) []int64 {
	out := make([]int64, len(order))
	for i, x := range order {
		out[i] = ids[x]
	}
	return out
}

// changed returns the ids of the rows in which a column of ordinals differs from fresh, and
// removes the other rows from fresh.
func (v *version) changed(ctx context.Context, ids []int64, ordinals []int, fresh []*vec.Vector) ([]int64, error) {
	old := make([]*vec.Vector, len(fresh))
	if err := v.fetchColumns(ctx, ids, old, ordinals); err != nil {
		return nil, err
	}
	differs := make([]bool, len(ids))
	for _, o := range ordinals {
		markDifferent(differs, old[o], fresh[o])
	}
	rows := make([]int32, 0, len(ids))
	for i, d := range differs {
		if d {
			rows = append(rows, int32(i))
		}
	}
	if len(rows) == len(ids) {
		return ids, nil
	}
	for _, o := range ordinals {
		var c vec.Composer
		fresh[o] = c.View(fresh[o], rows).Flatten(nil)
	}
	return picked(ids, rows), nil
}

// markDifferent sets the flags of the rows in which two flat vectors of the same kind differ.
func markDifferent(differs []bool, a, b *vec.Vector) {
	for i := range differs {
		switch an, bn := a.Null != nil && a.Null[i], b.Null != nil && b.Null[i]; {
		case an || bn:
			differs[i] = differs[i] || an != bn
		case a.I64 != nil:
			differs[i] = differs[i] || a.I64[i] != b.I64[i]
		case a.F64 != nil:
			differs[i] = differs[i] || a.F64[i] != b.F64[i]
		case a.Dec != nil:
			differs[i] = differs[i] || a.Dec[i] != b.Dec[i]
		case a.Str != nil:
			differs[i] = differs[i] || a.Str[i] != b.Str[i]
		}
	}
}

// updateOrder returns the positions of the ids that are alive, in ascending order of ids and
// without duplicates.
func updateOrder(ctx context.Context, v *version, ids []int64) ([]int32, error) {
	order := make([]int32, 0, len(ids))
	for i, id := range ids {
		if i%sortCheck == 0 && ctx.Err() != nil {
			return nil, sqlerr.From(ctx.Err())
		}
		if v.alive(id) {
			order = append(order, int32(i))
		}
	}
	if err := sortUntil(ctx, order, func(a, b int32) int { return cmp.Compare(ids[a], ids[b]) }); err != nil {
		return nil, err
	}
	return slices.CompactFunc(order, func(a, b int32) bool { return ids[a] == ids[b] }), nil
}

// sortCheck is the number of rows or comparisons between checks for cancellation.
const sortCheck = 1 << 16

// sortUntil sorts like slices.SortFunc, unless ctx ends. Then all values compare equal, so that
// the sort ends soon, with the order undefined.
func sortUntil[T any](ctx context.Context, xs []T, compare func(a, b T) int) (err error) {
	left := sortCheck
	slices.SortFunc(xs, func(a, b T) int {
		if left--; left < 0 {
			err, left = ctx.Err(), sortCheck
		}
		if err != nil {
			return 0
		}
		return compare(a, b)
	})
	if err != nil {
		return sqlerr.From(err)
	}
	return nil
}
