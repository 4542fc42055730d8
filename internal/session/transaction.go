package session

import (
	"context"

	"gsql/sql/sqlerr"
	"gsql/storage"
)

// Start opens the session's transaction. No other may be open.
func (s *Session) Start(acc Access) {
	s.Tx, s.Access, s.Next = s.NewTx(acc), acc, NextAccess{}
}

// End detaches the transaction from the session, for the caller to commit or roll back, or returns
// nil if there is none.
func (s *Session) End() *storage.Tx {
	tx := s.Tx
	s.Tx, s.Access, s.Savepoints = nil, Access{}, nil
	return tx
}

// StartImplicitly starts the transaction of a statement that reads or writes tables if none is
// open: with autocommit off, or within a transaction of database/sql.
func (s *Session) StartImplicitly() {
	switch {
	case s.Tx != nil:
	case s.held.on:
		s.Start(s.held.access)
	case !s.Settings().Autocommit:
		s.Start(s.NextAccess())
	}
}

// Commit commits the session's transaction, if there is one. A conflict rolls it back, and so does the end of ctx
// while segments are written to files: see Lose. It reports to w, which may be nil, what it has written.
func (s *Session) Commit(ctx context.Context, w *storage.Writing) error {
	tx := s.End()
	if tx == nil {
		return nil
	}
	err := tx.CommitWithin(ctx, w)
	if err != nil {
		s.Lose(err)
	}
	return err
}

// Rollback rolls back the session's transaction, if there is one.
func (s *Session) Rollback() {
	if tx := s.End(); tx != nil {
		tx.Rollback()
	}
	s.held.lost = nil
}

// NewTx begins a transaction in the session's database, independent of the session's own. Names in
// a database that has been dropped meanwhile are not found.
func (s *Session) NewTx(acc Access) *storage.Tx {
	tx := s.DB.Store.Begin()
	if acc.Serializable {
		tx.Serializable()
	}
	tx.Use(s.Database)
	tx.Temporary(s.ID())
	tx.Env = s
	return tx
}

// View returns the transaction to read from: the session's own, or a new one over the newest
// commit. The caller must call done after reading.
func (s *Session) View() (tx *storage.Tx, done func()) {
	if s.Tx != nil {
		return s.Tx, func() {}
	}
	tx = s.NewTx(Access{})
	return tx, tx.Rollback
}

// LostConflict reports whether err is the write conflict that rolls back a transaction: 1213.
func LostConflict(err error) bool {
	return err != nil && sqlerr.From(err).Code == sqlerr.WriteConflict
}
