package json

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Append appends v in normal form: members sorted by the length of their names and then by their
// bytes, and a space after each comma and colon.
func Append(dst []byte, v Value) []byte {
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		if x {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case Number:
		return append(dst, x...)
	case string:
		return AppendString(dst, x)
	case []any:
		dst = append(dst, '[')
		for i, e := range x {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = Append(dst, e)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for i, k := range Keys(x) {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(AppendString(dst, k), ": "...)
			dst = Append(dst, x[k])
		}
		return append(dst, '}')
	}
	return dst
}

// AppendString appends s as a quoted string.
func AppendString(dst []byte, s string) []byte {
	return append(AppendEscaped(append(dst, '"'), s), '"')
}

// AppendEscaped appends what is between the quotes of a string: s, which may be a part of it.
func AppendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		if from = i + 1; c < 0x20 && (c < '\b' || c > '\r' || c == '\v') {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		} else {
			dst = append(dst, '\\', `"\bfnrt`[strings.IndexByte("\"\\\b\f\n\r\t", c)])
		}
	}
	return append(dst, s[from:]...)
}

// QuotedLen returns the length of what AppendString appends.
func QuotedLen(s string) int {
	n := len(s) + 2
	if plain(s) {
		return n
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 0x20 && c != '"' && c != '\\':
		case c >= 0x20 || c >= '\b' && c <= '\r' && c != '\v':
			n++
		default:
			n += len(`u0000`)
		}
	}
	return n
}

// plain reports whether a string needs no escapes.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return true
}

// Member is a name and the text of a value in normal form.
type Member struct{ Name, Value string }

// AppendObject appends an object with the given members in normal form; of members with equal
// names, the last one wins. It sorts members in place.
func AppendObject(dst []byte, members []Member) []byte {
	return AppendSorted(dst, SortMembers(members))
}

// SortMembers sorts the members of an object in place as in normal form and returns those that
// remain: of members with equal names, the last one.
func SortMembers(members []Member) []Member {
	slices.SortStableFunc(members, func(a, b Member) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
	})
	kept := members[:0]
	for i, m := range members {
		if i+1 == len(members) || members[i+1].Name != m.Name {
			kept = append(kept, m)
		}
	}
	return kept
}

// AppendSorted appends an object whose members are those of SortMembers.
func AppendSorted(dst []byte, members []Member) []byte {
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(AppendString(dst, m.Name), ": "...), m.Value...)
	}
	return append(dst, '}')
}

// Keys returns the names of an object's members in the order of normal form.
func Keys(m map[string]any) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
}

// AppendPretty appends v over several lines, indented by two spaces per level.
func AppendPretty(dst []byte, v Value) []byte { return appendPretty(dst, v, 0) }

func appendPretty(dst []byte, v Value, level int) []byte {
	newline := func(level int) {
		dst = append(dst, '\n')
		for range level {
			dst = append(dst, ' ', ' ')
		}
	}
	switch x := v.(type) {
	case []any:
		if len(x) == 0 {
			break
		}
		dst = append(dst, '[')
		for i, e := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			newline(level + 1)
			dst = appendPretty(dst, e, level+1)
		}
		newline(level)
		return append(dst, ']')
	case map[string]any:
		if len(x) == 0 {
			break
		}
		dst = append(dst, '{')
		for i, k := range Keys(x) {
			if i > 0 {
				dst = append(dst, ',')
			}
			newline(level + 1)
			dst = append(AppendString(dst, k), ": "...)
			dst = appendPretty(dst, x[k], level+1)
		}
		newline(level)
		return append(dst, '}')
	}
	return Append(dst, v)
}
