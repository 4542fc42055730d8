package window

import (
	"cmp"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// best is the best value so far, if there is one. Its size is a multiple of a word.
type best[T any] struct {
	x    T
	some bool
}

// bests is MIN or MAX over rows on disk. Its states are values, because reading rows again is
// expensive.
type bests[T any] struct {
	input
	sign    int // of the comparison result for which a value is better
	out     *result
	values  func(*vec.Vector) []T
	compare func(x, y T) int
}

// overBests makes the evaluator of MIN or MAX.
func overBests(o *Operator, in input, max bool, frame *frame, out *result) evaluator {
	sign := -1
	if max {
		sign = 1
	}
	i64 := func(v *vec.Vector) []int64 { return v.I64 }
	switch in.v.Type.Kind() {
	case types.KindF64:
		return over[best[float64]](o, bests[float64]{in, sign, out, func(v *vec.Vector) []float64 { return v.F64 }, cmp.Compare[float64]}, frame, out)
	case types.KindDec:
		return over[best[decimal128.Num]](o, bests[decimal128.Num]{in, sign, out, func(v *vec.Vector) []decimal128.Num { return v.Dec }, decimal128.Num.Cmp}, frame, out)
	case types.KindStr:
		return over[best[string]](o, bests[string]{in, sign, out, func(v *vec.Vector) []string { return v.Str }, cmp.Compare[string]}, frame, out)
	case types.KindU64:
		return over[best[int64]](o, bests[int64]{in, sign, out, i64, func(x, y int64) int { return cmp.Compare(uint64(x), uint64(y)) }}, frame, out)
	}
	return over[best[int64]](o, bests[int64]{in, sign, out, i64, cmp.Compare[int64]}, frame, out)
}

func (e bests[T]) lift(s *best[T], pos int) {
	if row, ok := e.at(pos); ok {
		e.offer(s, e.values(e.v)[row])
	}
}

func (e bests[T]) offer(s *best[T], x T) {
	if !s.some || e.compare(x, s.x)*e.sign > 0 {
		*s = best[T]{x, true}
	}
}

func (e bests[T]) merge(s, o *best[T]) {
	if o.some {
		e.offer(s, o.x)
	}
}

func (e bests[T]) put(i int, s *best[T]) error {
	v := e.out.flat
	if v.Null[i] = !s.some; s.some {
		e.values(v)[i] = s.x
	}
	return nil
}
