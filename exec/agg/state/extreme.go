package state

import (
	"cmp"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// newExtreme makes the state of MIN or MAX for a kind of values.
func newExtreme(isMax bool, kind types.Kind, seen validity) (State, error) {
	switch kind {
	case types.KindI64:
		return &extreme[int64]{seen: seen, max: isMax, worst: pick[int64](isMax, math.MinInt64, math.MaxInt64), payload: func(v *vec.Vector) []int64 { return v.I64 }}, nil
	case types.KindU64:
		return &extreme[uint64]{seen: seen, max: isMax, worst: pick[uint64](isMax, 0, math.MaxUint64), payload: unsigned}, nil
	case types.KindF64:
		return &extreme[float64]{seen: seen, max: isMax, worst: pick(isMax, math.Inf(-1), math.Inf(1)), payload: func(v *vec.Vector) []float64 { return v.F64 }}, nil
	}
	return &extremeBig{isMax: isMax, kind: kind, seen: seen}, nil
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// unsigned returns the payload of a KindU64 vector as unsigned integers.
func unsigned(v *vec.Vector) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(v.I64))), len(v.I64))
}

// extreme is MIN or MAX of numbers. Groups start at the worst value.
type extreme[T cmp.Ordered] struct {
	seen    validity
	max     bool
	worst   T
	payload func(*vec.Vector) []T
	best    *mem.Buffer[T]
	n       int
}

func (e *extreme[T]) Grow(n int) error {
	if err := e.seen.grow(n); err != nil {
		return err
	}
	if err := mem.Room(e.seen.account, &e.best, n); err != nil {
		return err
	}
	for i := e.n; i < n; i++ {
		e.best.S[i] = e.worst
	}
	e.n = n
	return nil
}

func (e *extreme[T]) Update(gids []int32, n int, args []*vec.Vector) error {
	v := args[0]
	if err := e.seen.update(gids, n, v.Null); err != nil {
		return err
	}
	best, xs := e.best.S, e.payload(v)[:n]
	switch {
	case v.Null != nil:
		for i, x := range xs {
			if g := group(gids, i); !v.Null[i] && (e.max && x > best[g] || !e.max && x < best[g]) {
				best[g] = x
			}
		}
	case gids == nil:
		best[0] = e.of(best[0], xs)
	case e.max:
		for i, g := range gids {
			best[g] = max(best[g], xs[i])
		}
	default:
		for i, g := range gids {
			best[g] = min(best[g], xs[i])
		}
	}
	return nil
}

// of returns the best of b and xs.
func (e *extreme[T]) of(b T, xs []T) T {
	if e.max {
		for _, x := range xs {
			b = max(b, x)
		}
	} else {
		for _, x := range xs {
			b = min(b, x)
		}
	}
	return b
}

// UpdateTimes implements TimesState. It does not depend on the numbers of rows.
func (e *extreme[T]) UpdateTimes(gids []int32, n int, args []*vec.Vector, _ []int32) error {
	return e.Update(gids, n, args)
}

func (e *extreme[T]) UpdateRuns(gids, ends []int32, args []*vec.Vector) error {
	if err := e.seen.update(gids, len(gids), nil); err != nil {
		return err
	}
	from, xs := int32(0), e.payload(args[0])
	for i, end := range ends {
		e.best.S[gids[i]] = e.of(e.best.S[gids[i]], xs[from:end])
		from = end
	}
	return nil
}

func (e *extreme[T]) Merge(src State, from, to []int32) error {
	o := src.(*extreme[T])
	if err := e.seen.merge(&o.seen, from, to); err != nil {
		return err
	}
	for i, g := range from {
		t := to[i]
		if e.max {
			e.best.S[t] = max(e.best.S[t], o.best.S[g])
		} else {
			e.best.S[t] = min(e.best.S[t], o.best.S[g])
		}
	}
	return nil
}

func (e *extreme[T]) Finish(*op.Ctx) error { return nil }

func (e *extreme[T]) Result(lo, hi int, dst *vec.Vector) error {
	e.seen.result(lo, hi, dst)
	copy(e.payload(dst), e.best.S[lo:hi])
	return nil
}

func (e *extreme[T]) Free() {
	e.seen.free()
	e.best.Free()
}

// extremeBig is MIN or MAX of strings and decimals, and of the bare NULL.
type extremeBig struct {
	isMax bool
	kind  types.Kind
	seen  validity
	has   *mem.Buffer[bool]
	decs  *mem.Buffer[decimal128.Num]
	strs  []string
	text  int64 // bytes of strs
	held  int64 // bytes reserved for text
}

func (e *extremeBig) Grow(n int) error {
	if err := mem.Room(e.seen.account, &e.has, n); err != nil {
		return err
	}
	if e.kind == types.KindDec {
		return mem.Room(e.seen.account, &e.decs, n)
	}
	return growStrings(e.seen.account, &e.strs, n)
}

// growStrings makes s long enough for n strings and charges their headers.
func growStrings(a *mem.Account, s *[]string, n int) error {
	if n <= len(*s) {
		return nil
	}
	n = max(n, 2*len(*s))
	if err := a.Reserve(int64(n-len(*s)) * int64(unsafe.Sizeof(""))); err != nil {
		return err
	}
	bigger := make([]string, n)
	copy(bigger, *s)
	*s = bigger
	return nil
}

func (e *extremeBig) Update(gids []int32, n int, args []*vec.Vector) error {
	v := args[0]
	for i := range n {
		if v.Null != nil && v.Null[i] {
			continue
		}
		switch e.kind {
		case types.KindDec:
			e.offerDecimal(group(gids, i), v.Dec[i])
		case types.KindStr:
			e.offerString(group(gids, i), v.Str[i])
		}
	}
	return e.account()
}

// account charges the growth of the texts, or releases what they have shrunk by.
func (e *extremeBig) account() error {
	if err := e.seen.account.Reserve(e.text - e.held); err != nil {
		return err
	}
	e.held = e.text
	return nil
}

// UpdateTimes implements TimesState. It does not depend on the numbers of rows.
func (e *extremeBig) UpdateTimes(gids []int32, n int, args []*vec.Vector, _ []int32) error {
	return e.Update(gids, n, args)
}

func (e *extremeBig) offerDecimal(g int32, x decimal128.Num) {
	if !e.has.S[g] || e.decs.S[g].Less(x) == e.isMax && x != e.decs.S[g] {
		e.has.S[g], e.decs.S[g] = true, x
	}
}

func (e *extremeBig) offerString(g int32, x string) {
	if !e.has.S[g] || e.isMax && x > e.strs[g] || !e.isMax && x < e.strs[g] {
		e.text += int64(len(x) - len(e.strs[g]))
		e.has.S[g], e.strs[g] = true, x
	}
}

func (e *extremeBig) Merge(src State, from, to []int32) error {
	o := src.(*extremeBig)
	for i, g := range from {
		switch {
		case !o.has.S[g]:
		case e.kind == types.KindDec:
			e.offerDecimal(to[i], o.decs.S[g])
		default:
			e.offerString(to[i], o.strs[g])
		}
	}
	return e.account()
}

func (e *extremeBig) Finish(*op.Ctx) error { return nil }

func (e *extremeBig) Result(lo, hi int, dst *vec.Vector) error {
	for g := lo; g < hi; g++ {
		switch {
		case !e.has.S[g]:
			dst.SetNull(g - lo)
		case e.kind == types.KindDec:
			dst.Dec[g-lo] = e.decs.S[g]
		default:
			dst.Str[g-lo] = e.strs[g]
		}
	}
	return nil
}

func (e *extremeBig) Free() {
	e.has.Free()
	e.decs.Free()
	e.seen.account.Discard(e.held + int64(len(e.strs))*int64(unsafe.Sizeof("")))
	e.strs, e.text, e.held = nil, 0, 0
}
