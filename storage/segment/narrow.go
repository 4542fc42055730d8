package segment

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage/stats"
)

// narrowData builds data of integers or decimals of 64 bits in fewer bits, or returns nil if the
// type is another one or the values need 64.
func narrowData(t types.Type, parts []*ChunkColumn, zone *stats.Zone) *Data {
	if !t.FitsInt64() && (t.Kind() != types.KindI64 || parts[0].width() != 8) {
		return nil
	}
	width := narrowWidth(zone.Min, zone.Max)
	if width == 8 {
		return nil
	}
	n := 0
	for _, k := range parts {
		n += k.N
	}
	null, nulls := joinNulls(parts, n)
	data := mem.Heap(n * width)
	switch width {
	case 1:
		cutTo(elements[int8](data, n), parts)
	case 2:
		cutTo(elements[int16](data, n), parts)
	default:
		cutTo(elements[int32](data, n), parts)
	}
	return NewNarrow(t, width, n, nulls, null, memory.NewBufferBytes(data))
}

// narrowWidth returns the number of bytes that integers between two bounds need; nil bounds are
// those of no values.
func narrowWidth(lo, hi *catalog.Datum) int {
	if lo == nil {
		return 1
	}
	least, most := integerOf(lo), integerOf(hi)
	switch {
	case least >= math.MinInt8 && most <= math.MaxInt8:
		return 1
	case least >= math.MinInt16 && most <= math.MaxInt16:
		return 2
	case least >= math.MinInt32 && most <= math.MaxInt32:
		return 4
	}
	return 8
}

func integerOf(d *catalog.Datum) int64 {
	if d.Type.Kind() == types.KindDec {
		return int64(d.Dec.LowBits())
	}
	return d.I64
}

// cutTo copies 64-bit values that fit in T. Values under NULLs are truncated.
func cutTo[T int8 | int16 | int32](dst []T, parts []*ChunkColumn) {
	for _, k := range parts {
		to := dst[:k.N]
		for i, x := range elements[int64](k.data, k.N) {
			to[i] = T(x)
		}
		dst = dst[k.N:]
	}
}
