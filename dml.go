package gsql

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/exec"
	"gsql/internal/dml"
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
	w, plan, err := planChange(r, tx, n, func(b *binder.Binder) (*binder.Insert, error) { return b.Insert(r.ctx, &r.stmt, n) })
	if err != nil {
		return nil, err
	}
	tx.KeepZeros(r.s.mode.Has(sqlmode.NoAutoValueOnZero))
	run := r.runner(tx, w.Ignore)
	keyed := dml.HasUnique(w.Table.Schema())
	switch {
	case w.Ignore, keyed && (w.Replace || w.Upsert != nil):
		return r.insertEach(run, w, plan)
	case n.Select != nil && w.Extra == 0:
		rows, err := r.append(tx, w.Table, plan)
		if err != nil {
			return nil, err
		}
		return r.inserted(tx, rows), nil
	}
	batches, rows, err := run.Collect(plan)
	if err != nil {
		return nil, err
	}
	for i := range batches {
		batches[i] = batches[i][:len(w.Table.Schema().Columns)]
	}
	if err := tx.Insert(r.ctx, w.Table, batches); err != nil {
		return nil, err
	}
	return r.inserted(tx, rows), nil
}

// insertEach runs an INSERT whose rows may meet others with the same keys.
func (r *stmtRun) insertEach(run *dml.Runner, w *binder.Insert, plan *physical.Node) (*Rows, error) {
	var update *physical.Node
	if w.Upsert != nil {
		var err error
		if update, err = r.optimize(w.Upsert.Node); err != nil {
			return nil, err
		}
	}
	count, err := run.InsertEach(w, plan, update)
	if err != nil {
		return nil, err
	}
	rows := r.inserted(run.Tx, count.Affected)
	rows.count = &count
	rows.Info = fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", count.Records, count.Duplicates, len(r.s.Warnings()))
	return rows, nil
}

// runner gives what carries out statements that change rows.
func (r *stmtRun) runner(tx *storage.Tx, ignore bool) *dml.Runner {
	return &dml.Runner{Ctx: r.ctx, Tx: tx, Each: r.each, Warn: r.s.Warn, Lenient: ignore || !r.s.mode.Strict()}
}

func (r *stmtRun) inserted(tx *storage.Tx, rows int64) *Rows {
	id := tx.LastInsertID()
	if id != 0 {
		r.s.lastID = id
	}
	return &Rows{Affected: rows, LastInsertID: id}
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
	opt.Passing = t.Schema().Rules == nil // else expressions are computed
	writers := make([]*storage.AppendWriter, opt.Workers)
	for i := range writers {
		writers[i] = app.NewWriter()
	}
	err = exec.Consume(r.ctx, plan, r.s.db.reg, opt, func(worker int, b *vec.Batch) error {
		return writers[worker].Append(b.Morsel, b.Cols)
	})
	if err != nil {
		app.Abandon(err)
	}
	for _, w := range writers {
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return 0, sqlerr.From(err)
	}
	return app.Finish(r.ctx)
}

func (r *stmtRun) update(tx *storage.Tx, n *ast.UpdateStmt) (*Rows, error) {
	w, plan, err := planChange(r, tx, n, func(b *binder.Binder) (*binder.Update, error) { return b.Update(r.ctx, &r.stmt, n) })
	if err != nil {
		return nil, err
	}
	matched, changed, err := r.runner(tx, w.Ignore).Update(w, plan)
	if err != nil {
		return nil, err
	}
	info := fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: %d", matched, changed, len(r.s.Warnings()))
	return &Rows{Affected: changed, Info: info}, nil
}

func (r *stmtRun) delete(tx *storage.Tx, n *ast.DeleteStmt) (*Rows, error) {
	w, plan, err := planChange(r, tx, n, func(b *binder.Binder) (*binder.Delete, error) { return b.Delete(r.ctx, &r.stmt, n) })
	if err != nil {
		return nil, err
	}
	affected, err := r.runner(tx, n.IgnoreErr).Delete(w, plan)
	return &Rows{Affected: affected}, err
}
