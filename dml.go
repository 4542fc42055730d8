package gsql

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/exec"
	"gsql/planner/binder"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/sql/vec"
	"gsql/storage"
)

// queryOfWrite binds a statement that writes and gives the query that finds its rows.
func (r *stmtRun) queryOfWrite(tx *storage.Tx, n ast.StmtNode) (logical.Node, error) {
	b := r.binder(tx)
	switch n := n.(type) {
	case *ast.InsertStmt:
		w, err := b.Insert(r.ctx, &r.stmt, n)
		if err != nil {
			return nil, err
		}
		return w.Node, nil
	case *ast.UpdateStmt:
		w, err := b.Update(r.ctx, &r.stmt, n)
		if err != nil {
			return nil, err
		}
		return w.Node, nil
	case *ast.DeleteStmt:
		w, err := b.Delete(r.ctx, &r.stmt, n)
		if err != nil {
			return nil, err
		}
		return w.Node, nil
	}
	return nil, sqlerr.Internal("%T does not write", n)
}

func (r *stmtRun) insert(tx *storage.Tx, n *ast.InsertStmt) (*Rows, error) {
	w, err := r.binder(tx).Insert(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	plan, err := r.optimize(w.Node)
	if err != nil {
		return nil, err
	}
	tx.KeepZeros(r.s.mode.Has(sqlmode.NoAutoValueOnZero))
	keyed := w.Replace && hasUnique(w.Table.Schema())
	switch {
	case keyed || w.Ignore:
		return r.insertOneByOne(tx, w, plan)
	case n.Select != nil:
		rows, err := r.append(tx, w.Table, plan)
		if err != nil {
			return nil, err
		}
		return r.inserted(tx, rows), nil
	}
	batches, rows, err := r.collect(plan)
	if err != nil {
		return nil, err
	}
	if err := tx.Insert(r.ctx, w.Table, batches); err != nil {
		return nil, err
	}
	return r.inserted(tx, rows), nil
}

func (r *stmtRun) inserted(tx *storage.Tx, rows int64) *Rows {
	id := tx.LastInsertID()
	if id != 0 {
		r.s.lastID = id
	}
	return &Rows{Affected: rows, LastInsertID: id}
}

func hasUnique(s *catalog.Schema) bool {
	for _, ix := range s.Indexes {
		if ix.Unique {
			return true
		}
	}
	return false
}

// collect runs a plan and keeps its rows, flat and owned by the caller.
func (r *stmtRun) collect(plan *physical.Node) (batches [][]*vec.Vector, rows int64, err error) {
	err = r.each(plan, func(b *vec.Batch) error {
		rows += int64(b.N)
		batches = append(batches, owned(b))
		return nil
	})
	return batches, rows, err
}

// owned copies a batch's columns out of the operators' buffers.
func owned(b *vec.Batch) []*vec.Vector {
	all := make([]int32, b.N)
	for i := range all {
		all[i] = int32(i)
	}
	out := make([]*vec.Vector, len(b.Cols))
	for i, v := range vec.Select(b, all).Cols {
		out[i] = v.Flatten(nil)
	}
	return out
}

// append loads the rows of a plan into a table with all workers, in the source's order.
func (r *stmtRun) append(tx *storage.Tx, t catalog.Table, plan *physical.Node) (int64, error) {
	app, err := tx.NewAppender(t)
	if err != nil {
		return 0, err
	}
	opt, account := r.execOptions()
	defer account.ReleaseAll()
	if slices.ContainsFunc(t.Schema().Columns, func(c catalog.Column) bool { return c.AutoInc }) {
		opt.Workers = 1 // numbers follow the rows' order
	}
	writers := make([]*storage.AppendWriter, opt.Workers)
	for i := range writers {
		writers[i] = app.NewWriter()
	}
	err = exec.Consume(r.ctx, plan, r.s.db.reg, opt, func(worker int, b *vec.Batch) error {
		return writers[worker].Append(b.Morsel, b.Cols)
	})
	for _, w := range writers {
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return 0, sqlerr.From(err)
	}
	return app.Finish(r.ctx)
}

// insertOneByOne runs REPLACE, where a row makes way for one with the same key, and
// INSERT IGNORE, where a row that does not fit is left out with a warning.
func (r *stmtRun) insertOneByOne(tx *storage.Tx, w *binder.Insert, plan *physical.Node) (*Rows, error) {
	batches, _, err := r.collect(plan)
	if err != nil {
		return nil, err
	}
	affected := int64(0)
	for _, cols := range batches {
		for i := range cols[0].N {
			row := (&vec.Batch{Cols: cols, N: cols[0].N}).Slice(i, i+1).Cols
			if w.Replace {
				n, err := r.deleteSameKeys(tx, w, row)
				if err != nil {
					return nil, err
				}
				affected += n
			}
			err := tx.Insert(r.ctx, w.Table, [][]*vec.Vector{row})
			if e := sqlerr.From(err); err != nil && w.Ignore && ignorable[e.Code] {
				r.s.Warn(uint16(e.Code), e.Msg)
				continue
			}
			if err != nil {
				return nil, err
			}
			affected++
		}
	}
	return r.inserted(tx, affected), nil
}

// ignorable lists the errors that INSERT IGNORE turns into warnings.
var ignorable = map[sqlerr.Code]bool{
	sqlerr.DupEntry: true, sqlerr.BadNull: true, sqlerr.WarnDataOutOfRange: true, sqlerr.DataTooLong: true,
}

// deleteSameKeys deletes the rows that have a unique key in common with row.
func (r *stmtRun) deleteSameKeys(tx *storage.Tx, w *binder.Insert, row []*vec.Vector) (int64, error) {
	schema := w.Table.Schema()
	deleted := int64(0)
	for _, ix := range schema.Indexes {
		if !ix.Unique {
			continue
		}
		where := ""
		for _, c := range ix.Columns {
			where += fmt.Sprintf(" AND %s = %s", quote(schema.Columns[c].Name), catalog.DatumAt(row[c], 0).SQL())
		}
		inner, err := r.inner(fmt.Sprintf("DELETE FROM %s.%s WHERE TRUE%s", quote(w.DB), quote(w.Name), where))
		if err != nil {
			return 0, err
		}
		rows, err := inner.delete(tx, inner.stmt.Node.(*ast.DeleteStmt))
		if err != nil {
			return 0, err
		}
		deleted += rows.Affected
	}
	return deleted, nil
}

func (r *stmtRun) update(tx *storage.Tx, n *ast.UpdateStmt) (*Rows, error) {
	w, err := r.binder(tx).Update(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	ids, cols, err := r.changes(w.Node)
	if err != nil || len(ids) == 0 {
		return &Rows{}, err
	}
	affected, err := tx.Update(r.ctx, w.Table, ids, w.Ordinals, cols)
	return &Rows{Affected: affected, Info: fmt.Sprintf("Rows matched: %d  Changed: %d", len(ids), affected)}, err
}

func (r *stmtRun) delete(tx *storage.Tx, n *ast.DeleteStmt) (*Rows, error) {
	w, err := r.binder(tx).Delete(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	ids, _, err := r.changes(w.Node)
	if err != nil || len(ids) == 0 {
		return &Rows{}, err
	}
	affected, err := tx.Delete(w.Table, ids)
	return &Rows{Affected: affected}, err
}

// changes runs the query of an UPDATE or DELETE: row ids and the new values by column.
func (r *stmtRun) changes(n logical.Node) (ids []int64, cols []*vec.Vector, err error) {
	plan, err := r.optimize(n)
	if err != nil {
		return nil, nil, err
	}
	batches, rows, err := r.collect(plan)
	if err != nil || rows == 0 {
		return nil, nil, err
	}
	all := batches[0]
	if len(batches) > 1 {
		for c := range all {
			all[c] = concat(batches, c, int(rows))
		}
	}
	return all[0].I64, all[1:], nil
}

// concat joins column c of flat batches.
func concat(batches [][]*vec.Vector, c, rows int) *vec.Vector {
	out := &vec.Vector{Type: batches[0][c].Type, N: rows}
	for _, b := range batches {
		v := b[c]
		if v.Null != nil && out.Null == nil {
			out.Null = make([]bool, len(out.I64)+len(out.F64)+len(out.Dec)+len(out.Str), rows)
		}
		if out.Null != nil {
			null := v.Null
			if null == nil {
				null = make([]bool, v.N)
			}
			out.Null = append(out.Null, null...)
		}
		out.I64, out.F64 = append(out.I64, v.I64...), append(out.F64, v.F64...)
		out.Dec, out.Str = append(out.Dec, v.Dec...), append(out.Str, v.Str...)
	}
	return out
}
