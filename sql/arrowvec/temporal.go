package arrowvec

import (
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql/sql/types"
	"gsql/sql/vec"
)

const millisPerDay = 86_400_000

func fromTemporal(arr arrow.Array, t types.Type, from, to int, dst *vec.Vector) error {
	switch a := arr.(type) {
	case *array.Date32:
		dst.I64 = widen32(dst.I64, arrow.Int32Traits.CastFromBytes(arrow.Date32Traits.CastToBytes(a.Date32Values()[from:to])))
		return nil
	case *array.Date64:
		dst.I64 = own(dst.I64, to-from)
		for i, x := range a.Date64Values()[from:to] {
			dst.I64[i] = floorDiv(int64(x), millisPerDay)
		}
		return nil
	case *array.Timestamp:
		return rescale(a.TimestampValues()[from:to], a.DataType().(*arrow.TimestampType).Unit, t, from, dst)
	case *array.Duration:
		return rescale(a.DurationValues()[from:to], a.DataType().(*arrow.DurationType).Unit, t, from, dst)
	case *array.Time64:
		return rescale(a.Time64Values()[from:to], a.DataType().(*arrow.Time64Type).Unit, t, from, dst)
	case *array.Time32:
		factor := types.Second
		if a.DataType().(*arrow.Time32Type).Unit == arrow.Millisecond {
			factor = types.Second / 1000
		}
		dst.I64 = widen(dst.I64, a.Time32Values()[from:to])
		for i := range dst.I64 {
			dst.I64[i] *= factor
		}
		return nil
	}
	return mismatch(arr, t)
}

// rescale converts src to microseconds; values that already are microseconds are shared.
func rescale[T arrow.Timestamp | arrow.Duration | arrow.Time64](src []T, unit arrow.TimeUnit, t types.Type, from int, dst *vec.Vector) error {
	switch unit {
	case arrow.Microsecond:
		dst.I64 = shared(bitsOf(src))
		return nil
	case arrow.Nanosecond:
		dst.I64 = own(dst.I64, len(src))
		for i, x := range src {
			dst.I64[i] = floorDiv(int64(x), 1000)
		}
		return nil
	}
	factor := types.Second
	if unit == arrow.Millisecond {
		factor = types.Second / 1000
	}
	limit := math.MaxInt64 / factor
	dst.I64 = own(dst.I64, len(src))
	for i, x := range src {
		if (int64(x) > limit || int64(x) < -limit) && !(dst.Null != nil && dst.Null[i]) {
			return outOfRange(t, from+i)
		}
		dst.I64[i] = int64(x) * factor
	}
	return nil
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// bitsOf returns 64-bit integers as a slice of int64, without copying.
func bitsOf[T arrow.Timestamp | arrow.Duration | arrow.Time64 | uint64](s []T) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
