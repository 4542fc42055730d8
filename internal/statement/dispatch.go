package statement

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/plancache"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// execute calls the function for the statement's kind. It is the only place that lists all kinds.
func execute(r *run) (*Result, error) {
	if err := refuseLost(r); err != nil {
		return nil, err
	}
	if err := refuseVirtual(r); err != nil {
		return nil, err
	}
	switch n := r.stmt.Node.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		return executeQuery(r, n)
	case *ast.ExplainStmt:
		return explainStatement(r, n)
	case *ast.InsertStmt:
		return change{strict: !n.IgnoreErr, do: func(tx *storage.Tx) (*Result, error) { return insertRows(r, tx, n) }}.run(r)
	case *ast.UpdateStmt:
		return change{
			strict: !n.IgnoreErr, safe: &keyed{n.TableRefs, n.Where, n.Limit},
			do: func(tx *storage.Tx) (*Result, error) { return updateRows(r, tx, n) },
		}.run(r)
	case *ast.DeleteStmt:
		return change{
			strict: !n.IgnoreErr, safe: &keyed{n.TableRefs, n.Where, n.Limit},
			do: func(tx *storage.Tx) (*Result, error) { return deleteRows(r, tx, n) },
		}.run(r)
	case *ast.LoadDataStmt:
		return change{do: func(tx *storage.Tx) (*Result, error) { return loadData(r, tx, n) }}.run(r)
	case *ast.ImportIntoStmt:
		return change{do: func(tx *storage.Tx) (*Result, error) { return importInto(r, tx, n) }}.run(r)
	}
	return administer(r)
}

// executeQuery runs a query, with or without an INTO clause.
func executeQuery(r *run, n ast.Node) (*Result, error) {
	if clause := plancache.IntoClause(n); clause != nil && *clause != nil {
		into := *clause
		*clause = nil
		return selectIntoFile(r, n, into)
	}
	if r.stmt.Into != nil {
		return selectIntoVars(r, n, r.stmt.Into)
	}
	return limited(r, n)
}

// administer runs the statements that neither read nor change rows of tables. Some of them are
// ast.DDLNodes although they define nothing, so ddl comes last.
func administer(r *run) (*Result, error) {
	switch n := r.stmt.Node.(type) {
	case *ast.SetStmt:
		return setVariables(r, n)
	case *ast.UseStmt:
		return useDatabase(r, n)
	case *ast.ShowStmt:
		return show(r, n)
	case *ast.BeginStmt:
		return beginTransaction(r, n)
	case *ast.CommitStmt:
		return commitTransaction(r, n)
	case *ast.RollbackStmt:
		return rollbackTransaction(r, n)
	case *ast.SavepointStmt:
		return setSavepoint(r, n.Name)
	case *ast.ReleaseSavepointStmt:
		return &Result{}, r.s.Savepoints.Release(r.s.Tx, n.Name)
	case *ast.PrepareStmt:
		return prepare(r, n)
	case *ast.ExecuteStmt:
		return executePrepared(r, n)
	case *ast.DeallocateStmt:
		return deallocate(r, n)
	case *ast.DoStmt:
		return evaluate(r, n)
	case *ast.FlushStmt:
		return flush(r, n)
	case *ast.LockTablesStmt:
		return lockTables(r, n)
	case *ast.UnlockTablesStmt:
		return unlockTables(r)
	case *ast.KillStmt:
		return kill(r, n)
	case *ast.AnalyzeTableStmt:
		return analyze(r, n)
	case *ast.OptimizeTableStmt:
		return optimize(r, n)
	case *parse.Maintenance:
		return maintain(r, n.Verb, n.Tables)
	case *parse.Absent:
		return absent(r, n)
	case *ast.DropProcedureStmt:
		return absent(r, &parse.Absent{Drop: true, IfExists: n.IfExists, What: "PROCEDURE", DB: n.ProcedureName.Schema.O, Name: n.ProcedureName.Name.O})
	case *ast.CallStmt:
		return call(r, n)
	case *parse.Trigger:
		return changeTrigger(r, n)
	case ast.DDLNode:
		return ddl(r, n)
	}
	return nil, unsupported(r)
}

// unsupported returns error 1235 for a statement that gsql does not run.
func unsupported(r *run) error {
	return sqlerr.Unsupported(0, "%s", firstWords(r.stmt.Text)).WithHint("See docs/sql.md for the statements gsql runs.")
}

// refuseLost returns the error for a statement in a transaction of database/sql that was rolled
// back, unless the statement ends that transaction or shows what happened.
func refuseLost(r *run) error {
	lost := r.s.Lost()
	if lost == nil || r.keepsWarnings() {
		return nil
	}
	if n, ok := r.stmt.Node.(*ast.RollbackStmt); ok && n.SavepointName == "" {
		return nil
	}
	return lost
}
