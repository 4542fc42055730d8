package segment

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/internal/mem"
	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Data are the values of a column: an Arrow array in the type's narrow form, integers for decimals, a
// dictionary with codes, or runs of any of these. Integers and decimals of 64 bits are stored in
// fewer if all values fit. Data are immutable.
type Data struct {
	Runs  *Runs        // nil if each row has its own value
	Arr   arrow.Array  // nil if there are Runs or a dictionary
	Dict  *vec.Vector  // flat distinct values; nil if the column has no dictionary
	Codes []int32      // into Dict, -1 for NULL
	Ints  arrow.Array  // equal to Arr if that holds decimals that fit in 64 bits
	text  int64        // bytes of Dict's strings and their offsets
	held  *mem.Holding // charge for the memory; shared by data that share memory
}

// ArrayBytes returns the size of an array's buffers.
func ArrayBytes(a arrow.Array) int {
	total := 0
	for _, b := range a.Data().Buffers() {
		if b != nil {
			total += b.Len()
		}
	}
	return total
}

// NewPlain returns data of type t with one value for each of n rows, of which nulls are NULL. The
// buffers are those of the Arrow array, the first of which may be nil if there are no NULLs.
func NewPlain(t types.Type, n, nulls int, buffers ...*memory.Buffer) *Data {
	if t.FitsInt64() {
		return newIntegers(t, arrow.PrimitiveTypes.Int64, n, nulls, buffers)
	}
	return &Data{Arr: array.MakeFromData(array.NewData(t.Arrow(), n, buffers, nil, nulls, 0))}
}

// NewNarrow is NewPlain for integers that take fewer bytes than those of type t: 1, 2 or 4.
func NewNarrow(t types.Type, width, n, nulls int, null, values *memory.Buffer) *Data {
	dt := arrow.PrimitiveTypes.Int32
	switch width {
	case 1:
		dt = arrow.PrimitiveTypes.Int8
	case 2:
		dt = arrow.PrimitiveTypes.Int16
	}
	return newIntegers(t, dt, n, nulls, []*memory.Buffer{null, values})
}

func newIntegers(t types.Type, dt arrow.DataType, n, nulls int, buffers []*memory.Buffer) *Data {
	d := &Data{Arr: array.MakeFromData(array.NewData(dt, n, buffers, nil, nulls, 0))}
	if t.FitsInt64() {
		d.Ints = d.Arr
	}
	return d
}

// NewDictionary returns data of type t whose rows have the values of an array with these codes, or
// are NULL where the code is -1.
func NewDictionary(t types.Type, values arrow.Array, codes []int32) (*Data, error) {
	dict, text, err := dictionaryOver(t, values)
	if err != nil {
		return nil, err
	}
	return &Data{Dict: dict, Codes: codes, text: text}, nil
}

// Bytes returns the bytes held by the data.
func (d *Data) Bytes() int64 {
	switch {
	case d.Runs != nil:
		return d.Runs.Bytes
	case d.Dict != nil:
		return d.text + 4*int64(len(d.Codes))
	}
	return int64(ArrayBytes(d.Arr))
}

// Footprint returns all bytes held by the data: those counted by Bytes, and the string headers of
// a dictionary vector.
func (d *Data) Footprint() int64 {
	dict := d.Dict
	if d.Runs != nil && d.Runs.values.Form == vec.View {
		dict = d.Runs.values.Base
	}
	n := d.Bytes()
	if dict != nil {
		n += int64(dict.N) * SlotBytes(types.KindStr)
	}
	return n
}

// Hold makes the data keep a charge for their memory.
func (d *Data) Hold(h *mem.Holding) { d.held = h }

// Read sets dst to rows [from, to) of the column. Dictionary columns are returned as views over
// the segment's only dictionary vector, runs in the form that suits them.
func (d *Data) Read(def *catalog.Column, from, to int, dst *vec.Vector) error {
	if d.Runs != nil {
		*dst = *d.Runs.Read(def.Type, from, to, nil, false, new(Expansion))
		return nil
	}
	if d.Dict != nil {
		*dst = vec.Vector{Type: def.Type, Form: vec.View, N: to - from, Base: d.Dict, Idx: d.Codes[from:to:to]}
		return nil
	}
	if d.Ints != nil {
		arrowvec.Widen(d.Ints, def.Type, from, to, dst)
		return nil
	}
	return arrowvec.FromArray(d.Arr, def.Type, from, to, dst)
}

// Stored returns rows [from, to) as they are stored, or Stored{} if they are not there in that form or have NULLs.
func (d *Data) Stored(from, to int) (out catalog.Stored) {
	arr := d.Arr
	if d.Ints != nil {
		arr = d.Ints
	}
	if d.Runs != nil || d.Dict != nil || arr == nil || arr.NullN() > 0 {
		return out
	}
	switch a := arr.(type) {
	case *array.Int8:
		out.I8 = a.Int8Values()[from:to]
	case *array.Int16:
		out.I16 = a.Int16Values()[from:to]
	case *array.Int32:
		out.I32 = a.Int32Values()[from:to]
	case *array.Date32:
		out.I32 = arrow.Int32Traits.CastFromBytes(arrow.Date32Traits.CastToBytes(a.Date32Values()[from:to]))
	}
	return out
}

// Retyped returns the data under another type whose values are stored in the same way.
func (d *Data) Retyped(t types.Type) *Data {
	out := *d
	if d.Dict != nil && d.Dict.Type != t {
		dict := *d.Dict
		dict.Type = t
		out.Dict = &dict
	}
	if d.Runs != nil && d.Runs.values.Type != t {
		out.Runs = d.Runs.retyped(t)
	}
	return &out
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
