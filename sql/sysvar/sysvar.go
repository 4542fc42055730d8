// Package sysvar lists the system variables: gsql's own, those of MySQL that gsql obeys,
// and those that clients set or read when they connect.
package sysvar

import (
	"maps"
	"slices"
	"strings"

	"gsql/internal/suggest"
	"gsql/sql/sqlerr"
)

// Kind specifies what a variable's value looks like.
type Kind uint8

// The kinds. A Switch is 1 or 0, which SHOW VARIABLES writes as ON and OFF.
const (
	Text Kind = iota
	Integer
	Switch
)

// Scope is the scope of a variable: global, session or both.
type Scope uint8

// The scopes. Variables of both have a value that new sessions begin with.
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
	Takes   string // the values it can be set to, for people
	// Stays states why the variable keeps its default despite assignments; "" if it does not.
	Stays string
	check func(string) (string, bool) // normalises a value; nil when it is read-only
	// explain describes the error in a value where the general error would not.
	explain func(string) error
}

var byName = map[string]*Var{}

// names in order.
var names []string

func init() {
	for _, list := range [][]Var{engine(), behaviour(), connection(), facts()} {
		for _, v := range list {
			byName[v.Name] = &v
		}
	}
	names = slices.Sorted(maps.Keys(byName))
}

// Names lists all variables in order.
func Names() []string { return names }

// Find returns a variable by its name in lower case. The error is 1193 with the name that is
// nearest.
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

// Default returns a variable's default; ok is false when there is no such variable.
func Default(name string) (value string, ok bool) {
	if v, found := byName[name]; found {
		return v.Default, true
	}
	return "", false
}

// Check normalises value for a variable by its name in lower case. Errors: 1193 unknown,
// 1238 read-only, 1231 wrong value.
func Check(name, value string) (string, error) {
	v, err := Find(name)
	if err != nil {
		return "", err
	}
	return v.Check(value)
}

// Check normalises a value. Errors: 1238 read-only, 1231 wrong value.
func (v *Var) Check(value string) (string, error) {
	if v.check == nil {
		return "", sqlerr.New(sqlerr.SettingsError, "Variable '%s' is a read only variable", v.Name)
	}
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

// InScope reports whether SET GLOBAL, else SET SESSION, may name the variable: errors 1228 and
// 1229.
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

// Shown writes a value as SHOW VARIABLES does.
func (v *Var) Shown(value string) string {
	if v.Kind != Switch {
		return value
	}
	if value == "1" {
		return "ON"
	}
	return "OFF"
}
