package gsql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// begin commits an open transaction, as MySQL does, and starts a new one.
func (r *stmtRun) begin(n *ast.BeginStmt) (*Rows, error) {
	switch {
	case n.AsOf != nil:
		return nil, sqlerr.Unsupported(0, "START TRANSACTION ... AS OF")
	case n.CausalConsistencyOnly:
		return nil, sqlerr.Unsupported(0, "START TRANSACTION WITH CAUSAL CONSISTENCY ONLY")
	case n.Mode != "":
		return nil, sqlerr.Unsupported(0, "BEGIN %s", n.Mode)
	}
	if _, err := r.commit(); err != nil {
		return nil, err
	}
	r.s.db.tableLocks.releaseAll(r.s.id)
	words := parse.Words(r.stmt.Text, 4)
	readWrite := len(words) == 4 && words[2] == "READ" && words[3] == "WRITE"
	r.s.start(n.ReadOnly || !readWrite && r.s.nextIsReadOnly())
	return &Rows{}, nil
}

func (r *stmtRun) commit() (*Rows, error) {
	tx := r.s.end()
	if tx == nil {
		return &Rows{}, nil
	}
	return &Rows{}, tx.Commit()
}

func (r *stmtRun) commitStmt(n *ast.CommitStmt) (*Rows, error) {
	readOnly := r.s.readOnly
	if n.CompletionType == ast.CompletionTypeRelease {
		return nil, sqlerr.Unsupported(0, "COMMIT RELEASE").WithHint("Close the connection instead.")
	}
	rows, err := r.commit()
	if err == nil && n.CompletionType == ast.CompletionTypeChain {
		r.s.start(readOnly)
	}
	return rows, err
}

func (r *stmtRun) rollback(n *ast.RollbackStmt) (*Rows, error) {
	if n.SavepointName != "" {
		return &Rows{}, r.s.rollbackTo(n.SavepointName)
	}
	if n.CompletionType == ast.CompletionTypeRelease {
		return nil, sqlerr.Unsupported(0, "ROLLBACK RELEASE").WithHint("Close the connection instead.")
	}
	readOnly := r.s.readOnly
	if tx := r.s.end(); tx != nil {
		tx.Rollback()
	}
	if n.CompletionType == ast.CompletionTypeChain {
		r.s.start(readOnly)
	}
	return &Rows{}, nil
}

// start opens the session's transaction.
func (s *Session) start(readOnly bool) {
	s.tx, s.readOnly, s.nextReadOnly = s.newTx(), readOnly, nil
}

// end takes the session's transaction out of it, for the caller to commit or roll back;
// nil for none.
func (s *Session) end() *storage.Tx {
	tx := s.tx
	s.tx, s.readOnly, s.savepoints = nil, false, nil
	return tx
}

// nextIsReadOnly tells what SET TRANSACTION has said of the next transaction, or SET
// SESSION TRANSACTION of all.
func (s *Session) nextIsReadOnly() bool {
	if s.nextReadOnly != nil {
		return *s.nextReadOnly
	}
	return s.intVar("transaction_read_only") != 0
}

// mayWrite gives error 1792 in a transaction that is read-only; a statement outside of
// transactions is one of its own.
func (s *Session) mayWrite() error {
	readOnly := s.readOnly
	if s.tx == nil {
		readOnly = s.nextIsReadOnly()
		s.nextReadOnly = nil
	}
	if readOnly {
		return sqlerr.New(sqlerr.ReadOnlyTransaction, "Cannot execute statement in a READ ONLY transaction.")
	}
	return nil
}

// setTransaction runs SET TRANSACTION, which concerns the next transaction. done is false
// for assignments that are no such thing.
func (r *stmtRun) setTransaction(name string, value catalog.Datum) (done bool, err error) {
	words := parse.Words(r.stmt.Text, 2)
	if name != "tx_isolation_one_shot" && (name != "tx_read_only" || len(words) < 2 || words[1] != "TRANSACTION") {
		return false, nil
	}
	if r.s.tx != nil {
		return true, sqlerr.New(sqlerr.CantChangeTxCharacteristics, "Transaction characteristics can't be changed while a transaction is in progress")
	}
	if name == "tx_isolation_one_shot" {
		assign, err := r.settingOf("transaction_isolation", value.Text(), false)
		if err != nil {
			return true, err
		}
		return true, assign()
	}
	readOnly := value.Text() == "1"
	r.s.nextReadOnly = &readOnly
	return true, nil
}

// beginImplicitly starts the transaction that a query or a statement that writes is in
// when autocommit is off.
func (s *Session) beginImplicitly() {
	if s.tx == nil && !s.settings().autocommit {
		s.start(s.nextIsReadOnly())
	}
}

// begin starts a transaction for database/sql, which never nests them. One that began
// because autocommit is off is committed, as BEGIN does.
func (s *Session) begin(readOnly bool) error {
	if s.tx != nil && !s.settings().autocommit {
		if err := s.end().Commit(); err != nil {
			return err
		}
	}
	if s.tx != nil {
		return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of BEGIN and open transaction")
	}
	s.start(readOnly || s.nextIsReadOnly())
	return nil
}

// newTx begins a transaction in the session's database. A database that has been
// dropped meanwhile shows when a name is looked up in it.
func (s *Session) newTx() *storage.Tx {
	tx := s.db.store.Begin()
	tx.Use(s.database)
	tx.Temporary(s.id)
	tx.Env = s
	return tx
}

// InTransaction is true between BEGIN, or with autocommit off the first statement that
// reads or writes tables, and COMMIT or ROLLBACK.
func (s *Session) InTransaction() bool { return s.tx != nil }
