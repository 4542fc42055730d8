package gsql

import (
	"strings"

	"gsql/sql/sqlerr"
	"gsql/storage"
)

// savepoint is a named moment of the session's transaction.
type savepoint struct {
	name string // in lower case
	mark *storage.Savepoint
}

// savepointStmt runs SAVEPOINT name; an older one of that name is forgotten. Outside of
// transactions it does nothing, as in MySQL.
func (r *stmtRun) savepointStmt(name string) (*Rows, error) {
	s := r.s
	s.beginImplicitly()
	if s.tx == nil {
		return &Rows{}, nil
	}
	if i := s.savepointNamed(name); i >= 0 {
		s.tx.Release(s.savepoints[i].mark)
		s.savepoints = append(s.savepoints[:i], s.savepoints[i+1:]...)
	}
	s.savepoints = append(s.savepoints, savepoint{strings.ToLower(name), s.tx.Savepoint()})
	return &Rows{}, nil
}

// rollbackTo goes back to a savepoint, which stays, and forgets the ones after it.
func (s *Session) rollbackTo(name string) error {
	i := s.savepointNamed(name)
	if i < 0 {
		return unknownSavepoint(name)
	}
	s.tx.RollbackTo(s.savepoints[i].mark)
	s.forgetFrom(i + 1)
	return nil
}

// release forgets a savepoint and the ones after it.
func (s *Session) release(name string) error {
	i := s.savepointNamed(name)
	if i < 0 {
		return unknownSavepoint(name)
	}
	s.forgetFrom(i)
	return nil
}

func (s *Session) forgetFrom(i int) {
	for _, p := range s.savepoints[i:] {
		s.tx.Release(p.mark)
	}
	s.savepoints = s.savepoints[:i]
}

func (s *Session) savepointNamed(name string) int {
	for i := range s.savepoints {
		if s.savepoints[i].name == strings.ToLower(name) {
			return i
		}
	}
	return -1
}

func unknownSavepoint(name string) error {
	return sqlerr.New(sqlerr.SPDoesNotExist, "SAVEPOINT %s does not exist", name)
}
