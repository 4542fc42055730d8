// Package result holds what statements return: columns, and sources of batches of rows.
package result

import (
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Column describes a column of a result.
type Column struct {
	Name     string
	Type     types.Type
	Nullable bool
}

// Source delivers the batches of a result.
type Source interface {
	// Next returns a batch that is valid until the following call, or nil at the end.
	Next() (*vec.Batch, error)
	Close() error
}

// memory delivers rows that exist already, in one batch.
type memory struct{ batch *vec.Batch }

func (m *memory) Next() (*vec.Batch, error) {
	b := m.batch
	m.batch = nil
	return b, nil
}

func (m *memory) Close() error { return nil }

// OfText returns the source of rows of text, of which each has width columns; nil is NULL.
func OfText(rows [][]*string, width int) Source {
	if len(rows) == 0 {
		return &memory{}
	}
	b := &vec.Batch{N: len(rows), Cols: make([]*vec.Vector, width)}
	for c := range b.Cols {
		v := vec.NewFlat(types.T(types.String), len(rows))
		for i, row := range rows {
			if row[c] == nil {
				v.SetNull(i)
			} else {
				v.Str[i] = *row[c]
			}
		}
		b.Cols[c] = v
	}
	return &memory{b}
}

// OfVectors returns the source of the rows of flat vectors of equal length.
func OfVectors(cols ...*vec.Vector) Source {
	if n := cols[0].N; n > 0 {
		return &memory{&vec.Batch{N: n, Cols: cols}}
	}
	return &memory{}
}

// TextColumns returns nullable VARCHAR columns of the given names.
func TextColumns(names ...string) []Column {
	out := make([]Column, len(names))
	for i, n := range names {
		out[i] = Column{Name: n, Type: types.T(types.String), Nullable: true}
	}
	return out
}

// Row returns a row of texts without NULL.
func Row(values ...string) []*string {
	out := make([]*string, len(values))
	for i := range values {
		out[i] = &values[i]
	}
	return out
}

// Rows returns rows of one text each.
func Rows(values []string) [][]*string {
	rows := make([][]*string, len(values))
	for i := range values {
		rows[i] = []*string{&values[i]}
	}
	return rows
}
