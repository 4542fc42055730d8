package eval

import (
	"gsql/internal/dec128"
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
	s, value := &f.slots[st.dst], f.plain
	if st.t.Kind() == types.KindDec && f.allDigits(st.args) {
		value = f.digits
		s.out = vec.Vector{Type: st.t, N: n, I64: kernel.Resize(s.out.I64, n), Dec: s.out.Dec, Narrow: true}
	} else {
		s.out.Type = st.t
		s.out.Resize(n)
	}
	v = value(st.args[len(st.args)-1].reg)
	for i := len(st.args) - 3; i >= 0; i -= 2 {
		cond, yes := f.plain(st.args[i].reg), value(st.args[i+1].reg)
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

// allDigits reports whether digits has all values of a CASE, some of which are not constant.
func (f *frame) allDigits(args []operand) bool {
	narrow := false
	for i, o := range args {
		if i%2 == 0 && i+1 < len(args) {
			continue
		}
		v := f.slots[o.reg].v
		if v.IsNarrow() {
			narrow = true
		} else if v.Form != vec.Const || !v.IsNull(0) && !dec128.IsInt64(v.Dec[0]) {
			return false
		}
	}
	return narrow
}

// digits returns a register of decimals that are Narrow, or of a constant of up to 64 bits, as a flat
// or constant vector whose values are in I64.
func (f *frame) digits(r reg) *vec.Vector {
	s := &f.slots[r]
	if s.v.IsNarrow() {
		return f.argument(r, true)
	}
	one := &s.scratch().tight
	*one = vec.Vector{Type: s.v.Type, Form: vec.Const, N: s.v.N, Null: s.v.Null, I64: append(one.I64[:0], int64(s.v.Dec[0].LowBits()))}
	return one
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
		if out.Narrow {
			pick(out.I64, take, yes.I64, no.I64, my, mn)
			break
		}
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
	y, my := nullsOf(yes)
	n, mn := nullsOf(no)
	take = take[:len(dst)]
	for i := range dst {
		t := kernel.Bit(take[i] != 0)
		dst[i] = kernel.Bit(y[i&my])&t|kernel.Bit(n[i&mn])&^t != 0
	}
}

// nullsOf returns the NULL flags of a flat or constant vector, and the mask of their positions.
func nullsOf(v *vec.Vector) (null []bool, mask int) {
	if v.Null == nil {
		return notNull[:], 0
	}
	return v.Null, kernel.Mask(v)
}

var notNull [1]bool
