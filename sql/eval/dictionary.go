package eval

import "gsql/sql/vec"

// entries holds a strict call computed over the entries of a dictionary, or over the rows of a join's
// small build side, for all batches that share them.
type entries struct {
	base  *vec.Vector // the dictionary
	seen  int         // rows that have referred to it so far
	fails bool        // some entry, perhaps one that no row refers to, fails or warns
	out   *vec.Vector // the entries' results, once computed
	kept  int64       // bytes charged for their texts
}

// overEntries is overBase for a dictionary shared by many batches: its entries are computed once,
// after at least as many rows have referred to it as it has entries. ok is false if the step does
// not qualify; if ok is true but v is nil, the rows must be computed individually.
func (ev *Evaluator) overEntries(f *frame, st *step, n int) (v *vec.Vector, ok bool) {
	view := f.dictionary(st)
	if view == nil {
		return nil, false
	}
	x := f.slots[st.dst].scratch()
	e := &x.entries
	if e.base != view.Base {
		ev.rt.Drop(e.kept)
		*e = entries{base: view.Base}
	}
	if e.seen += n; e.fails || e.out == nil && e.seen < e.base.N {
		return nil, true
	}
	if e.out == nil && !ev.computeEntries(f, st, e) {
		e.fails = true
		return nil, true
	}
	x.view = vec.Vector{Type: st.t, Form: vec.View, N: n, Base: e.out, Idx: view.Idx, Ends: view.Ends}
	return &x.view, true
}

// dictionary returns the only non-constant argument if it is a view of a shared dictionary, else
// nil.
func (f *frame) dictionary(st *step) *vec.Vector {
	var view *vec.Vector
	for _, o := range st.args {
		s := &f.slots[o.reg]
		switch {
		case s.v.Form == vec.Const && (s.done || f.b.isConst(o.reg)):
		case view == nil && s.v.Form == vec.View && lasting(s.v.Base) && s.v.Base.N > 0 && !s.v.Base.Narrow:
			view = s.v
		default:
			return nil
		}
	}
	return view
}

// mostFixed is the number of rows of a join's build side up to which calls are computed over the rows.
const mostFixed = 1 << 14

// lasting reports whether many batches share v, so that calls over its rows pay off.
func lasting(v *vec.Vector) bool { return v.Dict || v.Fixed && v.N <= mostFixed }

func (b *block) isConst(r reg) bool {
	for _, k := range b.consts {
		if k.to == r {
			return true
		}
	}
	return false
}

func (ev *Evaluator) computeEntries(f *frame, st *step, e *entries) bool {
	args := ev.args[:0]
	for _, o := range st.args {
		v := f.slots[o.reg].v
		if v.Form == vec.View {
			v = v.Base
		}
		args = append(args, v)
	}
	ev.args = args
	out := &vec.Vector{Type: st.t}
	ev.rt.Quiet, ev.rt.Tripped = true, false
	before := ev.rt.Charged()
	err := st.apply(&ev.rt, args, out, e.base.N, nil)
	ev.rt.Quiet = false
	if err != nil || ev.rt.Tripped || out.Form != vec.Flat {
		return false
	}
	out.Dict, out.Fixed, e.out = e.base.Dict, e.base.Fixed, out
	e.kept = ev.rt.Retain(before)
	return true
}
