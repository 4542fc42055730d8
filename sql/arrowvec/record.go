package arrowvec

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// ToDictionary makes a dictionary array of a view's indexes over its base, with
// 32-bit codes. v must be a View; the caller owns the result.
func ToDictionary(v *vec.Vector, alloc memory.Allocator) (arrow.Array, error) {
	if v.Form != vec.View {
		return nil, sqlerr.Internal("a dictionary array can only be made of a view")
	}
	dict, err := ToArray(v.Base, alloc)
	if err != nil {
		return nil, err
	}
	defer dict.Release()
	var null []bool
	codes := wide(v.Idx[:v.N], alloc)
	out := elements[int32](codes, v.N)
	for i, x := range out {
		if x < 0 {
			if null == nil {
				null = make([]bool, v.N)
			}
			null[i], out[i] = true, 0
		}
	}
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: dict.DataType()}
	return assemble(dt, v.N, null, []*memory.Buffer{codes}, dict.Data(), alloc), nil
}

// Schema gives the Arrow schema of columns with these names and types, all nullable.
func Schema(names []string, ts []types.Type) *arrow.Schema {
	fields := make([]arrow.Field, len(ts))
	for i, t := range ts {
		fields[i] = arrow.Field{Name: names[i], Type: t.Arrow(), Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// ToRecord makes a record of b. Columns whose field in schema is a dictionary are
// made by ToDictionary where they are views; the others by ToArray. The caller owns
// the record.
func ToRecord(schema *arrow.Schema, b *vec.Batch, alloc memory.Allocator) (arrow.Record, error) {
	cols := make([]arrow.Array, 0, len(b.Cols))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, v := range b.Cols {
		convert := ToArray
		if schema.Field(i).Type.ID() == arrow.DICTIONARY {
			convert = ToDictionary
		}
		arr, err := convert(v, alloc)
		if err != nil {
			return nil, err
		}
		cols = append(cols, arr)
	}
	return array.NewRecord(schema, cols, int64(b.N)), nil
}
