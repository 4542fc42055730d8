package dynfilter

import (
	"cmp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Bound is the last value that a top-N can still use: rows after it need not be read. It becomes
// tighter while rows are read.
type Bound struct {
	desc bool // descending order with NULLs last; otherwise NULLs come first
	mu   sync.Mutex
	at   atomic.Pointer[vec.Vector] // one flat row; nil while every value is wanted
}

// NewBound returns a bound, in an order, that lets every value pass.
func NewBound(desc bool) *Bound { return &Bound{desc: desc} }

// Tighten records that values after v, one flat row, are no longer needed. It is safe for
// concurrent use.
func (b *Bound) Tighten(v *vec.Vector) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if old := b.at.Load(); old != nil && b.behind(v, old) {
		return
	}
	w := *v
	if w.Type.Kind() == types.KindStr {
		w.Str = []string{strings.Clone(v.Str[0])}
	}
	b.at.Store(&w)
}

// behind reports whether v does not come before w.
func (b *Bound) behind(v, w *vec.Vector) bool {
	switch x, y := catalog.DatumAt(v, 0), catalog.DatumAt(w, 0); {
	case x.Null || y.Null:
		return b.desc && x.Null || !b.desc && y.Null
	case b.desc:
		return x.Compare(y) <= 0
	default:
		return x.Compare(y) >= 0
	}
}

// Range returns the range of wanted values, for pruning, and whether NULL is wanted; ok is false
// if there is no bound.
func (b *Bound) Range() (lo, hi *catalog.Datum, nulls, ok bool) {
	v := b.at.Load()
	if v == nil {
		return nil, nil, true, false
	}
	d := catalog.DatumAt(v, 0)
	if b.desc {
		return &d, nil, false, !d.Null
	}
	return nil, &d, true, !d.Null
}

// BoundTester tests values in one goroutine.
type BoundTester struct {
	bound   *Bound
	dropped *atomic.Int64
	rows    []int32
	flat    vec.Vector
}

// Tester makes a tester that adds the number of rows it drops to dropped, which may be nil.
func (b *Bound) Tester(dropped *atomic.Int64) *BoundTester {
	return &BoundTester{bound: b, dropped: dropped}
}

// Test returns the wanted rows of v, ascending and valid until the next call, or reports that all
// are wanted. v may be Narrow.
func (t *BoundTester) Test(v *vec.Vector) (idx []int32, all bool) {
	at := t.bound.at.Load()
	if at == nil || v.Type.Kind() == types.KindNull {
		return nil, true
	}
	if cap(t.rows) < v.N {
		t.rows = make([]int32, v.N)
	}
	if v.IsNarrow() && !dec128.IsInt64(at.Dec[0]) {
		v = v.Flatten(&t.flat)
	} else {
		v = v.Tighten(&t.flat)
	}
	idx, desc := t.rows[:v.N], t.bound.desc
	null := at.Null != nil && at.Null[0]
	switch {
	case null && desc:
		return nil, true
	case null:
		idx = notBehind(idx, v.Null, true, make([]bool, v.N), func(bool) bool { return false })
	case v.Narrow:
		idx = upTo(idx, v.Null, v.I64, int64(at.Dec[0].LowBits()), desc)
	case v.Type.Kind() == types.KindF64:
		idx = upTo(idx, v.Null, v.F64, at.F64[0], desc)
	case v.Type.Kind() == types.KindU64:
		x := uint64(at.I64[0])
		idx = notBehind(idx, v.Null, !desc, v.I64, func(y int64) bool { return !desc && uint64(y) <= x || desc && uint64(y) >= x })
	case v.Type.Kind() == types.KindDec:
		x := at.Dec[0]
		idx = notBehind(idx, v.Null, !desc, v.Dec, func(y decimal128.Num) bool { c := y.Cmp(x); return !desc && c <= 0 || desc && c >= 0 })
	case v.Type.Kind() == types.KindStr:
		idx = upTo(idx, v.Null, v.Str, at.Str[0], desc)
	default:
		idx = upTo(idx, v.Null, v.I64, at.I64[0], desc)
	}
	if t.dropped != nil {
		t.dropped.Add(int64(v.N - len(idx)))
	}
	return idx, len(idx) == v.N
}

// upTo keeps the rows whose values do not come after bound. It also keeps values that cannot be
// compared (NaN).
func upTo[T cmp.Ordered](dst []int32, null []bool, xs []T, bound T, desc bool) []int32 {
	if null != nil {
		return notBehind(dst, null, !desc, xs, func(x T) bool { return !desc && !(x > bound) || desc && !(x < bound) })
	}
	n := 0
	if desc {
		for i, x := range xs[:len(dst)] {
			dst[n] = int32(i)
			n += vec.One(!(x < bound))
		}
		return dst[:n]
	}
	for i, x := range xs[:len(dst)] {
		dst[n] = int32(i)
		n += vec.One(!(x > bound))
	}
	return dst[:n]
}

// notBehind keeps the rows for whose values keep returns true, and NULLs if nulls is set.
func notBehind[T any](dst []int32, null []bool, nulls bool, xs []T, keep func(T) bool) []int32 {
	n := 0
	for i, x := range xs[:len(dst)] {
		dst[n] = int32(i)
		if null != nil && null[i] {
			n += vec.One(nulls)
		} else {
			n += vec.One(keep(x))
		}
	}
	return dst[:n]
}
