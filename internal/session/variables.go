package session

import (
	"strconv"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/sql/sysvar"
)

// Var implements catalog.Env and binder.Session: it returns the value of a system variable in this
// session, ignoring the case of its name. ok is false if there is none of that name, or its value
// is NULL.
func (s *Session) Var(name string) (value string, ok bool) {
	name = strings.ToLower(name)
	switch name {
	case "database":
		return s.Database, s.Database != ""
	case "user": // there are no accounts
		return "gsql@localhost", true
	case "connection_id", "pseudo_thread_id":
		return strconv.FormatUint(s.ID(), 10), true
	case "last_insert_id", "identity":
		return strconv.FormatInt(s.LastID, 10), true
	case "row_count":
		return strconv.FormatInt(s.RowCount, 10), true
	case "found_rows":
		return strconv.FormatInt(s.FoundRows, 10), true
	case "warning_count":
		all, _ := s.Warnings.Before()
		return strconv.FormatInt(all, 10), true
	case "error_count":
		_, errors := s.Warnings.Before()
		return strconv.FormatInt(errors, 10), true
	}
	if v, notNull, ok := s.DB.FileVariable(name); ok {
		return v, notNull
	}
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	return sysvar.Default(name)
}

// GlobalVar implements binder.Session: it returns the value of a system variable that new
// sessions start with. The error is 1193, or 1238 for variables that only sessions have.
func (s *Session) GlobalVar(name string) (string, error) {
	v, err := sysvar.Find(strings.ToLower(name))
	if err != nil {
		return "", err
	}
	if v.Scope == sysvar.SessionOnly {
		return "", sqlerr.New(sqlerr.SettingsError, "Variable '%s' is a SESSION variable", v.Name)
	}
	return s.DB.Global(v), nil
}

// SetVar sets a system variable of the session to a checked value.
func (s *Session) SetVar(name, value string) { s.vars[name], s.settings = value, nil }

// integer returns the value of an integer variable, whose text was checked when it was set.
func integer(s *Session, name string) int64 {
	v, _ := s.Var(name)
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
