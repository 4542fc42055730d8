package files

import (
	"fmt"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// parquetColumn is a column of a Parquet file and how its values become vectors.
type parquetColumn struct {
	catalog.Column
	leaf     int // ordinal among the file's leaf columns
	physical parquet.Type
	width    int // bytes of a FIXED_LEN_BYTE_ARRAY
	optional bool
	unsigned bool  // INT32 holds a uint32
	half     bool  // FIXED_LEN_BYTE_ARRAY(2) holds a float16
	mul, div int64 // rescaling of integers: x*mul, or x/div rounded down; 0 for none
	descr    *schema.Column
}

// parquetColumns maps the top-level fields of the file. Fields that gsql has no type
// for keep their place with type NULL and the reason in Comment.
func parquetColumns(sc *schema.Schema) []*parquetColumn {
	root := sc.Root()
	cols := make([]*parquetColumn, root.NumFields())
	for i := range cols {
		node := root.Field(i)
		c := &parquetColumn{leaf: -1, Column: catalog.Column{Name: node.Name(), NotNull: node.RepetitionType() == parquet.Repetitions.Required}}
		cols[i] = c
		prim, ok := node.(*schema.PrimitiveNode)
		if !ok || node.RepetitionType() == parquet.Repetitions.Repeated {
			c.Comment = nestedName(node)
			continue
		}
		c.leaf = sc.ColumnIndexByNode(node)
		c.descr = sc.Column(c.leaf)
		c.physical, c.width = prim.PhysicalType(), prim.TypeLength()
		c.optional = c.descr.MaxDefinitionLevel() > 0
		if c.Type, ok = c.mapType(node.LogicalType()); !ok {
			c.Type, c.Comment = types.T(types.Null), fmt.Sprintf("%s %s", c.physical, node.LogicalType())
		}
	}
	return cols
}

func nestedName(node schema.Node) string {
	switch name := node.LogicalType().String(); name {
	case "None", "":
		return "struct"
	default:
		return name
	}
}

func (c *parquetColumn) mapType(logical schema.LogicalType) (types.Type, bool) {
	if d, ok := logical.(*schema.DecimalLogicalType); ok {
		return c.decimalType(int(d.Precision()), int(d.Scale()))
	}
	switch c.physical {
	case parquet.Types.Boolean:
		return types.T(types.Bool), true
	case parquet.Types.Float:
		return types.T(types.Float32), true
	case parquet.Types.Double:
		return types.T(types.Float64), true
	case parquet.Types.Int32, parquet.Types.Int64:
		return c.integerType(logical)
	case parquet.Types.Int96:
		return types.Type{ID: types.Datetime, Prec: 6}, true
	case parquet.Types.ByteArray:
		return bytesType(logical), true
	case parquet.Types.FixedLenByteArray:
		if _, ok := logical.(schema.Float16LogicalType); ok {
			c.half = c.width == 2
			return types.T(types.Float32), c.half
		}
		return types.Type{ID: types.Bytes, Len: uint32(max(c.width, 0))}, true
	}
	return types.Type{}, false
}

func bytesType(logical schema.LogicalType) types.Type {
	switch logical.(type) {
	case schema.StringLogicalType, schema.EnumLogicalType:
		return types.T(types.String)
	case schema.JSONLogicalType:
		return types.T(types.JSON)
	}
	return types.T(types.Bytes)
}

func (c *parquetColumn) decimalType(prec, scale int) (types.Type, bool) {
	ok := prec >= 1 && prec <= types.MaxPrecision && scale >= 0 && scale <= types.MaxScale && scale <= prec
	return types.Type{ID: types.Decimal, Prec: uint8(prec), Scale: uint8(scale)}, ok
}

func (c *parquetColumn) integerType(logical schema.LogicalType) (types.Type, bool) {
	plain := types.T(types.Int64)
	if c.physical == parquet.Types.Int32 {
		plain = types.T(types.Int32)
	}
	switch l := logical.(type) {
	case *schema.IntLogicalType:
		c.unsigned = !l.IsSigned()
		return intType(int(l.BitWidth()), l.IsSigned()), true
	case schema.DateLogicalType:
		return types.T(types.Date), c.physical == parquet.Types.Int32
	case *schema.TimeLogicalType:
		return types.Type{ID: types.Time, Prec: 6}, c.rescale(l.TimeUnit())
	case *schema.TimestampLogicalType:
		id := types.Datetime
		if l.IsAdjustedToUTC() && !l.IsFromConvertedType() {
			id = types.Timestamp
		}
		return types.Type{ID: id, Prec: 6}, c.rescale(l.TimeUnit())
	case schema.NullLogicalType:
		return types.T(types.String), false
	}
	return plain, true
}

func intType(bits int, signed bool) types.Type {
	id := map[int]types.ID{8: types.Int8, 16: types.Int16, 32: types.Int32}[bits]
	if id == 0 {
		id = types.Int64
	}
	if !signed {
		id += types.Uint8 - types.Int8
	}
	return types.T(id)
}

func (c *parquetColumn) rescale(unit schema.TimeUnitType) bool {
	switch unit {
	case schema.TimeUnitMillis:
		c.mul = 1000
	case schema.TimeUnitNanos:
		c.div = 1000
	case schema.TimeUnitMicros:
	default:
		return false
	}
	return true
}
