package segment

import (
	"sort"

	"gsql/sql/catalog"
	"gsql/sql/vec"
	"gsql/storage/rowset"
)

// Segments are sealed at DefaultRows rows (fewer in tests), or earlier if their strings get close
// to the limit of 32-bit Arrow offsets.
const (
	DefaultRows = 128 << 10
	MaxBytes    = 1 << 28
)

// Segment is an immutable run of rows.
type Segment struct {
	Rows  int
	Cols  []Column
	Bytes int64
	// IDs holds each row's id, ascending, if rows were left out when the segment was written. It
	// is nil if row i has id Base+i.
	IDs []int64
}

// Sealed places a segment in a table: it determines the ids of the rows and which are deleted.
type Sealed struct {
	*Segment
	Base int64
	Del  *rowset.Deletions
}

// RowID returns the id of a row.
func (s *Sealed) RowID(row int) int64 {
	if s.IDs != nil {
		return s.IDs[row]
	}
	return s.Base + int64(row)
}

// Row returns the row with an id.
func (s *Sealed) Row(id int64) (int, bool) {
	if s.IDs == nil {
		r := id - s.Base
		return int(r), r >= 0 && r < int64(s.Rows)
	}
	i := sort.Search(len(s.IDs), func(i int) bool { return s.IDs[i] >= id })
	return i, i < len(s.IDs) && s.IDs[i] == id
}

// Flat returns the rows of all columns as flat vectors.
func (s *Segment) Flat(schema *catalog.Schema) ([]*vec.Vector, error) {
	cols := make([]*vec.Vector, len(s.Cols))
	for i := range cols {
		var col vec.Vector
		if err := s.Cols[i].Read(&schema.Columns[i], 0, s.Rows, &col); err != nil {
			return nil, err
		}
		cols[i] = col.Flatten(nil)
	}
	return cols, nil
}

// OnDemand reports whether all columns and their sketches are loaded from files.
func (s *Segment) OnDemand() bool {
	for i := range s.Cols {
		if s.Cols[i].source == nil || s.Cols[i].Zone.Sketch != nil {
			return false
		}
	}
	return true
}
