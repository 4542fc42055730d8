package column

import (
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Measure returns the bounds of the non-NULL values of v. Vectors of doubles and of types that are
// not Convertible have none.
func Measure(v *vec.Vector) Bounds {
	if v.N == 0 {
		return None
	}
	var flip int64
	switch v.Type.Kind() {
	case types.KindI64:
	case types.KindU64:
		flip = topBit
	default:
		return None
	}
	if v.Form == vec.View {
		return measureOf(v, flip)
	}
	b := None
	for i, x := range v.I64[:v.Slots()] {
		if v.Null == nil || !v.Null[i] {
			b = b.With(Bounds{x ^ flip, x ^ flip})
		}
	}
	return b
}

func measureOf(v *vec.Vector, flip int64) Bounds {
	b := None
	for _, row := range v.Idx[:v.N] {
		if row >= 0 && (v.Base.Null == nil || !v.Base.Null[row]) {
			x := v.Base.I64[row] ^ flip
			b = b.With(Bounds{x, x})
		}
	}
	return b
}
