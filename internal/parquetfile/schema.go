package parquetfile

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// groupNode returns the Parquet schema of the columns of s, a flat group.
func groupNode(s *arrow.Schema) (*schema.GroupNode, error) {
	fields := make(schema.FieldList, s.NumFields())
	for i, f := range s.Fields() {
		physical, logical, length, err := parquetType(f.Type)
		if err != nil {
			return nil, fmt.Errorf("parquetfile: column %s: %w", f.Name, err)
		}
		repetition := parquet.Repetitions.Required
		if f.Nullable {
			repetition = parquet.Repetitions.Optional
		}
		if fields[i], err = schema.NewPrimitiveNodeLogical(f.Name, repetition, logical, physical, length, -1); err != nil {
			return nil, fmt.Errorf("parquetfile: column %s: %w", f.Name, err)
		}
	}
	return schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
}

// parquetType returns the physical and the logical type that store values of dt, and the length in
// bytes of those of fixed length (https://github.com/apache/parquet-format, LogicalTypes.md).
func parquetType(dt arrow.DataType) (parquet.Type, schema.LogicalType, int, error) {
	switch dt := dt.(type) {
	case *arrow.BooleanType:
		return parquet.Types.Boolean, schema.NoLogicalType{}, 0, nil
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type:
		return parquet.Types.Int32, schema.NewIntLogicalType(int8(dt.(arrow.FixedWidthDataType).BitWidth()), true), 0, nil
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type:
		return parquet.Types.Int32, schema.NewIntLogicalType(int8(dt.(arrow.FixedWidthDataType).BitWidth()), false), 0, nil
	case *arrow.Int64Type:
		return parquet.Types.Int64, schema.NewIntLogicalType(64, true), 0, nil
	case *arrow.Uint64Type:
		return parquet.Types.Int64, schema.NewIntLogicalType(64, false), 0, nil
	case *arrow.Float32Type:
		return parquet.Types.Float, schema.NoLogicalType{}, 0, nil
	case *arrow.Float64Type:
		return parquet.Types.Double, schema.NoLogicalType{}, 0, nil
	case *arrow.StringType:
		return parquet.Types.ByteArray, schema.StringLogicalType{}, 0, nil
	case *arrow.BinaryType:
		return parquet.Types.ByteArray, schema.NoLogicalType{}, 0, nil
	case *arrow.Date32Type:
		return parquet.Types.Int32, schema.DateLogicalType{}, 0, nil
	case *arrow.TimestampType:
		if dt.Unit == arrow.Microsecond {
			return parquet.Types.Int64, schema.NewTimestampLogicalTypeForce(dt.TimeZone != "", schema.TimeUnitMicros), 0, nil
		}
	case *arrow.Time64Type:
		if dt.Unit == arrow.Microsecond {
			return parquet.Types.Int64, schema.NewTimeLogicalType(true, schema.TimeUnitMicros), 0, nil
		}
	case *arrow.Decimal128Type:
		physical, length := decimalStorage(dt.Precision)
		return physical, schema.NewDecimalLogicalType(dt.Precision, dt.Scale), length, nil
	}
	return 0, nil, 0, fmt.Errorf("columns of type %v cannot be written", dt)
}

// decimalStorage returns the narrowest physical type for decimals of that precision: an integer up
// to 18 digits, which readers decode fastest, else as many bytes as the digits need.
func decimalStorage(precision int32) (parquet.Type, int) {
	switch {
	case precision <= 9:
		return parquet.Types.Int32, 0
	case precision <= 18:
		return parquet.Types.Int64, 0
	}
	return parquet.Types.FixedLenByteArray, decimalBytes(precision)
}

// decimalBytes returns the least number of bytes whose two's complement holds all numbers of that
// many digits: a digit takes 3.3220 bits, and the sign one.
func decimalBytes(precision int32) int {
	return (int(precision)*33220/10000 + 1 + 1 + 7) / 8
}
