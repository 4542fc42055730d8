package segment

import (
	"sort"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql/internal/mem"
	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/rowset"
	"gsql/storage/stats"
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

// Column is a column of a segment: an Arrow array in the type's narrow form, a dictionary with
// codes, 64-bit integers for decimals, or runs of any of these.
type Column struct {
	Runs  *Runs // replaces the following fields; nil if each row has its own value
	Arr   arrow.Array
	Dict  *vec.Vector  // flat distinct values; nil if the column has no dictionary
	Codes []int32      // into Dict, -1 for NULL; shares the memory of Arr's indices
	Ints  *array.Int64 // equal to Arr if that holds decimals that fit in 64 bits
	Zone  stats.Zone
	held  *mem.Holding // charge for the memory; shared by columns that share memory
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

// ArrayBytes returns the size of an array's buffers, including its dictionary.
func ArrayBytes(a arrow.Array) int {
	total := 0
	for _, b := range a.Data().Buffers() {
		if b != nil {
			total += b.Len()
		}
	}
	if d, ok := a.(*array.Dictionary); ok {
		total += ArrayBytes(d.Dictionary())
	}
	return total
}

// Bytes returns the bytes held by the column.
func (c *Column) Bytes() int64 {
	if c.Runs != nil {
		return c.Runs.Bytes
	}
	return int64(ArrayBytes(c.Arr))
}

// footprint returns all bytes held by the column: those counted by Bytes, the string headers of a
// dictionary vector, and the sketch.
func (c *Column) footprint() int64 {
	dict := c.Dict
	if c.Runs != nil && c.Runs.values.Form == vec.View {
		dict = c.Runs.values.Base
	}
	n := c.Bytes()
	if dict != nil {
		n += int64(dict.N) * SlotBytes(types.KindStr)
	}
	return n + c.Zone.Sketch.Footprint()
}

// Read sets dst to rows [from, to) of the column. Dictionary columns are returned as views over
// the segment's only dictionary vector, runs in the form that suits them.
func (c *Column) Read(def *catalog.Column, from, to int, dst *vec.Vector) error {
	if c.Runs != nil {
		*dst = *c.Runs.Read(def.Type, from, to, nil, false, new(Expansion))
		return nil
	}
	if c.Dict != nil {
		*dst = vec.Vector{Type: def.Type, Form: vec.View, N: to - from, Base: c.Dict, Idx: c.Codes[from:to:to]}
		return nil
	}
	if c.Ints != nil {
		arrowvec.Widen(c.Ints, def.Type, from, to, dst)
		return nil
	}
	return arrowvec.FromArray(c.Arr, def.Type, from, to, dst)
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

// Retyped returns the column under another type whose values are stored in the same way.
func (c Column) Retyped(t types.Type) Column {
	if c.Dict != nil && c.Dict.Type != t {
		dict := *c.Dict
		dict.Type = t
		c.Dict = &dict
	}
	if c.Runs != nil && c.Runs.values.Type != t {
		c.Runs = c.Runs.retyped(t)
	}
	return c
}

func (r *Runs) retyped(t types.Type) *Runs {
	out, values := *r, *r.values
	values.Type = t
	if values.Form == vec.View {
		dict := *values.Base
		dict.Type = t
		values.Base = &dict
	}
	out.values = &values
	return &out
}
