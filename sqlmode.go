package gsql

import (
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/storage"
)

// SQLMode gives the session's sql_mode.
func (s *Session) SQLMode() sqlmode.Mode {
	text, _ := s.Var("sql_mode")
	m, _ := sqlmode.Parse(text)
	return m
}

// checkMode brings a value of sql_mode into MySQL's form. Errors: 1231 naming the mode
// that there is not, 1235 naming one that gsql does not have.
func checkMode(value string) (string, error) {
	m, wrong := sqlmode.Parse(value)
	switch {
	case wrong != "":
		return "", sqlerr.New(sqlerr.WrongValueForVar, "Variable 'sql_mode' can't be set to the value of '%s'", wrong)
	case m.Has(sqlmode.Unsupported):
		return "", sqlerr.Unsupported(-1, "sql_mode %s", m&sqlmode.Unsupported)
	}
	return m.String(), nil
}

// parse parses a text as the session's sql_mode says. The rest of a text that Parse
// has left is parsed as one of its own; positions stay those of the whole text.
func (s *Session) parse(text string, offset int) ([]statement, error) {
	stmts, err := parse.Parse(text, s.mode)
	for i := range stmts {
		stmts[i].Offset += offset
	}
	if err != nil {
		return nil, shift(err, offset)
	}
	return stmts, nil
}

// strictly makes f, which changes rows, fail where it has divided by zero and the
// sql_mode wants that.
func (r *stmtRun) strictly(ignore bool, f func(tx *storage.Tx) (*Rows, error)) func(tx *storage.Tx) (*Rows, error) {
	if ignore || !r.s.mode.Strict() || !r.s.mode.Has(sqlmode.ErrorForDivisionByZero) {
		return f
	}
	return func(tx *storage.Tx) (*Rows, error) {
		r.s.divided.Store(false)
		rows, err := f(tx)
		if err == nil && r.s.divided.Load() {
			return nil, sqlerr.New(sqlerr.DivisionByZero, "Division by 0")
		}
		return rows, err
	}
}
