package session

import (
	"context"
	"database/sql"

	"gsql/sql/sqlerr"
)

// held is the state of a session between BeginTx of database/sql and the matching Commit or
// Rollback. Its statements never commit by themselves: if one ends the transaction, as CREATE TABLE
// and a COMMIT in SQL do, the next one starts another, as with autocommit off. If the transaction
// was rolled back against the caller's will, they fail.
type held struct {
	on     bool
	access Access
	lost   error // what rolled the transaction back, or nil
}

// Hold starts a transaction for database/sql, which never nests them. A transaction that is open
// because autocommit is off is committed first, as BEGIN does, unless ctx ends: see Commit.
func (s *Session) Hold(ctx context.Context, level sql.IsolationLevel, readOnly bool) error {
	acc, err := accessOf(s, level, readOnly)
	if err != nil {
		return err
	}
	if s.Tx != nil && !s.Settings().Autocommit {
		if err := s.Commit(ctx, nil); err != nil {
			return err
		}
	}
	if s.Tx != nil {
		return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of BEGIN and open transaction")
	}
	s.held = held{on: true, access: acc}
	s.Start(acc)
	return nil
}

// Unhold ends what Hold began and reports whether the caller must still end the transaction with a
// statement. If not, it has been rolled back, and Unhold returns the error of a Commit.
func (s *Session) Unhold() (open bool, commitErr error) {
	lost := s.held.lost
	s.held = held{}
	gone := s.Process.Stopped()
	if lost == nil && gone == nil {
		return true, nil
	}
	if tx := s.End(); tx != nil {
		tx.Rollback()
	}
	if lost != nil {
		return false, errRolledBack(lost)
	}
	return false, gone
}

// Lose ends the session's transaction, which err has rolled back or kept from being committed.
func (s *Session) Lose(err error) {
	if tx := s.End(); tx != nil {
		tx.Rollback()
	}
	if s.held.on {
		s.held.lost = err
	}
}

// Lost returns the error of statements in a transaction of database/sql that was rolled back, or
// nil. It has the number of the error that rolled it back, so that a program can retry the
// transaction wherever it meets the error.
func (s *Session) Lost() error {
	if s.held.lost == nil {
		return nil
	}
	return errRolledBack(s.held.lost)
}

func errRolledBack(lost error) error {
	e := sqlerr.From(lost)
	return sqlerr.New(e.Code, "The transaction was rolled back before this statement: %s", e.Msg).
		WithHint("Call Rollback and run the whole transaction again.")
}
