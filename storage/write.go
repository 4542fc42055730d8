package storage

import (
	"cmp"
	"context"
	"slices"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/conform"
	"gsql/storage/contents"
	"gsql/storage/keyindex"
	"gsql/storage/segment"
)

// Insert adds rows: batches of vectors in schema order, cast to the columns' types. In an
// AUTO_INCREMENT column NULL and 0 (but see KeepZeros) stand for the next value. Strings are
// copied. Either all rows are added or, after an error (1048, 1062, 1264, 1406), none.
func (tx *Tx) Insert(ctx context.Context, tbl catalog.Table, batches [][]*vec.Vector) error {
	w, err := tx.target(tbl)
	if err != nil {
		return err
	}
	tx.autoID = 0
	ready := make([][]*vec.Vector, len(batches))
	var held heldTexts
	defer held.release(tx)
	row := 0
	for i, b := range batches {
		if err := ctx.Err(); err != nil {
			return sqlerr.From(err)
		}
		var made []bool
		if ready[i], made, err = conformBatch(tx, w.view, b, row, &held); err != nil {
			return err
		}
		if made != nil && tx.autoID == 0 {
			tx.autoID = firstMade(autoColumn(w.view, ready[i]), made)
		}
		row += b[0].N
	}
	return orConflict(tx, w, nil, tx.insert(ctx, w, w.view, ready))
}

// orConflict returns error 1213 instead of err if another transaction has changed a row that this
// one deleted, now or earlier. The other transaction's row then has the key, and this transaction
// cannot commit.
func orConflict(tx *Tx, w *write, gone []int64, err error) error {
	if err == nil {
		return nil
	}
	latest := tx.latest(w)
	dead := func(id int64) bool { return id < ownBase && !latest.alive(id) }
	if slices.ContainsFunc(gone, dead) || slices.ContainsFunc(w.deleted, dead) {
		return conflictError()
	}
	return err
}

// conformBatch checks a batch and fills in AUTO_INCREMENT values. made flags the rows that
// received one; it is nil if there are none.
func conformBatch(tx *Tx, v *version, cols []*vec.Vector, row0 int, held *heldTexts) (out []*vec.Vector, made []bool, err error) {
	if len(cols) != len(v.schema.Columns) {
		return nil, nil, sqlerr.New(sqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row %d", row0+1)
	}
	out = make([]*vec.Vector, len(cols))
	for i := range cols {
		col := &v.schema.Columns[i]
		src := cols[i]
		if col.AutoInc {
			if src, made, err = v.table.number(col, src, tx.keepZeros); err != nil {
				return nil, nil, err
			}
		}
		if col.Generated != "" {
			continue
		}
		if out[i], err = conform.Vector(col, src, row0, nil); err != nil {
			return nil, nil, err
		}
	}
	return out, made, completeRows(tx, v.schema, out, row0, held)
}

// heldTexts are the bytes of texts of generated columns that are charged until the rows are stored.
type heldTexts int64

func (h *heldTexts) release(tx *Tx) {
	if *h > 0 {
		tx.Env.Memory().Release(int64(*h))
		*h = 0
	}
}

// completeRows applies the schema's rules: it computes generated columns and checks constraints.
func completeRows(tx *Tx, schema *catalog.Schema, cols []*vec.Vector, row0 int, held *heldTexts) error {
	if schema.Rules == nil {
		return nil
	}
	n, err := schema.Rules.Apply(tx.Env, cols)
	if err != nil {
		return err
	}
	*held += heldTexts(n)
	for i := range cols {
		if schema.Columns[i].Generated == "" {
			continue
		}
		var err error
		if cols[i], err = conform.Vector(&schema.Columns[i], cols[i], row0, nil); err != nil {
			return err
		}
	}
	return nil
}

// insert adds conforming batches to view's own rows and makes the result the transaction's view.
func (tx *Tx) insert(ctx context.Context, w *write, view *version, batches [][]*vec.Vector) error {
	next := view.withOwn()
	keyed := len(w.local) > 0
	undo, err := insertInto(tx, ctx, w, next, batches)
	if err != nil {
		w.takeBack(keyed, undo)
		return err
	}
	tx.keepUndo(undo)
	w.view = next
	return nil
}

func insertInto(tx *Tx, ctx context.Context, w *write, next *version, batches [][]*vec.Vector) (undo []func(), err error) {
	own := next.own
	for _, cols := range batches {
		n := cols[0].N
		u, err := tx.claim(ctx, w, next, cols, n)
		undo = append(undo, u...)
		if err != nil {
			return undo, err
		}
		next.churn += int64(n)
		if err := own.Append(ctx, next.shape(), cols, n); err != nil {
			return undo, err
		}
	}
	return undo, nil
}

// takeBack removes the keys of rows whose insertion failed. If the transaction had no keys before
// (keyed is false), it drops all of them at once, which is fast.
func (w *write) takeBack(keyed bool, undo []func()) {
	if keyed {
		undoAll(undo)
		return
	}
	w.local, w.checked = nil, 0
}

// undoAll runs undo steps, the last one first.
func undoAll(undo []func()) {
	for i := len(undo) - 1; i >= 0; i-- {
		undo[i]()
	}
}

// withOwn returns a successor of v whose own rows may be changed.
func (v *version) withOwn() *version {
	next := v.successor()
	if v.own != nil {
		own := *v.own
		next.own = &own
		return next
	}
	next.own = &contents.Rows{Tail: segment.Tail{Base: ownBase}}
	return next
}

// bulkRows is the number of rows from which their keys are entered in bulk.
const bulkRows = 1 << 14

// claim enters the keys of rows, which follow view's own, for all unique keys of the table. Of several errors it
// returns that of the first row and, for this row, of the first key.
func (tx *Tx) claim(ctx context.Context, w *write, view *version, cols []*vec.Vector, n int) (undo []func(), err error) {
	if len(view.keys) == 0 {
		return nil, nil
	}
	first := view.own.Next()
	if n >= bulkRows {
		chunks := make([][]*keyindex.Chunk, len(view.keys))
		for i, k := range view.keys {
			if chunks[i], err = k.chunks(cols, n, first); err != nil {
				return nil, err
			}
		}
		return claimBulk(ctx, tx, w, view, chunks, first, func(id int64) ([]*vec.Vector, int, error) { return cols, int(id - first), nil })
	}
	c := w.claiming(tx, view, first)
	for i, k := range view.keys {
		u, at, failed := k.claim(ctx, w.local[i], cols, n, c)
		undo = append(undo, u)
		if failed == nil {
			continue
		}
		if err = failed; at == n {
			break // cancelled, or out of memory
		}
		n = at // one of the rows before may have another key that is taken
	}
	return undo, claimed(tx, w, c, err)
}

// claiming returns what new rows are checked against.
func (w *write) claiming(tx *Tx, view *version, first int64) *claiming {
	for len(w.local) < len(view.keys) {
		w.local = append(w.local, keyindex.New(view.mem, view.keys[len(w.local)].Form))
	}
	return &claiming{latest: tx.latest(w), view: view, first: first, matched: w.matched}
}

// claimed notes which version keys were checked against, or that they could not be entered.
func claimed(tx *Tx, w *write, c *claiming, err error) error {
	switch {
	case err != nil:
		tx.reads.note(c.view.table.db, c.view.table.name) // the error reveals what is stored
	case w.checked != 0 && w.checked != c.latest.id:
		w.checked = w.base.id // the rows checked earlier were checked against an older version: check all at commit
	default:
		w.checked = c.latest.id
	}
	return err
}

// claimBulk is like claim for the chunks of each key, with ids from first on. row returns the columns in which a row is,
// and its place there.
func claimBulk(ctx context.Context, tx *Tx, w *write, view *version, chunks [][]*keyindex.Chunk, first int64, row func(id int64) ([]*vec.Vector, int, error)) (undo []func(), err error) {
	c := w.claiming(tx, view, first)
	var bad *uniqueKey
	earliest := int64(-1)
	for i, k := range view.keys {
		u, taken, err := k.claimBulk(ctx, w.local[i], chunks[i], c)
		undo = append(undo, u)
		if err != nil {
			return undo, sqlerr.From(err)
		}
		if taken >= 0 && (bad == nil || taken < earliest) {
			bad, earliest = k, taken
		}
	}
	if bad != nil {
		cols, i, failed := row(earliest)
		if err = failed; err == nil {
			err = bad.bulkError(cols, i, c)
		}
	}
	return undo, claimed(tx, w, c, err)
}

// chunks returns the keys of n rows with ids from first on.
func (k *uniqueKey) chunks(cols []*vec.Vector, n int, first int64) (out []*keyindex.Chunk, err error) {
	for from := 0; from < n; from += segment.DefaultRows {
		to := min(n, from+segment.DefaultRows)
		c, err := k.chunk(segment.Sliced(cols, from, to), to-from)
		if err != nil {
			return nil, err
		}
		out = append(out, c.WithFirst(first+int64(from)))
	}
	return out, nil
}

// latest returns the newest committed version of the table that w writes, or w's base if there is
// none.
func (tx *Tx) latest(w *write) *version {
	if !w.created && !w.cleared {
		if v := tx.store.state.Load().version(w.base.table); v != nil {
			return v
		}
	}
	return w.base
}

// Delete removes rows by the ids returned by a scan in this transaction. It returns the number of
// rows removed; rows already gone do not count.
func (tx *Tx) Delete(ctx context.Context, tbl catalog.Table, rowIDs []int64) (int64, error) {
	w, err := tx.target(tbl)
	if err != nil {
		return 0, err
	}
	next := w.view.successor()
	ids, err := ascending(ctx, rowIDs)
	if err != nil {
		return 0, err
	}
	gone, _ := next.delete(ids)
	w.keepDeleted(gone)
	w.view = next
	return int64(len(gone)), nil
}

// keepDeleted records which of the rows were committed, so that the commit can repeat their
// deletion.
func (w *write) keepDeleted(gone []int64) {
	for _, id := range gone {
		if id < ownBase {
			w.deleted = append(w.deleted, id)
		}
	}
}

// ascending returns ids sorted and without duplicates; the argument is not changed.
func ascending(ctx context.Context, ids []int64) ([]int64, error) {
	for i := 1; i < len(ids); i++ {
		if ids[i] <= ids[i-1] {
			out := slices.Clone(ids)
			if err := sortUntil(ctx, out, cmp.Compare[int64]); err != nil {
				return nil, err
			}
			return slices.Compact(out), nil
		}
	}
	return ids, nil
}

// Truncate removes all rows. Its commit restarts AUTO_INCREMENT.
func (tx *Tx) Truncate(tbl catalog.Table) error {
	w, err := tx.target(tbl)
	if err != nil {
		return err
	}
	w.view = w.view.empty()
	w.cleared, w.deleted, w.local, w.checked = true, nil, nil, 0
	return nil
}
