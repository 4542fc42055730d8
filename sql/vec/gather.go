package vec

import (
	"gsql/internal/simd"
	"gsql/sql/types"
)

// Select returns the rows idx of b as views; a negative index yields a row of NULLs. Columns that
// are views over the same index slice share one composed index. No values are copied, so idx must
// not change while the result is in use.
func Select(b *Batch, idx []int32) *Batch {
	out := &Batch{Cols: make([]*Vector, len(b.Cols)), N: len(idx), Morsel: b.Morsel}
	c := Composer{views: make([]Vector, len(b.Cols))}
	for i, col := range b.Cols {
		out.Cols[i] = c.View(col, idx)
	}
	return out
}

// Selector is a reusable Select that keeps its memory from batch to batch. The zero value is
// ready to use.
type Selector struct {
	views Composer
	batch Batch
}

// Select returns the rows idx of b as views, valid until the next call. Columns that are nil in b
// stay nil.
func (s *Selector) Select(b *Batch, idx []int32) *Batch {
	s.views.Reset()
	s.batch.Cols = grow(s.batch.Cols, len(b.Cols))
	s.batch.N, s.batch.Morsel = len(idx), b.Morsel
	for i, col := range b.Cols {
		s.batch.Cols[i] = nil
		if col != nil {
			s.batch.Cols[i] = s.views.View(col, idx)
		}
	}
	return &s.batch
}

// Composer makes views and remembers the last composed index, so that columns over the same index
// slice are composed once. The zero value is ready to use. Index slices must not change until
// Reset.
type Composer struct {
	inner, outer, composed []int32
	made                   [][]int32 // indexes composed since Reset, in use
	spare                  [][]int32 // indexes that may be reused
	views                  []Vector  // memory for views, allocated several at a time
	used                   int       // number of views in use
}

// viewsAtOnce is the smallest number of views allocated together.
const viewsAtOnce = 8

// view returns a copy of v in c's memory.
func (c *Composer) view(v Vector) *Vector {
	if c.used == len(c.views) { // views already returned stay in the old slice
		c.views, c.used = make([]Vector, max(viewsAtOnce, 2*c.used)), 0
	}
	out := &c.views[c.used]
	c.used++
	*out = v
	return out
}

// Reset prepares c for new indexes. All views made so far become invalid: their memory and
// composed indexes are reused.
func (c *Composer) Reset() {
	c.inner, c.outer, c.composed = nil, nil, nil
	c.spare = append(c.spare, c.made...)
	c.made, c.used = c.made[:0], 0
}

// Expect allocates memory for n views. Without it, memory grows by a few views at a time.
func (c *Composer) Expect(n int) {
	if c.used+n > len(c.views) {
		c.views, c.used = make([]Vector, n), 0
	}
}

// index returns an index slice with n elements.
func (c *Composer) index(n int) []int32 {
	var s []int32
	if k := len(c.spare); k > 0 {
		s, c.spare = c.spare[k-1], c.spare[:k-1]
	}
	s = grow(s, n)
	c.made = append(c.made, s)
	return s
}

// View returns rows idx of v. Constant vectors stay constant unless idx may be negative; then
// they become views.
func (c *Composer) View(v *Vector, idx []int32) *Vector {
	switch v.Form {
	case Const:
		if !anyNegative(idx) {
			w := *v
			w.N = len(idx)
			return &w
		}
		zero := make([]int32, len(idx))
		for i, x := range idx {
			if x < 0 {
				zero[i] = -1
			}
		}
		base := *v
		base.Form, base.N = Flat, 1
		return &Vector{Type: v.Type, Form: View, N: len(idx), Base: &base, Idx: zero}
	case View:
		if v.Ends != nil {
			if at, ends, ok := c.composeRuns(v, idx); ok {
				return c.view(Vector{Type: v.Type, Form: View, N: len(idx), Base: v.Base, Idx: at, Ends: ends})
			}
		}
		return c.view(Vector{Type: v.Type, Form: View, N: len(idx), Base: v.Base, Idx: c.compose(v.Idx, idx)})
	}
	return c.view(Vector{Type: v.Type, Form: View, N: len(idx), Base: v, Idx: idx})
}

func (c *Composer) compose(inner, outer []int32) []int32 {
	if sameSlice(inner, c.inner) && sameSlice(outer, c.outer) {
		return c.composed
	}
	out := c.index(len(outer))
	for i, x := range outer {
		if x >= 0 {
			x = inner[x]
		}
		out[i] = x
	}
	c.inner, c.outer, c.composed = inner, outer, out
	return out
}

func sameSlice(a, b []int32) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func anyNegative(idx []int32) bool {
	any, done := simd.AnyNegative(idx)
	if any {
		return true
	}
	for _, x := range idx[done:] {
		if x < 0 {
			return true
		}
	}
	return false
}

// Flatten returns v as a flat vector that is not Narrow. If v already is one, it returns v
// itself; otherwise it gathers the values into dst, which is reused (nil allocates a new one).
func (v *Vector) Flatten(dst *Vector) *Vector {
	if v.Form == Flat && !v.Narrow {
		return v
	}
	if dst == nil {
		dst = &Vector{}
	}
	nulls := dst.Null
	dst.Type = v.Type
	dst.Resize(v.N)
	if v.Form == Const {
		dst.Stored = v.Stored
		spread(dst, v, nulls)
		return dst
	}
	if v.IsNarrow() {
		return v.widen(dst, nulls)
	}
	dst.Stored = v.Base.Stored
	gatherNulls(dst, v, nulls)
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		gather(dst.I64, v.Base.I64, v)
	case types.KindF64:
		gather(dst.F64, v.Base.F64, v)
	case types.KindDec:
		gather(dst.Dec, v.Base.Dec, v)
	case types.KindStr:
		gather(dst.Str, v.Base.Str, v)
	}
	return dst
}

// Simplify returns v as a flat or constant vector that is not Narrow: v itself if it is one
// already, else v flattened into dst.
func (v *Vector) Simplify(dst *Vector) *Vector {
	if v.Form == View || v.Narrow {
		return v.Flatten(dst)
	}
	return v
}

func spread(dst, v *Vector, nulls []bool) {
	if v.IsNull(0) {
		dst.Null = grow(nulls, v.N)
		fill(dst.Null, true)
	}
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		fill(dst.I64, v.I64[0])
	case types.KindF64:
		fill(dst.F64, v.F64[0])
	case types.KindDec:
		fill(dst.Dec, v.Dec[0])
	case types.KindStr:
		fill(dst.Str, v.Str[0])
	}
}

func fill[T any](s []T, x T) {
	for i := range s {
		s[i] = x
	}
}

// gather copies src[view.Idx[i]] to dst[i]; for a negative index, dst[i] is set to zero.
func gather[T any](dst, src []T, view *Vector) {
	if view.Ends != nil {
		gatherRuns(dst, src, view)
		return
	}
	idx := view.Idx
	dst = dst[:len(idx)]
	for i, x := range idx {
		if uint32(x) < uint32(len(src)) {
			dst[i] = src[x]
		} else {
			var zero T
			dst[i] = zero
		}
	}
}

func gatherNulls(dst, v *Vector, buf []bool) {
	if !v.MayHaveNulls() {
		return
	}
	dst.Null = grow(buf, v.N)
	if v.Type.ID == types.Null { // the base need not have NULL flags
		fill(dst.Null, true)
		return
	}
	from := int32(0)
	for _, end := range v.Ends {
		x := v.Idx[from]
		fill(dst.Null[from:end], x < 0 || v.Base.Null != nil && v.Base.Null[x])
		from = end
	}
	for i, x := range v.Idx[from:] {
		dst.Null[int(from)+i] = x < 0 || v.Base.Null != nil && v.Base.Null[x]
	}
}
