package dynamic

import (
	"unsafe"

	"gsql/sql/types"
	"gsql/storage/files/notation"
)

// Kind is the type that a value has in its file.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	Text
	Bytes
	Document // an object or array of JSON
)

// Value is a value as its file has it. The text of a number is its decimal notation, that of a
// Bool true or false, and that of a Document JSON.
type Value struct {
	Kind Kind
	Text string
}

// bytes returns the text as bytes, which must not be changed.
func (v *Value) bytes() []byte { return unsafe.Slice(unsafe.StringData(v.Text), len(v.Text)) }

// Seen is what is known of the values of a column. The zero value knows none.
type Seen struct {
	kinds   uint8 // a bit for each kind
	numbers notation.Mask
	texts   notation.Mask
}

// Add adds a value.
func (s *Seen) Add(v Value) {
	s.kinds |= 1 << v.Kind
	switch v.Kind {
	case Number:
		addTo(&s.numbers, notation.Numeric, v.bytes())
	case Text:
		addTo(&s.texts, notation.Temporal, v.bytes())
	}
}

func addTo(m *notation.Mask, first uint16, text []byte) {
	if !m.Seen {
		m.Can = first
	}
	m.Add(text)
}

// Merge adds the values of o.
func (s *Seen) Merge(o *Seen) {
	s.kinds |= o.kinds
	mergeInto(&s.numbers, &o.numbers)
	mergeInto(&s.texts, &o.texts)
}

func mergeInto(m, o *notation.Mask) {
	switch {
	case !o.Seen:
	case !m.Seen:
		*m = *o
	default:
		m.Merge(*o)
	}
}

// Type returns the narrowest type that holds all values. That is mixed for values of several
// kinds, and text if all are NULL.
func (s *Seen) Type(mixed types.Type) types.Type {
	switch s.kinds &^ (1 << Null) {
	case 0:
		return types.T(types.String)
	case 1 << Bool:
		return types.T(types.Bool)
	case 1 << Number:
		return s.numbers.Type()
	case 1 << Text:
		return s.texts.Type()
	case 1 << Bytes, 1<<Bytes | 1<<Text:
		return types.T(types.Bytes)
	case 1 << Document:
		return types.T(types.JSON)
	}
	if s.kinds>>Bytes&1 != 0 {
		return types.T(types.Bytes)
	}
	return mixed
}
