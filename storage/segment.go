package storage

import (
	"sort"

	"gsql/storage/rowset"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql/internal/mem"
	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/stats"
)

// Segments are sealed at segmentRows rows (tests use fewer), or earlier when their
// strings get close to what 32-bit Arrow offsets can address.
const (
	segmentRows  = 128 << 10
	segmentBytes = 1 << 28
)

// segment is an immutable run of rows.
type segment struct {
	rows  int
	cols  []column
	bytes int64
	// ids gives each row's id, ascending, where rows were left out when the segment was
	// written; nil when row i has id base+i.
	ids []int64
}

// column is a segment's column: an Arrow array in the type's narrow form, or a
// dictionary and codes, or 64-bit integers for decimals, or runs of any of these.
type column struct {
	runs  *runs // in place of the following; nil when each row has a value of its own
	arr   arrow.Array
	dict  *vec.Vector  // flat distinct values; nil when the column has no dictionary
	codes []int32      // into dict, -1 for NULL; the memory of arr's indices
	ints  *array.Int64 // arr, where it holds decimals that fit in 64 bits
	zone  stats.Zone
	held  *mem.Holding // of the memory; columns that share it share this
}

// sealed is a segment's place in a table: which ids its rows have and which are deleted.
type sealed struct {
	*segment
	base int64
	del  *rowset.Deletions
}

// rowID returns the id of a row.
func (s *sealed) rowID(row int) int64 {
	if s.ids != nil {
		return s.ids[row]
	}
	return s.base + int64(row)
}

// row finds the row of an id.
func (s *sealed) row(id int64) (int, bool) {
	if s.ids == nil {
		r := id - s.base
		return int(r), r >= 0 && r < int64(s.rows)
	}
	i := sort.Search(len(s.ids), func(i int) bool { return s.ids[i] >= id })
	return i, i < len(s.ids) && s.ids[i] == id
}

// arrayBytes returns the size of an array's buffers, its dictionary's too.
func arrayBytes(a arrow.Array) int {
	total := 0
	for _, b := range a.Data().Buffers() {
		if b != nil {
			total += b.Len()
		}
	}
	if d, ok := a.(*array.Dictionary); ok {
		total += arrayBytes(d.Dictionary())
	}
	return total
}

// bytes returns the memory that the column takes.
func (c *column) bytes() int64 {
	if c.runs != nil {
		return c.runs.bytes
	}
	return int64(arrayBytes(c.arr))
}

// footprint returns the bytes that the column takes altogether: beside what bytes counts, the
// values of a dictionary as vectors have them and the sketch.
func (c *column) footprint() int64 {
	dict := c.dict
	if c.runs != nil && c.runs.values.Form == vec.View {
		dict = c.runs.values.Base
	}
	n := c.bytes()
	if dict != nil {
		n += int64(dict.N) * slotBytes(types.KindStr)
	}
	return n + c.zone.Sketch.Footprint()
}

// read makes dst rows [from, to) of the column, as type t says. Dictionary columns
// come as views over the segment's one dictionary vector, runs in the form that suits them.
func (c *column) read(def *catalog.Column, from, to int, dst *vec.Vector) error {
	if c.runs != nil {
		*dst = *c.runs.read(def.Type, from, to, nil, false, new(expansion))
		return nil
	}
	if c.dict != nil {
		*dst = vec.Vector{Type: def.Type, Form: vec.View, N: to - from, Base: c.dict, Idx: c.codes[from:to:to]}
		return nil
	}
	if c.ints != nil {
		arrowvec.Widen(c.ints, def.Type, from, to, dst)
		return nil
	}
	return arrowvec.FromArray(c.arr, def.Type, from, to, dst)
}

// flat reads the rows of all columns.
func (s *segment) flat(schema *catalog.Schema) ([]*vec.Vector, error) {
	cols := make([]*vec.Vector, len(s.cols))
	for i := range cols {
		var col vec.Vector
		if err := s.cols[i].read(&schema.Columns[i], 0, s.rows, &col); err != nil {
			return nil, err
		}
		cols[i] = col.Flatten(nil)
	}
	return cols, nil
}
