// Package sysvar lists the system variables: gsql's own, those of MySQL that gsql implements, and
// those that clients set or read when they connect.
package sysvar

import (
	"maps"
	"slices"
	"strings"

	"gsql/internal/suggest"
	"gsql/sql/sqlerr"
)

// Kind specifies the format of a variable's value.
type Kind uint8

// The kinds. A Switch is 1 or 0, shown by SHOW VARIABLES as ON and OFF.
const (
	Text Kind = iota
	Integer
	Switch
)

// Scope is the scope of a variable: global, session or both.
type Scope uint8

// The scopes. Variables with both scopes have a global value with which new sessions start.
const (
	Both Scope = iota
	SessionOnly
	GlobalOnly
)

// Var describes a system variable.
type Var struct {
	Name    string // in lower case
	Default string
	Kind    Kind
	Scope   Scope
	Takes   string // description of the values it can be set to, for messages
	// Stays is the reason why the variable keeps its default despite assignments; "" if it does
	// not.
	Stays string
	check func(string) (string, bool) // normalises a value; nil for a read-only variable
	// nearest returns the allowed value that replaces a value, and whether one does; nil if wrong
	// values are errors.
	nearest func(string) (string, bool)
	// explain returns a specific error for a wrong value; nil if the general error is used.
	explain func(string) error
}

var byName = map[string]*Var{}

// names holds the names of all variables in order.
var names []string

func init() {
	for _, list := range [][]Var{engine(), behaviour(), connection(), facts()} {
		for _, v := range list {
			byName[v.Name] = &v
		}
	}
	names = slices.Sorted(maps.Keys(byName))
}

// Names returns the names of all variables in order.
func Names() []string { return names }

// Find returns a variable by its lower-case name, or error 1193 with the most similar name.
func Find(name string) (*Var, error) {
	if v, ok := byName[name]; ok {
		return v, nil
	}
	e := sqlerr.New(sqlerr.UnknownSystemVariable, "Unknown system variable '%s'", name)
	if near := suggest.Nearest(name, names); near != "" {
		e = e.WithHint("Did you mean '%s'?", near)
	}
	return nil, e
}

// Default returns a variable's default; ok is false if there is no such variable.
func Default(name string) (value string, ok bool) {
	if v, found := byName[name]; found {
		return v.Default, true
	}
	return "", false
}

// Check normalises value for a variable, given by its lower-case name. Errors: 1193 for an
// unknown variable, 1238 for a read-only one, 1231 for a wrong value.
func Check(name, value string) (string, error) {
	v, err := Find(name)
	if err != nil {
		return "", err
	}
	return v.Check(value)
}

// Check normalises a value. Errors: 1238 for a read-only variable, 1231 for a wrong value.
func (v *Var) Check(value string) (string, error) {
	if v.check == nil {
		return "", sqlerr.New(sqlerr.SettingsError, "Variable '%s' is a read only variable", v.Name)
	}
	value, _ = v.Nearest(value)
	out, ok := v.check(strings.TrimSpace(value))
	if !ok && v.explain != nil {
		return "", v.explain(value)
	}
	if !ok {
		return "", sqlerr.New(sqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of '%s'", v.Name, value).
			WithHint("It takes %s.", v.Takes)
	}
	return out, nil
}

// Nearest returns the value to which a variable is set instead of one that is out of range. clamped
// reports whether it differs; MySQL then warns.
func (v *Var) Nearest(value string) (nearest string, clamped bool) {
	if v.nearest != nil {
		if out, ok := v.nearest(strings.TrimSpace(value)); ok {
			return out, true
		}
	}
	return value, false
}

// InScope checks whether SET GLOBAL (global) or SET SESSION may set the variable. It returns
// error 1228 or 1229 if not.
func (v *Var) InScope(global bool) error {
	switch {
	case v.check == nil: // Check reports that it is read-only
	case global && v.Scope == SessionOnly:
		return sqlerr.New(sqlerr.LocalVariable, "Variable '%s' is a SESSION variable and can't be used with SET GLOBAL", v.Name)
	case !global && v.Scope == GlobalOnly:
		return sqlerr.New(sqlerr.GlobalVariable, "Variable '%s' is a GLOBAL variable and should be set with SET GLOBAL", v.Name)
	}
	return nil
}

// Shown formats a value as SHOW VARIABLES does.
func (v *Var) Shown(value string) string {
	if v.Kind != Switch {
		return value
	}
	if value == "1" {
		return "ON"
	}
	return "OFF"
}
