package session

import (
	"database/sql"

	"gsql/sql/sqlerr"
)

// Access is what a transaction may do and how it is isolated from others.
type Access struct {
	ReadOnly     bool
	Serializable bool // otherwise it is a snapshot, which satisfies all weaker levels
}

// NextAccess holds what SET TRANSACTION has specified for the next transaction: checked values of
// transaction_read_only and transaction_isolation. "" means the session's variables apply.
type NextAccess struct{ ReadOnly, Isolation string }

// serializable is the only value of transaction_isolation that makes a difference.
const serializable = "SERIALIZABLE"

// NextAccess returns the access of the next transaction.
func (s *Session) NextAccess() Access {
	set := s.Settings()
	acc := Access{set.readOnly, set.serializable}
	if s.Next.ReadOnly != "" {
		acc.ReadOnly = s.Next.ReadOnly == "1"
	}
	if s.Next.Isolation != "" {
		acc.Serializable = s.Next.Isolation == serializable
	}
	return acc
}

// accessOf returns the access that BeginTx requests: error 1235 for a level that SQL does not have.
func accessOf(s *Session, level sql.IsolationLevel, readOnly bool) (Access, error) {
	acc := s.NextAccess()
	acc.ReadOnly = acc.ReadOnly || readOnly
	switch level {
	case sql.LevelDefault:
	case sql.LevelReadUncommitted, sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSnapshot:
		acc.Serializable = false
	case sql.LevelSerializable:
		acc.Serializable = true
	default:
		return acc, sqlerr.Unsupported(-1, "isolation level %s", level).
			WithHint("Transactions are snapshots, which satisfy RepeatableRead and weaker levels, or Serializable.")
	}
	return acc, nil
}

// MayWrite returns the access of a statement that writes: that of the transaction that it is in or
// begins, or its own. The error is 1792 if that is read-only.
func (s *Session) MayWrite() (Access, error) {
	acc := s.Access
	switch {
	case s.Tx != nil:
	case s.held.on:
		acc = s.held.access
	default:
		acc = s.NextAccess()
		s.Next = NextAccess{}
	}
	if acc.ReadOnly {
		return acc, sqlerr.New(sqlerr.ReadOnlyTransaction, "Cannot execute statement in a READ ONLY transaction.")
	}
	return acc, nil
}
