package eval

import (
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// blend computes a CASE whose conditions and values are already available for all rows. It goes
// from the last branch to the first and picks values row by row, without lists of row numbers. ok
// is false if the step does not qualify.
func (ev *Evaluator) blend(f *frame, st *step, n int) (v *vec.Vector, ok bool) {
	if len(st.args)%2 == 0 {
		return nil, false
	}
	for i, o := range st.args {
		if o.block != nil || i%2 == 0 && i+1 < len(st.args) && f.plain(o.reg).Form == vec.Const {
			return nil, false
		}
	}
	s := &f.slots[st.dst]
	s.out.Type = st.t
	s.out.Resize(n)
	v = f.plain(st.args[len(st.args)-1].reg)
	for i := len(st.args) - 3; i >= 0; i -= 2 {
		cond, yes := f.plain(st.args[i].reg), f.plain(st.args[i+1].reg)
		take := cond.I64
		if cond.Null != nil {
			x := s.scratch()
			x.take = kernel.Resize(x.take, n)
			for i, null := range cond.Null[:n] {
				x.take[i] = take[i] &^ -kernel.Bit(null)
			}
			take = x.take
		}
		v = s.choose(take, yes, v)
	}
	return v, true
}

// choose fills the slot's vector with the values of yes in rows where take is not 0, and with
// those of no elsewhere. no may be the slot's own vector.
func (s *slot) choose(take []int64, yes, no *vec.Vector) *vec.Vector {
	out := &s.out
	if yes.Null != nil || no.Null != nil {
		s.nulls = kernel.Resize(s.nulls, out.N)
		blendNulls(s.nulls, take, yes, no)
		out.Null = s.nulls
	}
	my, mn := kernel.Mask(yes), kernel.Mask(no)
	switch out.Type.Kind() {
	case types.KindI64, types.KindU64:
		pick(out.I64, take, yes.I64, no.I64, my, mn)
	case types.KindF64:
		pick(out.F64, take, yes.F64, no.F64, my, mn)
	case types.KindDec:
		pick(out.Dec, take, yes.Dec, no.Dec, my, mn)
	case types.KindStr:
		pick(out.Str, take, yes.Str, no.Str, my, mn)
	}
	return out
}

// firstOf computes a COALESCE of two values that are already available for all rows, if the first
// contains NULLs. ok is false if the step does not qualify.
func (ev *Evaluator) firstOf(f *frame, st *step, n int) (v *vec.Vector, ok bool) {
	if len(st.args) != 2 || st.args[0].block != nil || st.args[1].block != nil {
		return nil, false
	}
	yes, no := f.plain(st.args[0].reg), f.plain(st.args[1].reg)
	if yes.Null == nil || yes.Form == vec.Const {
		return nil, false
	}
	s := &f.slots[st.dst]
	s.out.Type = st.t
	s.out.Resize(n)
	x := s.scratch()
	x.take = kernel.Resize(x.take, n)
	for i, null := range yes.Null[:n] {
		x.take[i] = kernel.Bit(!null)
	}
	value := *yes
	value.Null = nil // only rows that are not NULL are taken
	return s.choose(x.take, &value, no), true
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
	my, mn := kernel.Mask(yes), kernel.Mask(no)
	for i := range dst {
		if take[i] != 0 {
			dst[i] = yes.Null != nil && yes.Null[i&my]
		} else {
			dst[i] = no.Null != nil && no.Null[i&mn]
		}
	}
}
