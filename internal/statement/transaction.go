package statement

import (
	"regexp"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sysvar"
)

// beginTransaction commits an open transaction, as MySQL does, and starts a new one.
func beginTransaction(r *run, n *ast.BeginStmt) (*Result, error) {
	switch {
	case n.AsOf != nil:
		return nil, sqlerr.Unsupported(0, "START TRANSACTION ... AS OF")
	case n.CausalConsistencyOnly:
		return nil, sqlerr.Unsupported(0, "START TRANSACTION WITH CAUSAL CONSISTENCY ONLY")
	case n.Mode != "":
		return nil, sqlerr.Unsupported(0, "BEGIN %s", n.Mode)
	}
	if err := r.s.Commit(r.ctx, &r.c.writing); err != nil {
		return nil, err
	}
	r.s.DB.TableLocks.ReleaseAll(r.s.ID())
	words := parse.Words(r.stmt.Text, 4)
	readWrite := len(words) == 4 && words[2] == "READ" && words[3] == "WRITE"
	acc := r.s.NextAccess()
	acc.ReadOnly = n.ReadOnly || !readWrite && acc.ReadOnly
	r.s.Start(acc)
	return &Result{}, nil
}

// commitTransaction runs COMMIT [AND CHAIN].
func commitTransaction(r *run, n *ast.CommitStmt) (*Result, error) {
	acc := r.s.Access
	if n.CompletionType == ast.CompletionTypeRelease {
		return nil, sqlerr.Unsupported(0, "COMMIT RELEASE").WithHint("Close the connection instead.")
	}
	err := r.s.Commit(r.ctx, &r.c.writing)
	if err == nil && n.CompletionType == ast.CompletionTypeChain {
		r.s.Start(acc)
	}
	return &Result{}, err
}

// rollbackTransaction runs ROLLBACK [AND CHAIN] and ROLLBACK TO SAVEPOINT.
func rollbackTransaction(r *run, n *ast.RollbackStmt) (*Result, error) {
	if n.SavepointName != "" {
		return &Result{}, r.s.Savepoints.RollbackTo(r.s.Tx, n.SavepointName)
	}
	if n.CompletionType == ast.CompletionTypeRelease {
		return nil, sqlerr.Unsupported(0, "ROLLBACK RELEASE").WithHint("Close the connection instead.")
	}
	acc := r.s.Access
	r.s.Rollback()
	if n.CompletionType == ast.CompletionTypeChain {
		r.s.Start(acc)
	}
	return &Result{}, nil
}

// setSavepoint runs SAVEPOINT name. Outside of transactions it does nothing, as in MySQL.
func setSavepoint(r *run, name string) (*Result, error) {
	r.s.StartImplicitly()
	if r.s.Tx != nil {
		r.s.Savepoints.Set(r.s.Tx, name)
	}
	return &Result{}, nil
}

// setTransaction checks SET TRANSACTION and SET @@transaction_isolation, which concern the next
// transaction, and returns the function that assigns; nil for other assignments.
func setTransaction(r *run, name string, value catalog.Datum) (assign func() error, err error) {
	isolation := false
	switch name {
	case "tx_isolation_one_shot":
		isolation = true
	case "tx_isolation", "transaction_isolation":
		isolation = true
		fallthrough
	case "tx_read_only", "transaction_read_only":
		if words := parse.Words(r.stmt.Text, 2); !(len(words) == 2 && words[1] == "TRANSACTION" && !isolation) && !assignsBare(r, name) {
			return nil, nil
		}
	default:
		return nil, nil
	}
	if r.s.Tx != nil {
		return nil, sqlerr.New(sqlerr.CantChangeTxCharacteristics, "Transaction characteristics can't be changed while a transaction is in progress")
	}
	variable, next := "transaction_read_only", &r.s.Next.ReadOnly
	if isolation {
		variable, next = "transaction_isolation", &r.s.Next.Isolation
	}
	checked, err := sysvar.Check(variable, value.Text())
	return func() error { *next = checked; return nil }, err
}

// assignsBare reports whether the statement assigns to @@name, which has no scope: for the
// characteristics of transactions this means the next transaction, as in MySQL.
func assignsBare(r *run, name string) bool {
	if !strings.Contains(r.stmt.Text, "@@") {
		return false
	}
	bare, err := regexp.Compile(`(?i)@@\s*` + "`?" + regexp.QuoteMeta(name) + "`?" + `\s*:?=`)
	return err == nil && bare.MatchString(r.stmt.Text)
}
