package column

import (
	"errors"
	"math"
	"unsafe"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// ErrRange is Write's error if a value does not fit the format.
var ErrRange = errors.New("a value does not fit the column's format")

// Found describes the values that Write has stored.
type Found struct {
	Nulls int64 // rows
	// Bounds of the values as they are stored; none for doubles.
	Bounds Bounds
}

// Write stores the rows of v at dst, which is aligned to 8 bytes, in f.Kind.Width() bytes each;
// NULL rows become 0. If there are NULL rows, valid then has a byte for every row, as Column.Valid
// does; otherwise its contents are undefined. The type of v must be Convertible.
func (f Format) Write(dst, valid []byte, v *vec.Vector) (Found, error) {
	if v.N == 0 {
		return Found{Bounds: None}, nil
	}
	src := source{v: v, null: v.Null, valid: valid[:v.N]}
	if v.Form == vec.View {
		src.v, src.null, src.idx = v.Base, v.Base.Null, v.Idx[:v.N]
	}
	if f.Kind == F64 {
		if v.Type.Kind() != types.KindF64 {
			return Found{}, sqlerr.Internal("%s written as doubles", v.Type)
		}
		return Found{Nulls: src.floats(numbers[float64](dst, v.N)), Bounds: None}, nil
	}
	if k := v.Type.Kind(); k != types.KindI64 && k != types.KindU64 {
		return Found{}, sqlerr.Internal("%s written as integers", v.Type)
	}
	var found Found
	if f.Kind == I32 {
		found = ints(&src, numbers[int32](dst, v.N), 0)
	} else {
		found = ints(&src, numbers[int64](dst, v.N), f.flip())
	}
	if !f.holds(v.Type, found.Bounds) {
		return found, ErrRange
	}
	return found, nil
}

func (f Format) flip() int64 {
	if f.Flipped {
		return topBit
	}
	return 0
}

// holds reports whether values of type t with stored bounds b fit the format.
func (f Format) holds(t types.Type, b Bounds) bool {
	switch {
	case b.Empty():
		return true
	case f.Flipped:
		return t.Kind() == types.KindU64 || b.Max < 0 // that is, no value is negative
	case t.Kind() == types.KindU64 && b.Min < 0: // beyond int64's range
		return false
	}
	return f.Kind == I64 || b.Min >= math.MinInt32 && b.Max <= math.MaxInt32
}

// numbers views a buffer as n numbers. Devices are little-endian, and so are the hosts that have
// them.
func numbers[T int32 | int64 | float64 | unsigned](b []byte, n int) []T {
	var zero T
	b = b[:n*int(unsafe.Sizeof(zero))]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// source describes the rows of a vector: all rows of v or, if idx is set, the rows that idx lists,
// where a negative number means NULL.
type source struct {
	v     *vec.Vector
	null  []bool
	idx   []int32
	valid []byte // where the flags go
}

// ints stores the rows with the bits of flip inverted.
func ints[D int32 | int64](s *source, dst []D, flip int64) Found {
	switch {
	case s.idx != nil:
		return intsOf(s, dst, flip)
	case s.v.Form == vec.Const:
		return constant(s, dst, s.v.I64[0]^flip)
	case s.null != nil:
		return intsOrNull(s, dst, flip)
	}
	return Found{Bounds: plainInts(dst, s.v.I64, flip)}
}

// plainInts stores at least one row of a vector without NULLs. One comparison suffices for most
// values, which are within the bounds found so far.
func plainInts[D int32 | int64](dst []D, src []int64, flip int64) Bounds {
	src = src[:len(dst)]
	b := Bounds{src[0] ^ flip, src[0] ^ flip}
	width := uint64(0)
	for i := range dst {
		x := src[i] ^ flip
		dst[i] = D(x)
		if uint64(x-b.Min) > width {
			b = Bounds{min(b.Min, x), max(b.Max, x)}
			width = uint64(b.Max - b.Min)
		}
	}
	return b
}

func intsOrNull[D int32 | int64](s *source, dst []D, flip int64) Found {
	found := Found{Bounds: None}
	src, null, valid := s.v.I64[:len(dst)], s.null[:len(dst)], s.valid[:len(dst)]
	for i := range dst {
		if null[i] {
			dst[i], valid[i] = 0, 0
			found.Nulls++
			continue
		}
		x := src[i] ^ flip
		dst[i], valid[i] = D(x), 1
		found.Bounds = Bounds{min(found.Bounds.Min, x), max(found.Bounds.Max, x)}
	}
	return found
}

func intsOf[D int32 | int64](s *source, dst []D, flip int64) Found {
	found := Found{Bounds: None}
	src := s.v.I64
	for i, row := range s.idx {
		if row < 0 || s.null != nil && s.null[row] {
			dst[i], s.valid[i] = 0, 0
			found.Nulls++
			continue
		}
		x := src[row] ^ flip
		dst[i], s.valid[i] = D(x), 1
		found.Bounds = Bounds{min(found.Bounds.Min, x), max(found.Bounds.Max, x)}
	}
	return found
}

// constant stores x, or NULL, in every row.
func constant[D int32 | int64](s *source, dst []D, x int64) Found {
	if s.null != nil && s.null[0] {
		clear(dst)
		clear(s.valid)
		return Found{Nulls: int64(len(dst)), Bounds: None}
	}
	for i := range dst {
		dst[i] = D(x)
	}
	return Found{Bounds: Bounds{x, x}}
}

// floats stores the rows and returns how many are NULL. Adding 0 turns negative zeros into positive
// ones.
func (s *source) floats(dst []float64) (nulls int64) {
	switch {
	case s.idx != nil:
		return s.floatsOf(dst)
	case s.v.Form == vec.Const && s.null != nil && s.null[0]:
		clear(dst)
		clear(s.valid)
		return int64(len(dst))
	case s.v.Form == vec.Const:
		for i := range dst {
			dst[i] = s.v.F64[0] + 0
		}
	case s.null != nil:
		return s.floatsOrNull(dst)
	default:
		for i, x := range s.v.F64[:len(dst)] {
			dst[i] = x + 0
		}
	}
	return 0
}

func (s *source) floatsOrNull(dst []float64) (nulls int64) {
	src, null, valid := s.v.F64[:len(dst)], s.null[:len(dst)], s.valid[:len(dst)]
	for i := range dst {
		if null[i] {
			dst[i], valid[i] = 0, 0
			nulls++
			continue
		}
		dst[i], valid[i] = src[i]+0, 1
	}
	return nulls
}

func (s *source) floatsOf(dst []float64) (nulls int64) {
	src := s.v.F64
	for i, row := range s.idx {
		if row < 0 || s.null != nil && s.null[row] {
			dst[i], s.valid[i] = 0, 0
			nulls++
			continue
		}
		dst[i], s.valid[i] = src[row]+0, 1
	}
	return nulls
}
