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

// Segments are sealed at DefaultRows rows (tests use fewer), or earlier when their
// strings get close to what 32-bit Arrow offsets can address.
const (
	DefaultRows = 128 << 10
	MaxBytes    = 1 << 28
)

// Segment is an immutable run of rows.
type Segment struct {
	Rows  int
	Cols  []Column
	Bytes int64
	// IDs holds each row's id, ascending, if rows were left out when the segment was
	// written; nil when row i has id Base+i.
	IDs []int64
}

// Column is a segment's column: an Arrow array in the type's narrow form, or a
// dictionary and codes, or 64-bit integers for decimals, or runs of any of these.
type Column struct {
	Runs  *Runs // in place of the following; nil when each row has a value of its own
	Arr   arrow.Array
	Dict  *vec.Vector  // flat distinct values; nil when the column has no dictionary
	Codes []int32      // into Dict, -1 for NULL; the memory of Arr's indices
	Ints  *array.Int64 // Arr, where it holds decimals that fit in 64 bits
	Zone  stats.Zone
	held  *mem.Holding // of the memory; columns that share it share this
}

// Sealed is a segment's place in a table: which ids its rows have and which are deleted.
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

// Row finds the row of an id.
func (s *Sealed) Row(id int64) (int, bool) {
	if s.IDs == nil {
		r := id - s.Base
		return int(r), r >= 0 && r < int64(s.Rows)
	}
	i := sort.Search(len(s.IDs), func(i int) bool { return s.IDs[i] >= id })
	return i, i < len(s.IDs) && s.IDs[i] == id
}

// ArrayBytes returns the size of an array's buffers, its dictionary's too.
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

// Bytes returns the memory that the column takes.
func (c *Column) Bytes() int64 {
	if c.Runs != nil {
		return c.Runs.Bytes
	}
	return int64(ArrayBytes(c.Arr))
}

// footprint returns the bytes that the column takes altogether: besides what bytes counts, the
// values of a dictionary as vectors have them and the sketch.
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

// Read makes dst rows [from, to) of the column, as type t says. Dictionary columns
// come as views over the segment's one dictionary vector, runs in the form that suits them.
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

// Flat reads the rows of all columns.
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

// Retyped returns a column whose values are stored alike under another type.
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
