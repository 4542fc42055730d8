package column

import (
	"math"

	"gsql/sql/types"
)

// Format is how values of a host column are written for the device.
type Format struct {
	Kind Kind
	// Flipped (I64 only) means that the top bit of each value is flipped. BIGINT UNSIGNED
	// values beyond int64's range, and the values compared with them, keep their order this
	// way.
	Flipped bool
}

// topBit is what Flipped turns over.
const topBit = math.MinInt64

// Bounds are the least and the greatest of a column's values that are not NULL; there is
// none where Min > Max. Those of unsigned types are held with the top bit flipped, so that
// their order is that of int64, too. Doubles have no bounds.
type Bounds struct{ Min, Max int64 }

// None is the bounds of no value.
var None = Bounds{Min: math.MaxInt64, Max: math.MinInt64}

// Empty reports that there is no value.
func (b Bounds) Empty() bool { return b.Min > b.Max }

// With is the bounds of the values of both.
func (b Bounds) With(c Bounds) Bounds { return Bounds{min(b.Min, c.Min), max(b.Max, c.Max)} }

// Between is the bounds of values of type t from lo to hi, which are as in a vec.Vector:
// those of unsigned types are the bits of a uint64.
func Between(t types.Type, lo, hi int64) Bounds {
	if t.Kind() == types.KindU64 {
		return Bounds{lo ^ topBit, hi ^ topBit}
	}
	return Bounds{lo, hi}
}

// Any is the bounds that every value of type t keeps.
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

// Convertible reports whether columns of type t can be in device memory: integers, dates,
// times and doubles can.
func Convertible(t types.Type) bool {
	k := t.Kind()
	return k == types.KindI64 || k == types.KindU64 || k == types.KindF64
}

// Operand is a host column as FormatOf sees it. Bounds may be wider than the values are;
// Any(Type) always does.
type Operand struct {
	Type   types.Type
	Bounds Bounds
}

// FormatOf returns the narrowest format that all values of all operands have in common, as the
// two sides of a condition need it. ok is false if there is none: doubles with integers,
// types that are not Convertible, negative numbers with unsigned ones beyond int64's range.
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
