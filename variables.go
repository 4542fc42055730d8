package gsql

import (
	"maps"
	"strconv"
	"strings"

	"gsql/sql/infoschema"
	"gsql/sql/sqlerr"
	"gsql/sql/sysvar"
)

// Var gives a system variable's value in this session; ok is false when there is none of
// that name (in any case).
func (s *Session) Var(name string) (value string, ok bool) {
	name = strings.ToLower(name)
	switch name {
	case "database":
		return s.database, s.database != ""
	case "user": // there are no accounts
		return "gsql@localhost", true
	case "connection_id", "pseudo_thread_id":
		return strconv.FormatUint(s.id, 10), true
	case "last_insert_id", "identity":
		return strconv.FormatInt(s.lastID, 10), true
	case "row_count":
		return strconv.FormatInt(s.rowCount, 10), true
	case "found_rows":
		return strconv.FormatInt(s.foundRows, 10), true
	case "warning_count":
		return strconv.FormatInt(s.counted, 10), true
	case "error_count":
		return strconv.FormatInt(s.countedErrors, 10), true
	}
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	return sysvar.Default(name)
}

// GlobalVar gives the value of a system variable that new sessions begin with. The error
// is 1193, or 1238 for variables that sessions alone have.
func (s *Session) GlobalVar(name string) (string, error) {
	v, err := sysvar.Find(strings.ToLower(name))
	if err != nil {
		return "", err
	}
	if v.Scope == sysvar.SessionOnly {
		return "", sqlerr.New(sqlerr.SettingsError, "Variable '%s' is a SESSION variable", v.Name)
	}
	return s.db.globalVar(v), nil
}

func (db *DB) globalVar(v *sysvar.Var) string {
	if value, ok := (*db.globals.Load())[v.Name]; ok {
		return value
	}
	return v.Default
}

// defaultOf is what SET name = DEFAULT stands for: in a session the global value.
func (r *stmtRun) defaultOf(name string, global bool) string {
	v, err := sysvar.Find(name)
	switch {
	case err != nil:
		return "" // the name is checked next
	case global:
		return v.Default
	}
	return r.s.db.globalVar(v)
}

// setVariable sets a system variable to a value that has been checked.
func (r *stmtRun) setVariable(v *sysvar.Var, value string, global bool) error {
	if v.Name == "gsql_gpu_memory_limit" { // devices are the process's
		if err := r.s.db.setDeviceLimit(r.ctx, value); err != nil {
			return err
		}
	}
	switch {
	case v.Stays != "":
		if value != v.Default {
			r.s.Warn(uint16(sqlerr.NotSupportedYet), "'"+v.Name+"' stays "+v.Shown(v.Default)+": "+v.Stays)
		}
		return nil
	case global:
		r.s.db.setGlobal(v.Name, value)
		return nil
	}
	r.s.setVar(v.Name, value)
	if v.Name == "autocommit" && value == "1" && r.s.tx != nil {
		_, err := r.commit()
		return err
	}
	return nil
}

// setGlobal sets what sessions made from now on begin with.
func (db *DB) setGlobal(name, value string) {
	db.mu.Lock()
	defer db.mu.Unlock()
	next := maps.Clone(*db.globals.Load())
	next[name] = value
	db.globals.Store(&next)
}

// intVar gives an integer variable; those are checked when they are set.
func (s *Session) intVar(name string) int64 {
	v, _ := s.Var(name)
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Variables implements infoschema.Inventory.
func (v inventory) Variables(global bool) []infoschema.Setting {
	var out []infoschema.Setting
	for _, name := range sysvar.Names() {
		def, err := sysvar.Find(name)
		if err != nil || global && def.Scope == sysvar.SessionOnly {
			continue
		}
		value, _ := v.s.Var(name)
		if global {
			value = v.s.db.globalVar(def)
		}
		out = append(out, infoschema.Setting{Name: name, Value: def.Shown(value)})
	}
	return out
}
