package parquet

import (
	"fmt"

	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage/files/format"
	"gsql/storage/files/nested"
)

// column is a column of a Parquet file, with the conversion of its values to vectors.
type column struct {
	catalog.Column
	node     *schemaNode
	nested   bool // lists, maps and structures, which are converted to JSON
	physical parquet.Type
	width    int // bytes of a FIXED_LEN_BYTE_ARRAY
	optional bool
	form     valueForm
	unsigned bool  // INT32 holds a uint32
	wide     bool  // set for decimals that may have more digits than their type
	mul, div int64 // rescaling of integers: x*mul, or x/div rounded down; 0 means none
}

// valueForm distinguishes FIXED_LEN_BYTE_ARRAYs that are neither bytes nor decimals.
type valueForm uint8

const (
	plainForm valueForm = iota
	halfForm
	uuidForm
	intervalForm
)

// columnsOf maps the top-level fields of the file to columns. Fields whose type gsql does not
// support get type NULL, with the reason in Comment.
func columnsOf(root *schemaNode) []*column {
	cols := make([]*column, len(root.children))
	for i, node := range root.children {
		c := newColumn(node)
		c.NotNull = !node.optional
		if node.repeated || node.leaf < 0 {
			c.nested, c.Type, c.Comment = true, types.T(types.JSON), node.prepare()
			if c.Comment != "" {
				c.Type = types.T(types.Null)
			}
		}
		c.NotNull = c.NotNull && c.Type.ID != types.Null
		cols[i] = c
	}
	format.UniqueNames(len(cols), func(i int) *string { return &cols[i].Name })
	return cols
}

// newColumn maps a single leaf.
func newColumn(node *schemaNode) *column {
	c := &column{node: node, Column: catalog.Column{Name: nested.ToText(node.name)}, physical: node.physical, width: node.width, optional: node.optional}
	if node.leaf < 0 {
		return c
	}
	var ok bool
	if c.Type, ok = c.mapType(node.logical); !ok {
		c.Type, c.Comment = types.T(types.Null), c.unmapped(node.logical)
	}
	return c
}

// prepare maps the leaves below a nested field. It returns the first unsupported type, or "".
func (n *schemaNode) prepare() string {
	if n.leaf >= 0 {
		n.values = newColumn(n)
		return n.values.Comment
	}
	for _, c := range n.children {
		if reason := c.prepare(); reason != "" {
			return reason
		}
	}
	return ""
}

func (c *column) unmapped(l logicalType) string {
	if l.kind == logicalDecimal {
		return fmt.Sprintf("decimal(%d,%d)", l.prec, l.scale)
	}
	return fmt.Sprintf("number %d", c.physical)
}

// mapType returns the type for values of the physical type with an annotation. It ignores
// annotations that do not fit the physical type.
func (c *column) mapType(l logicalType) (types.Type, bool) {
	switch {
	case l.kind == logicalNull:
		return types.T(types.Null), true
	case l.kind == logicalDecimal && c.physical != parquet.Types.Boolean:
		return c.decimalType(l)
	}
	switch c.physical {
	case parquet.Types.Boolean:
		return types.T(types.Bool), true
	case parquet.Types.Float:
		return types.T(types.Float32), true
	case parquet.Types.Double:
		return types.T(types.Float64), true
	case parquet.Types.Int32, parquet.Types.Int64:
		return c.integerType(l), true
	case parquet.Types.Int96:
		return types.Type{ID: types.Datetime, Prec: 6}, true
	case parquet.Types.ByteArray:
		return bytesType(l), true
	case parquet.Types.FixedLenByteArray:
		return c.fixedType(l), true
	}
	return types.Type{}, false
}

func bytesType(l logicalType) types.Type {
	switch l.kind {
	case logicalText:
		return types.T(types.String)
	case logicalJSON:
		return types.T(types.JSON)
	}
	return types.T(types.Bytes)
}

func (c *column) fixedType(l logicalType) types.Type {
	switch {
	case l.kind == logicalHalf && c.width == 2:
		c.form = halfForm
		return types.T(types.Float32)
	case l.kind == logicalUUID && c.width == 16:
		c.form = uuidForm
		return types.Type{ID: types.String, Len: 36}
	case l.kind == logicalInterval && c.width == 12:
		c.form = intervalForm
		return types.T(types.String)
	}
	return types.Type{ID: types.Bytes, Len: uint32(c.width)}
}

// decimalType maps decimals, including those with more digits than DECIMAL allows: values that do
// not fit are errors.
func (c *column) decimalType(l logicalType) (types.Type, bool) {
	ok := l.prec >= 1 && l.scale >= 0 && l.scale <= types.MaxScale && l.scale <= l.prec &&
		c.physical != parquet.Types.Int96 && c.physical != parquet.Types.Float && c.physical != parquet.Types.Double
	c.wide = l.prec > types.MaxPrecision
	return types.Type{ID: types.Decimal, Prec: uint8(min(l.prec, types.MaxPrecision)), Scale: uint8(max(0, min(l.scale, types.MaxScale)))}, ok
}

func (c *column) integerType(l logicalType) types.Type {
	plain := types.T(types.Int64)
	if c.physical == parquet.Types.Int32 {
		plain = types.T(types.Int32)
	}
	switch {
	case l.kind == logicalInteger:
		c.unsigned = !l.signed
		return intType(l.bits, l.signed)
	case l.kind == logicalDate && c.physical == parquet.Types.Int32:
		return types.T(types.Date)
	case l.kind == logicalTime && c.rescale(l.unit):
		return types.Type{ID: types.Time, Prec: 6}
	case l.kind == logicalTimestamp && c.rescale(l.unit):
		id := types.Datetime
		if l.utc {
			id = types.Timestamp
		}
		return types.Type{ID: id, Prec: 6}
	}
	return plain
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

func (c *column) rescale(unit timeUnit) bool {
	switch unit {
	case millis:
		c.mul = 1000
	case nanos:
		c.div = 1000
	}
	return unit != unknownUnit
}
