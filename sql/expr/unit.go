package expr

import (
	"strings"

	"gsql/sql/sqlerr"
)

// Unit is the unit of an INTERVAL or an EXTRACT. A composite unit such as "day_second" consists of
// all parts from the first to the last one.
type Unit struct {
	First, Last Part
}

// Part is a component of a date and time, in descending order.
type Part int8

// The parts. Quarters and weeks are never part of a composite unit.
const (
	Year Part = iota
	Quarter
	Month
	Week
	Day
	Hour
	Minute
	Second
	Microsecond
)

var partNames = []string{"year", "quarter", "month", "week", "day", "hour", "minute", "second", "microsecond"}

// ParseUnit parses the lower-case name of a unit.
func ParseUnit(name string) (u Unit, ok bool) {
	first, last, composite := strings.Cut(name, "_")
	if !composite {
		last = first
	}
	u = Unit{partOf(first), partOf(last)}
	if u.First < 0 || u.Last < 0 {
		return u, false
	}
	switch {
	case !composite:
		return u, true
	case u.First == Year:
		return u, u.Last == Month
	}
	return u, u.First >= Day && u.Last > u.First
}

func partOf(name string) Part {
	for i, s := range partNames {
		if s == name {
			return Part(i)
		}
	}
	return -1
}

// Composite reports whether the unit has several parts.
func (u Unit) Composite() bool { return u.First != u.Last }

// HasClock reports whether the unit has parts smaller than a day.
func (u Unit) HasClock() bool { return u.Last > Day }

// UnitOf returns the unit that the binder passes as a string constant.
func UnitOf(e Expr) (Unit, error) {
	name, ok := ConstText(e)
	if !ok {
		return Unit{}, sqlerr.Internal("the unit %s is no string", e)
	}
	u, ok := ParseUnit(strings.ToLower(name))
	if !ok {
		return Unit{}, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to INTERVAL: unit '%s'", name)
	}
	return u, nil
}

// Parts returns all parts of the unit from the first to the last one.
func (u Unit) Parts() []Part {
	if u.First == Year && u.Composite() {
		return []Part{Year, Month}
	}
	var out []Part
	for p := u.First; p <= u.Last; p++ {
		out = append(out, p)
	}
	return out
}
