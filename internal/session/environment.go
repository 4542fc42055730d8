package session

import (
	"context"
	"strings"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// Now implements catalog.Env.
func (s *Session) Now() int64 { return s.now }

// Running implements catalog.Env. Outside of statements, as for an appender, the context never
// ends.
func (s *Session) Running() context.Context {
	if s.running == nil {
		return context.Background()
	}
	return s.running
}

// outside holds the account for what a session computes outside of queries. It has the limit of a
// statement.
type outside struct{ account *mem.Account }

// Memory implements catalog.Env.
func (o *outside) Memory() *mem.Account { return o.account }

// UserVar implements catalog.Env and binder.Session.
func (s *Session) UserVar(name string) (catalog.Datum, bool) {
	d, ok := s.userVars[strings.ToLower(name)]
	return d, ok
}

// SetUserVar implements catalog.Env. Texts of variables are charged to the database.
func (s *Session) SetUserVar(name string, d catalog.Datum) error {
	if s.userMem == nil {
		s.userMem = s.DB.UserVars.Child("@" + name)
	}
	if err := s.userMem.ReserveFor("@"+name, int64(len(d.Str)-len(s.userVars[name].Str))); err != nil {
		return err
	}
	s.userVars[name] = d
	return nil
}

// SetLastInsertID implements catalog.Env.
func (s *Session) SetLastInsertID(id int64) { s.givenID.Store(id) }

// Warn implements catalog.Env and binder.Session. Divisions by zero warn only if sql_mode says so.
func (s *Session) Warn(code uint16, msg string) {
	if code == uint16(sqlerr.DivisionByZero) && !s.Mode.Has(sqlmode.ErrorForDivisionByZero) {
		return
	}
	s.Warnings.refuse(sqlerr.Code(code), msg)
	s.Warnings.Add(Warning{"Warning", code, msg})
}

// Note adds a note to the warnings unless sql_notes is off.
func (s *Session) Note(code sqlerr.Code, msg string) {
	if integer(s, "sql_notes") != 0 {
		s.Warnings.Add(Warning{"Note", uint16(code), msg})
	}
}

// Fail adds an error to the warnings, as MySQL does, and returns it.
func (s *Session) Fail(err error) error {
	e := sqlerr.From(err)
	s.Warnings.Add(Warning{"Error", uint16(e.Code), e.Msg})
	return err
}

// CurrentDB implements binder.Session.
func (s *Session) CurrentDB() string { return s.Database }

// Constant computes an expression for the planner. A warning is an error here: the expression then
// stays in the plan and warns only when rows reach it.
func (s *Session) Constant(e expr.Expr) (catalog.Datum, error) {
	env := quiet{Session: s}
	d, err := eval.Const(e, kernel.Tentative(&env))
	if err == nil && env.warning != 0 {
		err = sqlerr.New(env.warning, "constant expressions must not warn")
	}
	return d, err
}

// quiet is a session that only records the code of the last warning.
type quiet struct {
	*Session
	warning sqlerr.Code
}

// Warn implements catalog.Env.
func (q *quiet) Warn(code uint16, _ string) { q.warning = sqlerr.Code(code) }
