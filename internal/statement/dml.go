package statement

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

// queryOfWrite binds a statement that writes and returns the query that finds its rows.
func queryOfWrite(r *run, tx *storage.Tx, n ast.StmtNode) (logical.Node, error) {
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

// insertRows runs INSERT and REPLACE.
func insertRows(r *run, tx *storage.Tx, n *ast.InsertStmt) (*Result, error) {
	w, plan, err := planChange(r, tx, n, func(b *binder.Binder) (*binder.Insert, error) { return b.Insert(r.ctx, &r.stmt, n) })
	if err != nil {
		return nil, err
	}
	tx.KeepZeros(r.s.Mode.Has(sqlmode.NoAutoValueOnZero))
	run := newRunner(r, tx, w.Ignore)
	defer run.Mem.ReleaseAll()
	keyed := dml.HasUnique(w.Table.Schema())
	switch {
	case w.Ignore, keyed && (w.Replace || w.Upsert != nil):
		return insertEach(r, run, w, plan)
	case n.Select != nil && w.Extra == 0:
		rows, err := appendRows(r, tx, w.Table, plan)
		if err != nil {
			return nil, err
		}
		return insertedResult(r, tx, rows), nil
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
	return insertedResult(r, tx, rows), nil
}

// insertEach runs an INSERT whose rows may conflict with others that have equal keys.
func insertEach(r *run, run *dml.Runner, w *binder.Insert, plan *physical.Node) (*Result, error) {
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
	rows := insertedResult(r, run.Tx, count.Affected)
	rows.count = &count
	rows.Info = fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", count.Records, count.Duplicates, r.s.Warnings.Len())
	return rows, nil
}

// newRunner returns the executor of statements that change rows. Rows on their way into a table are
// charged like the table's own.
func newRunner(r *run, tx *storage.Tx, ignore bool) *dml.Runner {
	return &dml.Runner{Ctx: r.ctx, Tx: tx, Mem: r.s.DB.Mem.Child("the statement's rows"), Each: r.each, Warn: r.s.Warn, Lenient: ignore || !r.s.Mode.Strict()}
}

// insertedResult returns the counts of an INSERT.
func insertedResult(r *run, tx *storage.Tx, rows int64) *Result {
	id := tx.LastInsertID()
	if id != 0 {
		r.s.LastID = id
	}
	return &Result{Affected: rows, LastInsertID: id}
}

// appendRows loads the rows of a plan into a table with all workers, in the source's order.
func appendRows(r *run, tx *storage.Tx, t catalog.Table, plan *physical.Node) (int64, error) {
	app, err := storage.NewAppender(tx, t)
	if err != nil {
		return 0, err
	}
	opt, account := r.execOptions(plan)
	defer account.ReleaseAll()
	if slices.ContainsFunc(t.Schema().Columns, func(c catalog.Column) bool { return c.AutoInc }) {
		opt.Workers = 1 // numbers follow the rows' order
	}
	opt.Passing = t.Schema().Rules == nil // otherwise expressions are computed
	writers := make([]*storage.AppendWriter, opt.Workers)
	for i := range writers {
		writers[i] = app.NewWriter()
	}
	if plan.Streams() {
		app.InStep(r.ctx)
	}
	err = exec.Consume(r.ctx, plan, r.s.DB.Registry, opt, func(worker int, b *vec.Batch) error {
		return writers[worker].Append(b.Morsel, b.Cols)
	}, func(worker int, err error) error {
		if err != nil {
			app.Abandon(err)
		}
		return errors.Join(err, writers[worker].Close())
	})
	if err != nil {
		app.Abandon(err)
		return 0, sqlerr.From(err)
	}
	return app.Finish(r.ctx)
}

// updateRows runs UPDATE.
func updateRows(r *run, tx *storage.Tx, n *ast.UpdateStmt) (*Result, error) {
	w, plan, err := planChange(r, tx, n, func(b *binder.Binder) (*binder.Update, error) { return b.Update(r.ctx, &r.stmt, n) })
	if err != nil {
		return nil, err
	}
	run := newRunner(r, tx, w.Ignore)
	defer run.Mem.ReleaseAll()
	matched, changed, err := run.Update(w, plan)
	if err != nil {
		return nil, err
	}
	info := fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: %d", matched, changed, r.s.Warnings.Len())
	return &Result{Affected: changed, Info: info}, nil
}

// deleteRows runs DELETE.
func deleteRows(r *run, tx *storage.Tx, n *ast.DeleteStmt) (*Result, error) {
	w, plan, err := planChange(r, tx, n, func(b *binder.Binder) (*binder.Delete, error) { return b.Delete(r.ctx, &r.stmt, n) })
	if err != nil {
		return nil, err
	}
	run := newRunner(r, tx, n.IgnoreErr)
	defer run.Mem.ReleaseAll()
	affected, err := run.Delete(w, plan)
	return &Result{Affected: affected}, err
}
