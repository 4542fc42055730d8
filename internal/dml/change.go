package dml

import (
	"context"

	"gsql/planner/binder"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Update executes an UPDATE: each row that its plan finds, once per table, receives the values of
// the first row of the plan that has it. It counts the rows found and those that changed.
func (r *Runner) Update(w *binder.Update, plan *physical.Node) (matched, changed int64, err error) {
	cols, err := r.all(plan)
	if err != nil || cols == nil {
		return 0, 0, err
	}
	for i := range w.Tables {
		t := &w.Tables[i]
		ids, rows, err := distinct(r.Ctx, cols[t.RowID])
		if err != nil {
			return 0, 0, err
		}
		values := cols[t.RowID+1 : t.RowID+1+len(t.Ordinals)]
		if len(rows) < cols[0].N {
			values = pick(values, rows)
		}
		r.FillNulls(t.Table.Schema(), t.Ordinals, values)
		n, err := r.update(t.Table, ids, t.Ordinals, values, w.Ignore)
		if err != nil {
			return 0, 0, err
		}
		matched += int64(len(ids))
		changed += n
	}
	return matched, changed, nil
}

// update sets columns of rows to new values, all together. With IGNORE, if some rows have keys that
// others have or violate a constraint, it proceeds row by row and skips those with a warning.
func (r *Runner) update(t catalog.Table, ids []int64, ordinals []int, values []*vec.Vector, ignore bool) (changed int64, err error) {
	mark := r.Tx.Savepoint()
	defer r.Tx.Release(mark)
	changed, err = r.Tx.Update(r.Ctx, t, ids, ordinals, values)
	if !ignore || !ignorable(err) {
		return changed, err
	}
	r.Tx.RollbackTo(mark)
	for i := range ids {
		one := make([]*vec.Vector, len(values))
		for c, v := range values {
			one[c] = v.Slice(i, i+1)
		}
		n, err := r.Tx.Update(r.Ctx, t, ids[i:i+1], ordinals, one)
		switch {
		case ignorable(err):
			e := sqlerr.From(err)
			r.Warn(uint16(e.Code), e.Msg)
		case err != nil:
			return changed, err
		default:
			changed += n
		}
	}
	return changed, nil
}

// ignorable reports whether IGNORE turns an error of a row into a warning.
func ignorable(err error) bool {
	if err == nil {
		return false
	}
	code := sqlerr.From(err).Code
	return code == sqlerr.DupEntry || code == sqlerr.CheckViolated
}

// Delete executes a DELETE and counts the deleted rows.
func (r *Runner) Delete(w *binder.Delete, plan *physical.Node) (int64, error) {
	cols, err := r.all(plan)
	if err != nil || cols == nil {
		return 0, err
	}
	total := int64(0)
	for i := range w.Tables {
		ids, _, err := distinct(r.Ctx, cols[w.Tables[i].RowID])
		if err != nil {
			return 0, err
		}
		n, err := r.Tx.Delete(r.Ctx, w.Tables[i].Table, ids)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// distinct returns the ids of a column, each once and without NULLs, and the rows in which they
// first occur.
func distinct(ctx context.Context, col *vec.Vector) (ids []int64, rows []int32, err error) {
	ascending := col.Null == nil
	for i := 1; ascending && i < col.N; i++ {
		ascending = col.I64[i] > col.I64[i-1]
	}
	rows = make([]int32, 0, col.N)
	if ascending {
		for i := range col.N {
			rows = append(rows, int32(i))
		}
		return col.I64[:col.N], rows, nil
	}
	seen := make(map[int64]struct{}, col.N)
	for i, id := range col.I64[:col.N] {
		if i%vec.BatchSize == 0 && ctx.Err() != nil {
			return nil, nil, sqlerr.From(ctx.Err())
		}
		if _, again := seen[id]; again || col.Null != nil && col.Null[i] {
			continue
		}
		seen[id] = struct{}{}
		ids, rows = append(ids, id), append(rows, int32(i))
	}
	return ids, rows, nil
}

// HasUnique reports whether a table has a key that is enforced.
func HasUnique(s *catalog.Schema) bool {
	for _, ix := range s.Indexes {
		if ix.Unique {
			return true
		}
	}
	return false
}
