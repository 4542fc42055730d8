package segfile

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage/segfile/pack"
	"gsql/storage/stats"
)

// boundBytes is the length to which bounds of texts are cut, if that leaves them bounds.
const boundBytes = 32

// A side of a range.
type side int

const (
	lower side = iota
	upper
)

// appendBound appends a bound of a column's values.
func appendBound(dst []byte, d *catalog.Datum, at side) []byte {
	switch d.Type.Kind() {
	case types.KindF64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(d.F64))
	case types.KindDec:
		dst = binary.AppendVarint(dst, d.Dec.HighBits())
		return binary.AppendUvarint(dst, d.Dec.LowBits())
	case types.KindStr:
		s := cut(d.Str, at)
		return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
	}
	return binary.AppendVarint(dst, d.I64)
}

// readBound reads a bound of values of type t.
func readBound(r *pack.Reader, t types.Type) catalog.Datum {
	d := catalog.Datum{Type: t}
	switch t.Kind() {
	case types.KindF64:
		if b := r.Take(8); b != nil {
			d.F64 = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	case types.KindDec:
		high := r.Varint()
		d.Dec = decimal128.New(high, r.Uvarint())
	case types.KindStr:
		d.Str = string(r.Take(r.Count(math.MaxInt32)))
	default:
		d.I64 = r.Varint()
	}
	return d
}

// cut shortens a bound of texts.
func cut(s string, at side) string {
	if at == lower {
		return stats.CutLower(s, boundBytes)
	}
	return stats.CutUpper(s, boundBytes)
}
