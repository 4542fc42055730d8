package gsql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlerr"
	"gsql/storage"
)

// begin commits an open transaction, as MySQL does, and starts a new one.
func (r *stmtRun) begin() (*Rows, error) {
	if _, err := r.commit(); err != nil {
		return nil, err
	}
	r.s.tx = r.s.newTx()
	return &Rows{}, nil
}

func (r *stmtRun) commit() (*Rows, error) {
	tx := r.s.tx
	r.s.tx = nil
	if tx == nil {
		return &Rows{}, nil
	}
	return &Rows{}, tx.Commit()
}

func (r *stmtRun) rollback(n *ast.RollbackStmt) (*Rows, error) {
	if n.SavepointName != "" {
		return nil, sqlerr.Unsupported(0, "ROLLBACK TO SAVEPOINT")
	}
	if tx := r.s.tx; tx != nil {
		r.s.tx = nil
		tx.Rollback()
	}
	return &Rows{}, nil
}

// beginImplicitly starts the transaction that a query or a statement that writes is in
// when autocommit is off.
func (s *Session) beginImplicitly() {
	if s.tx == nil && s.intVar("autocommit") == 0 {
		s.tx = s.newTx()
	}
}

// begin starts a transaction for database/sql, which never nests them. One that began
// because autocommit is off is committed, as BEGIN does.
func (s *Session) begin() error {
	if s.tx != nil && s.intVar("autocommit") == 0 {
		tx := s.tx
		s.tx = nil
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	if s.tx != nil {
		return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of BEGIN and open transaction")
	}
	s.tx = s.newTx()
	return nil
}

// newTx begins a transaction in the session's database. A database that has been
// dropped meanwhile shows when a name is looked up in it.
func (s *Session) newTx() *storage.Tx {
	tx := s.db.store.Begin()
	_ = tx.Use(s.database)
	return tx
}

// InTransaction is true between BEGIN, or with autocommit off the first statement that
// reads or writes tables, and COMMIT or ROLLBACK.
func (s *Session) InTransaction() bool { return s.tx != nil }
