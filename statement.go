package gsql

import (
	"context"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/exec/op"
	"gsql/planner/binder"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// stmtRun is the execution of one statement.
type stmtRun struct {
	s      *Session
	ctx    context.Context
	stmt   statement
	params []catalog.Datum
	source catalog.Table // the file of a load; sourceName in the text
	notes  *planNotes    // of a plan that may serve again, or nil
	// explained says that the plan is shown, with the bids that lost.
	explained bool
}

// inner makes the run of a statement that this one turns into.
func (r *stmtRun) inner(text string) (*stmtRun, error) {
	stmts, err := r.s.parse(text, 0)
	if err != nil {
		return nil, err
	}
	return &stmtRun{s: r.s, ctx: r.ctx, stmt: stmts[0], params: r.params}, nil
}

// keepsWarnings is true of statements that show the warnings of the one before.
func (r *stmtRun) keepsWarnings() bool {
	show, ok := r.stmt.Node.(*ast.ShowStmt)
	return ok && (show.Tp == ast.ShowWarnings || show.Tp == ast.ShowErrors)
}

// execute dispatches on the kind of statement: the one place that lists them all.
func (r *stmtRun) execute() (*Rows, error) {
	if err := r.refuseVirtual(); err != nil {
		return nil, err
	}
	switch n := r.stmt.Node.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		if into := takeInto(n); into != nil {
			return r.selectInto(n, into)
		}
		if r.stmt.Into != nil {
			return r.selectIntoVars(n, r.stmt.Into)
		}
		return r.limited(n)
	case *ast.ExplainStmt:
		return r.explain(n)
	case *ast.InsertStmt:
		return r.write(r.strictly(n.IgnoreErr, func(tx *storage.Tx) (*Rows, error) { return r.insert(tx, n) }))
	case *ast.UpdateStmt:
		return r.write(r.strictly(n.IgnoreErr, r.safely(n.TableRefs, n.Where, n.Limit, func(tx *storage.Tx) (*Rows, error) { return r.update(tx, n) })))
	case *ast.DeleteStmt:
		return r.write(r.strictly(n.IgnoreErr, r.safely(n.TableRefs, n.Where, n.Limit, func(tx *storage.Tx) (*Rows, error) { return r.delete(tx, n) })))
	case *ast.LoadDataStmt:
		return r.write(func(tx *storage.Tx) (*Rows, error) { return r.loadData(tx, n) })
	case *ast.ImportIntoStmt:
		return r.write(func(tx *storage.Tx) (*Rows, error) { return r.importInto(tx, n) })
	case *ast.SetStmt:
		return r.set(n)
	case *ast.UseStmt:
		return r.use(n)
	case *ast.ShowStmt:
		return r.show(n)
	case *ast.BeginStmt:
		return r.begin(n)
	case *ast.CommitStmt:
		return r.commitStmt(n)
	case *ast.RollbackStmt:
		return r.rollback(n)
	case *ast.SavepointStmt:
		return r.savepointStmt(n.Name)
	case *ast.ReleaseSavepointStmt:
		return &Rows{}, r.s.release(n.Name)
	case *ast.PrepareStmt:
		return r.prepare(n)
	case *ast.ExecuteStmt:
		return r.executePrepared(n)
	case *ast.DeallocateStmt:
		return r.deallocate(n)
	case *ast.DoStmt:
		return r.do(n)
	case *ast.FlushStmt:
		return r.flush(n)
	case *ast.LockTablesStmt:
		return r.lockTables(n)
	case *ast.UnlockTablesStmt:
		return r.unlockTables()
	case *ast.KillStmt:
		return r.kill(n)
	case *ast.AnalyzeTableStmt:
		return r.analyze(n)
	case *ast.OptimizeTableStmt:
		return r.maintain("optimize", n.Tables)
	case *parse.Maintenance:
		return r.maintain(n.Verb, n.Tables)
	case *parse.Absent:
		return r.absent(n)
	case *ast.DropProcedureStmt:
		return r.absent(&parse.Absent{Drop: true, IfExists: n.IfExists, What: "PROCEDURE", DB: n.ProcedureName.Schema.O, Name: n.ProcedureName.Name.O})
	case *ast.CallStmt:
		return r.absent(&parse.Absent{What: "PROCEDURE", DB: n.Procedure.Schema.O, Name: n.Procedure.FnName.O})
	case *parse.Trigger:
		return r.trigger(n)
	case ast.DDLNode:
		return r.ddl(n)
	}
	return nil, sqlerr.Unsupported(0, "%s", firstWords(r.stmt.Text)).
		WithHint("See docs/sql.md for the statements gsql runs.")
}

// firstWords names a statement by its first two words.
func firstWords(sql string) string {
	words := strings.Fields(sql)
	return strings.ToUpper(strings.Join(words[:min(2, len(words))], " "))
}

// view gives the transaction to read from: the session's own, or one of its own that
// sees the newest commit. done must be called when reading has ended.
func (r *stmtRun) view() (tx *storage.Tx, done func()) {
	if r.s.tx != nil {
		return r.s.tx, func() {}
	}
	tx = r.s.newTx()
	return tx, tx.Rollback
}

// write runs f in the session's transaction, or in one of its own that is committed
// when f succeeds. A statement that fails inside an explicit transaction leaves the
// transaction as it was before the statement, unless it lost a conflict: then, as in
// MySQL, all of the transaction is rolled back. A statement on its own that lost one is
// run again on a newer snapshot.
func (r *stmtRun) write(f func(tx *storage.Tx) (*Rows, error)) (rows *Rows, err error) {
	r.s.beginImplicitly()
	if err := r.s.mayWrite(); err != nil {
		return nil, err
	}
	if r.s.tx != nil {
		return r.writeInTransaction(f)
	}
	for range conflictRetries {
		tx := r.s.newTx()
		if rows, err = f(tx); err != nil {
			tx.Rollback()
		} else {
			err = tx.Commit()
		}
		if !lostConflict(err) || r.ctx.Err() != nil || binder.AssignsVariables(r.stmt.Text) {
			break
		}
		r.s.clearWarnings()
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// conflictRetries bounds how often a statement that loses conflicts is run.
const conflictRetries = 64

func lostConflict(err error) bool {
	return err != nil && sqlerr.From(err).Code == sqlerr.WriteConflict
}

func (r *stmtRun) writeInTransaction(f func(tx *storage.Tx) (*Rows, error)) (rows *Rows, err error) {
	tx := r.s.tx
	mark := tx.Savepoint()
	err = op.Guard(func() (err error) { rows, err = f(tx); return err })
	if lostConflict(err) {
		r.s.end().Rollback()
		return nil, err
	}
	if err != nil {
		tx.RollbackTo(mark)
	}
	tx.Release(mark)
	if err != nil {
		return nil, err
	}
	return rows, nil
}
