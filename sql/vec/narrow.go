package vec

import "github.com/apache/arrow/go/v17/arrow/decimal128"

// IsNarrow reports whether v, or the base of a view, is Narrow.
func (v *Vector) IsNarrow() bool {
	return v.Narrow || v.Form == View && v.Base.Narrow
}

// ResizeNarrow is Resize for a Narrow vector. v keeps the buffers of its wide form.
func (v *Vector) ResizeNarrow(n int) {
	v.Resize(0)
	v.N, v.Narrow, v.I64 = n, true, grow(v.I64, n)
}

// Tighten is Flatten for consumers that accept Narrow vectors: a Narrow vector stays Narrow.
func (v *Vector) Tighten(dst *Vector) *Vector {
	switch {
	case v.Form == Flat:
		return v
	case !v.IsNarrow():
		return v.Flatten(dst)
	case dst == nil:
		dst = &Vector{}
	}
	nulls := dst.Null
	dst.Type = v.Type
	dst.ResizeNarrow(v.N)
	gatherNulls(dst, v, nulls)
	gather(dst.I64, v.Base.I64, v)
	return dst
}

// widen writes the values of the Narrow vector v to dst, which has the same type and number of
// rows.
func (v *Vector) widen(dst *Vector, nulls []bool) *Vector {
	if v.Form == Flat {
		if v.Null != nil {
			dst.Null = append(nulls[:0], v.Null...)
		}
		for i, x := range v.I64[:v.N] {
			dst.Dec[i] = decimal128.FromI64(x)
		}
		return dst
	}
	gatherNulls(dst, v, nulls)
	for i, x := range v.Idx {
		if uint32(x) < uint32(len(v.Base.I64)) {
			dst.Dec[i] = decimal128.FromI64(v.Base.I64[x])
		} else {
			dst.Dec[i] = decimal128.Num{}
		}
	}
	return dst
}
