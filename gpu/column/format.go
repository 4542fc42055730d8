package column

import (
	"math"

	"gsql/sql/types"
)

// Format is how values of a host column are written for the device.
type Format struct {
	Kind Kind
	// Flipped (I64 only) means that the top bit of each value is flipped. This preserves the order
	// of BIGINT UNSIGNED values beyond int64's range and of values compared with them.
	Flipped bool
}

// topBit is the bit that Flipped inverts.
const topBit = math.MinInt64

// Bounds are the least and greatest non-NULL values of a column; if Min > Max there are no values.
// Bounds of unsigned types are stored with the top bit flipped, so that they too are ordered as
// int64. Doubles have no bounds.
type Bounds struct{ Min, Max int64 }

// None returns the bounds of an empty set of values.
var None = Bounds{Min: math.MaxInt64, Max: math.MinInt64}

// Empty reports whether there are no values.
func (b Bounds) Empty() bool { return b.Min > b.Max }

// With returns the bounds of the values of both.
func (b Bounds) With(c Bounds) Bounds { return Bounds{min(b.Min, c.Min), max(b.Max, c.Max)} }

// Between returns the bounds of values of type t from lo to hi, which are encoded as in a
// vec.Vector: unsigned types as the bits of a uint64.
func Between(t types.Type, lo, hi int64) Bounds {
	if t.Kind() == types.KindU64 {
		return Bounds{lo ^ topBit, hi ^ topBit}
	}
	return Bounds{lo, hi}
}

// Any returns bounds that contain every value of type t.
func Any(t types.Type) Bounds {
	bits := t.Bits()
	switch {
	case t.Kind() == types.KindU64:
		return Between(t, 0, int64(uint64(math.MaxUint64)>>(64-bits)))
	case t.ID == types.Year:
		return Bounds{0, math.MaxUint16}
	case bits == 0:
		return Bounds{math.MinInt64, math.MaxInt64}
	}
	return Bounds{math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits)}
}

// Convertible reports whether columns of type t can be in device memory: integers, dates, times and
// doubles can.
func Convertible(t types.Type) bool {
	k := t.Kind()
	return k == types.KindI64 || k == types.KindU64 || k == types.KindF64
}

// Operand describes a host column to FormatOf. Bounds may be wider than the values; Any(Type) is
// always valid.
type Operand struct {
	Type   types.Type
	Bounds Bounds
}

// FormatOf returns the narrowest format that fits all values of all operands, as the two sides of a
// condition require. ok is false if there is none: for doubles with integers, types that are not
// Convertible, and negative numbers with unsigned ones beyond int64's range.
func FormatOf(operands ...Operand) (f Format, ok bool) {
	floats := 0
	negative, beyond, narrow := false, false, true
	for _, o := range operands {
		switch {
		case !Convertible(o.Type):
			return Format{}, false
		case o.Type.Kind() == types.KindF64:
			floats++
			continue
		case o.Bounds.Empty():
			continue
		}
		lo, hi := o.Bounds.Min, o.Bounds.Max
		if o.Type.Kind() == types.KindU64 {
			beyond = beyond || hi >= 0
			lo, hi = lo^topBit, hi^topBit
		} else {
			negative = negative || lo < 0
		}
		narrow = narrow && lo >= math.MinInt32 && hi <= math.MaxInt32 && lo <= hi
	}
	switch {
	case floats > 0:
		return Format{Kind: F64}, floats == len(operands)
	case beyond:
		return Format{Kind: I64, Flipped: true}, !negative
	case narrow:
		return Format{Kind: I32}, true
	}
	return Format{Kind: I64}, true
}
