package eval

import (
	"gsql/sql/types"
	"gsql/sql/vec"
)

// blend computes CASE with one branch whose values are at hand for all rows: it picks
// row by row without lists of row numbers. ok is false where the step is another.
func (ev *Evaluator) blend(f *frame, st *step, n int) (v *vec.Vector, ok bool) {
	if len(st.args) != 3 || st.args[1].block != nil || st.args[2].block != nil {
		return nil, false
	}
	cond, yes, no := f.plain(st.args[0].reg), f.plain(st.args[1].reg), f.plain(st.args[2].reg)
	if cond.Form == vec.Const {
		return nil, false
	}
	s := &f.slots[st.dst]
	out := &s.out
	out.Type = st.t
	out.Resize(n)
	take := cond.I64
	if cond.Null != nil {
		x := s.scratch()
		x.take = resize(x.take, n)
		for i, null := range cond.Null[:n] {
			x.take[i] = take[i] &^ -b2i(null)
		}
		take = x.take
	}
	if yes.Null != nil || no.Null != nil {
		s.nulls = resize(s.nulls, n)
		blendNulls(s.nulls, take, yes, no)
		out.Null = s.nulls
	}
	my, mn := mask(yes), mask(no)
	switch st.t.Kind() {
	case types.KindI64, types.KindU64:
		pick(out.I64, take, yes.I64, no.I64, my, mn)
	case types.KindF64:
		pick(out.F64, take, yes.F64, no.F64, my, mn)
	case types.KindDec:
		pick(out.Dec, take, yes.Dec, no.Dec, my, mn)
	case types.KindStr:
		pick(out.Str, take, yes.Str, no.Str, my, mn)
	}
	return out, true
}

func pick[T any](dst []T, take []int64, yes, no []T, my, mn int) {
	take = take[:len(dst)]
	for i := range dst {
		x, y := yes[i&my], no[i&mn]
		if take[i] != 0 {
			y = x
		}
		dst[i] = y
	}
}

func blendNulls(dst []bool, take []int64, yes, no *vec.Vector) {
	my, mn := mask(yes), mask(no)
	for i := range dst {
		if take[i] != 0 {
			dst[i] = yes.Null != nil && yes.Null[i&my]
		} else {
			dst[i] = no.Null != nil && no.Null[i&mn]
		}
	}
}
