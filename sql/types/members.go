package types

import (
	"strings"
	"unique"
)

// Members are the values of an ENUM or SET, in order. Equal lists are equal values.
type Members struct{ joined unique.Handle[string] }

// memberEnd separates the values; no value contains it.
const memberEnd = "\x00"

// NewMembers makes a list of values without zero bytes.
func NewMembers(values []string) Members {
	return Members{unique.Make(strings.Join(values, memberEnd))}
}

// Values returns the members in order.
func (m Members) Values() []string {
	if m == (Members{}) {
		return nil
	}
	return strings.Split(m.joined.Value(), memberEnd)
}

// list writes the members as a definition does: ('a','b').
func (m Members) list() string {
	values := m.Values()
	for i, v := range values {
		values[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return "(" + strings.Join(values, ",") + ")"
}

// HasMembers reports whether t is ENUM or SET, whose values are text but count as numbers, too:
// an ENUM's value as its place from 1, a SET's as a bit mask.
func (t Type) HasMembers() bool { return t.ID == Enum || t.ID == Set }
