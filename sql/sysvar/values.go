package sysvar

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gsql/internal/mem"
	"gsql/sql/deviceset"
)

// text returns a variable with the allowed values, or with any value if there are none.
func text(name, value string, allowed ...string) Var {
	v := Var{Name: name, Default: value, Takes: strings.Join(allowed, ", "), check: oneOf(allowed)}
	if len(allowed) == 0 {
		v.check = func(s string) (string, bool) { return s, true }
	}
	return v
}

// devices returns a variable whose value is a set of devices.
func devices(name string) Var {
	return Var{Name: name, Default: deviceset.Auto, Takes: deviceset.Takes, check: func(s string) (string, bool) {
		set, ok := deviceset.Parse(s)
		return set.String(), ok
	}}
}

// integer returns a variable with integer values between lo and hi; what describes the values. MySQL's
// variables take the nearest value instead of one that is out of range. gsql's own ones do not, and
// neither do those of which gsql implements one value.
func integer(name, value string, lo, hi int64, what string) Var {
	v := Var{Name: name, Default: value, Kind: Integer, Takes: fmt.Sprintf("%s, %d to %d", what, lo, hi), check: between(lo, hi)}
	if lo == hi || strings.HasPrefix(name, "gsql_") {
		return v
	}
	return v.clamped(lo, hi)
}

// onOff returns a variable that is ON or OFF.
func onOff(name string, on bool) Var {
	v := Var{Name: name, Default: "0", Kind: Switch, Takes: "ON or OFF", check: switchValue}
	if on {
		v.Default = "1"
	}
	return v
}

// size returns a variable whose value is a number of bytes.
func size(name, takes string) Var {
	return Var{Name: name, Default: "0", Kind: Integer, Takes: takes, check: sizeValue}
}

// fact returns a read-only variable.
func fact(name, value string, k Kind) Var { return Var{Name: name, Default: value, Kind: k} }

// only restricts a variable to one scope.
func (v Var) only(s Scope) Var {
	v.Scope = s
	return v
}

// stays makes assignments to a variable have no effect, for the given reason.
func (v Var) stays(why string) Var {
	v.Stays = why
	return v
}

// clamped replaces integers outside the allowed values by the nearest allowed one.
func (v Var) clamped(lo, hi int64) Var {
	v.nearest = func(s string) (string, bool) {
		n, err := strconv.ParseInt(s, 10, 64) // the nearest one for integers of more bits
		whole := err == nil || errors.Is(err, strconv.ErrRange)
		return strconv.FormatInt(min(max(n, lo), hi), 10), whole && (n < lo || n > hi || err != nil)
	}
	return v
}

// rowLimit returns a variable whose value is any BIGINT UNSIGNED.
func rowLimit(name string) Var {
	v := Var{Name: name, Default: NoRowLimit, Kind: Integer, Takes: "a number of rows", check: unsigned}
	v.nearest = func(s string) (string, bool) {
		n, err := strconv.ParseInt(s, 10, 64)
		return "0", err == nil && n < 0
	}
	return v
}

// fixed allows a variable to be set only to its default.
func (v Var) fixed() Var {
	check := v.check
	v.Takes = "only " + v.Shown(v.Default)
	v.check = func(s string) (string, bool) {
		out, ok := check(s)
		return out, ok && out == v.Default
	}
	return v
}

// utf8 accepts all names of UTF-8.
func utf8(s string) (string, bool) {
	return "utf8mb4", s == "" || strings.HasPrefix(strings.ToLower(s), "utf8")
}

func oneOf(allowed []string) func(string) (string, bool) {
	return func(s string) (string, bool) {
		for _, a := range allowed {
			if strings.EqualFold(a, s) {
				return a, true
			}
		}
		return "", false
	}
}

func between(lo, hi int64) func(string) (string, bool) {
	return func(s string) (string, bool) {
		n, err := strconv.ParseInt(s, 10, 64)
		return strconv.FormatInt(n, 10), err == nil && n >= lo && n <= hi
	}
}

func switchValue(s string) (string, bool) {
	switch strings.ToLower(s) {
	case "1", "on", "true":
		return "1", true
	case "0", "off", "false":
		return "0", true
	}
	return "", false
}

func sizeValue(s string) (string, bool) {
	n, err := mem.ParseSize(s)
	return strconv.FormatInt(n, 10), err == nil
}

func unsigned(s string) (string, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	return strconv.FormatUint(n, 10), err == nil
}
