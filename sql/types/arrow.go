package types

import (
	"github.com/apache/arrow/go/v17/arrow"
)

// Arrow returns the Arrow type in which columns of t are stored and returned. Dictionary encoding
// of strings is a separate storage choice.
func (t Type) Arrow() arrow.DataType {
	switch t.ID {
	case Null:
		return arrow.Null
	case Bool:
		return arrow.FixedWidthTypes.Boolean
	case Int8:
		return arrow.PrimitiveTypes.Int8
	case Int16, Year:
		return arrow.PrimitiveTypes.Int16
	case Int32:
		return arrow.PrimitiveTypes.Int32
	case Int64:
		return arrow.PrimitiveTypes.Int64
	case Uint8:
		return arrow.PrimitiveTypes.Uint8
	case Uint16:
		return arrow.PrimitiveTypes.Uint16
	case Uint32:
		return arrow.PrimitiveTypes.Uint32
	case Uint64:
		return arrow.PrimitiveTypes.Uint64
	case Float32:
		return arrow.PrimitiveTypes.Float32
	case Float64:
		return arrow.PrimitiveTypes.Float64
	case Decimal:
		return &arrow.Decimal128Type{Precision: int32(t.Prec), Scale: int32(t.Scale)}
	case Bytes:
		return arrow.BinaryTypes.Binary
	case Date:
		return arrow.FixedWidthTypes.Date32
	case Datetime:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case Timestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	case Time:
		return arrow.FixedWidthTypes.Duration_us
	}
	return arrow.BinaryTypes.String
}

// FromArrow returns the gsql type for an Arrow type. Times in seconds, milliseconds and
// nanoseconds are accepted; readers rescale them. ok is false for nested types and others without
// a gsql equivalent.
func FromArrow(dt arrow.DataType) (t Type, ok bool) {
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		return FromArrow(dt.ValueType)
	case *arrow.Decimal128Type:
		ok := dt.Precision >= 1 && dt.Precision <= MaxPrecision && dt.Scale >= 0 && dt.Scale <= MaxPrecision
		return Type{ID: Decimal, Prec: uint8(dt.Precision), Scale: uint8(dt.Scale)}, ok
	case *arrow.Decimal256Type:
		return Dec(int(dt.Precision), int(dt.Scale)), dt.Scale >= 0 && dt.Precision <= MaxPrecision
	case *arrow.TimestampType:
		id := Datetime
		if dt.TimeZone != "" {
			id = Timestamp
		}
		return Type{ID: id, Prec: 6}, true
	case *arrow.DurationType:
		return Type{ID: Time, Prec: 6}, true
	case *arrow.FixedSizeBinaryType:
		return Type{ID: Bytes, Len: uint32(dt.ByteWidth)}, true
	}
	id, ok := fromArrowID[dt.ID()]
	t = T(id)
	if id == Time || id == Datetime {
		t.Prec = 6
	}
	return t, ok
}

var fromArrowID = map[arrow.Type]ID{
	arrow.NULL: Null, arrow.BOOL: Bool, arrow.INT8: Int8, arrow.INT16: Int16, arrow.INT32: Int32, arrow.INT64: Int64,
	arrow.UINT8: Uint8, arrow.UINT16: Uint16, arrow.UINT32: Uint32, arrow.UINT64: Uint64,
	arrow.FLOAT16: Float32, arrow.FLOAT32: Float32, arrow.FLOAT64: Float64,
	arrow.STRING: String, arrow.LARGE_STRING: String, arrow.BINARY: Bytes, arrow.LARGE_BINARY: Bytes,
	arrow.STRING_VIEW: String, arrow.BINARY_VIEW: Bytes,
	arrow.DATE32: Date, arrow.DATE64: Date, arrow.TIME32: Time, arrow.TIME64: Time,
}
