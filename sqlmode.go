package gsql

import (
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/storage"
)

// SQLMode gives the session's sql_mode.
func (s *Session) SQLMode() sqlmode.Mode { return s.settings().mode }

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

// strictCodes are the warnings of expressions that strict mode makes errors in statements
// that change rows, wherever in them the expression stands.
var strictCodes = map[sqlerr.Code]bool{
	sqlerr.DivisionByZero: true, sqlerr.TruncatedWrongValue: true, sqlerr.WarnDataOutOfRange: true, sqlerr.WrongValueForType: true,
	sqlerr.DatetimeOverflow: true, sqlerr.InvalidArgumentForLogarithm: true, sqlerr.InvalidJSONValueForCast: true, sqlerr.AllowedPacketOverflowed: true, sqlerr.InvalidCharacterString: true,
}

// strictly makes f, which changes rows, fail where an expression left a warning that
// strict mode does not suffer.
func (r *stmtRun) strictly(ignore bool, f func(tx *storage.Tx) (*Rows, error)) func(tx *storage.Tx) (*Rows, error) {
	if ignore || !r.s.mode.Strict() {
		return f
	}
	return func(tx *storage.Tx) (*Rows, error) {
		r.s.refused.Store(nil)
		rows, err := f(tx)
		if refused := r.s.refused.Load(); err == nil && refused != nil {
			return nil, refused
		}
		return rows, err
	}
}
