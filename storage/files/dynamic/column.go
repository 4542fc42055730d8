package dynamic

import (
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/json"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
	"gsql/storage/files/notation"
)

// Column stores values as a type.
type Column struct {
	Name string
	notation.Target
}

// NewColumn returns the column for values of which seen is known. declared has types by the names of
// columns, which replace the ones found.
func NewColumn(name string, seen *Seen, mixed types.Type, declared map[string]types.Type) Column {
	for n, t := range declared {
		if catalog.EqualFold(n, name) {
			return Column{name, notation.NewTarget(t, true)}
		}
	}
	return Column{name, notation.NewTarget(seen.Type(mixed), false)}
}

// Put stores a value that is not NULL in row i of dst. It reports whether the value fits the type.
func (c *Column) Put(v Value, dst *vec.Vector, i int) bool {
	if c.Type.Kind() != types.KindStr {
		switch {
		case v.Kind == Bool && c.Type.ID != types.Bool:
			v.Text = map[string]string{"true": "1", "false": "0"}[v.Text]
		case v.Kind == Bytes, v.Kind == Document:
			return false
		}
		return c.Parse(v.bytes(), dst, i)
	}
	ok := true
	switch {
	case c.Type.ID == types.JSON:
		dst.Str[i], ok = document(v)
	case c.Type.HasMembers():
		dst.Str[i], ok = c.Store(v.Text)
	default:
		dst.Str[i], ok = v.Text, c.Fits(v.Text)
	}
	return ok
}

// document returns a value as JSON in normal form.
func document(v Value) (string, bool) {
	switch v.Kind {
	case Text:
		return string(json.AppendString(make([]byte, 0, len(v.Text)+2), v.Text)), true
	case Bytes:
		return "", false
	}
	s, err := json.Normalise(v.Text)
	return s, err == nil
}

// maxShown bounds the length of offending text shown in errors.
const maxShown = 80

// Misfit returns the error for a value that does not fit its column. where is its place in the file,
// such as "line 3".
func (c *Column) Misfit(path, where string, v Value) error {
	code, reason := notation.Misfit(c.Type, v.Text)
	text := strings.ToValidUTF8(v.Text, "?")
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "..."
	}
	return sqlerr.New(code, "file '%s', %s, column '%s': %s: '%s'", path, where, c.Name, reason, text).
		WithHint("%s", format.TypeHint(path, c.Name))
}
