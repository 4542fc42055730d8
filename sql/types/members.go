package types

import (
	"strings"
	"unique"
)

// Members is the ordered list of values of an ENUM or SET. Equal lists compare equal with ==.
type Members struct{ joined unique.Handle[string] }

// memberEnd separates the values; no value contains it.
const memberEnd = "\x00"

// NewMembers returns the list of the given values, which contain no zero bytes.
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

// list formats the members as in a column definition: ('a','b').
func (m Members) list() string {
	values := m.Values()
	for i, v := range values {
		values[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return "(" + strings.Join(values, ",") + ")"
}

// HasMembers reports whether t is ENUM or SET, whose values are texts that also act as numbers:
// an ENUM value as its position from 1, a SET value as a bit mask.
func (t Type) HasMembers() bool { return t.ID == Enum || t.ID == Set }
