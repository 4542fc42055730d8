package format

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Records converts batches to Arrow records for the writers of Parquet and Arrow files.
type Records struct {
	Schema *arrow.Schema
	types  []types.Type
}

// NewRecords returns the converter for batches of cols. TIME columns get timeType, which differs
// between the formats.
func NewRecords(cols []catalog.Column, timeType arrow.DataType) Records {
	r := Records{}
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = arrow.Field{Name: c.Name, Type: Writable(c.Type).Arrow(), Nullable: !c.NotNull}
		if c.Type.ID == types.Time {
			fields[i].Type = timeType
		}
		r.types = append(r.types, Writable(c.Type))
	}
	r.Schema = arrow.NewSchema(fields, nil)
	return r
}

// Record returns the rows of b as a record, which the caller must release. The error is 1048 for
// a NULL in a NOT NULL column.
func (r *Records) Record(b *vec.Batch) (arrow.Record, error) {
	cols := make([]arrow.Array, len(b.Cols))
	for i, v := range b.Cols {
		if v.Type.Kind() == types.KindNull {
			v = vec.NewNull(r.types[i], b.N)
		}
		arr, err := arrowvec.ToArray(v, memory.DefaultAllocator)
		if err != nil {
			return nil, err
		}
		if f := r.Schema.Field(i); arr.NullN() > 0 && !f.Nullable {
			return nil, sqlerr.New(sqlerr.BadNull, "Column '%s' cannot be null", f.Name)
		}
		cols[i] = relabel(arr, r.Schema.Field(i).Type)
	}
	return array.NewRecord(r.Schema, cols, int64(b.N)), nil
}

// relabel changes the type of a TIME column's array, which holds microseconds in every format, to
// the format's own type.
func relabel(arr arrow.Array, dt arrow.DataType) arrow.Array {
	if arrow.TypeEqual(arr.DataType(), dt) {
		return arr
	}
	d := arr.Data()
	return array.MakeFromData(array.NewData(dt, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset()))
}
