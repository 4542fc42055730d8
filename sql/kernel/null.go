package kernel

import "gsql/sql/vec"

// SetAllNull makes all rows NULL. nulls is a buffer for v.Null, or nil.
func SetAllNull(v *vec.Vector, nulls []bool) {
	v.Null = Resize(nulls, v.N)
	for i := range v.Null {
		v.Null[i] = true
	}
}

// IsNull reports whether the result of row i is known to be NULL.
func (rt *Runtime) IsNull(out *vec.Vector, i int) bool { return out.Null != nil && out.Null[i] }

// NullAt reports whether row i of an argument is NULL.
func NullAt(a *vec.Vector, i int) bool { return a.Null != nil && a.Null[i&Mask(a)] }
