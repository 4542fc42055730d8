package eval

import (
	"unsafe"

	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Evaluator runs a program for one worker. It owns the vectors that it computes into.
type Evaluator struct {
	p    *Program
	rt   kernel.Runtime
	root frame
	args []*vec.Vector

	narrow *narrowing  // allocated when first needed
	tight  bool        // results may be Narrow
	wide   *vec.Vector // memory for widened copies of Narrow results, allocated when first needed
	large  *large      // for rows with values too large to carry digits, allocated when first needed
	alone  bool        // computes single rows for another evaluator
}

// frame is the state of one block: its registers and their memory.
type frame struct {
	b     *block
	slots []slot // by register
	kids  []*frame
	views *vec.Composer // views of a nested block's inputs, allocated when first needed
}

// slot is a register and its memory.
type slot struct {
	v     *vec.Vector // what the register holds
	out   vec.Vector  // what a step computes
	nulls []bool      // buffer for out.Null
	plain *vec.Vector // this batch's flat or constant form, computed on demand
	tight *vec.Vector // likewise, but Narrow if the register is
	extra *scratch    // state that few registers need, allocated on demand: every statement makes frames
	done  bool        // out holds the value of a constant step
}

// scratch is the memory of a register that takes part in views or lazy steps.
type scratch struct {
	view      vec.Vector // header of a result that is a view
	flat      vec.Vector // the register flattened
	flatNulls []bool     // buffer for flat.Null
	tight     vec.Vector // the register flattened but Narrow
	rows      [2][]int32 // row numbers of lazy steps
	take      []int64    // condition of a blend
	entries   entries    // results computed over a dictionary's entries
	// A dictionary, and the same dictionary with another type; caches are keyed by the pointer.
	of, retyped *vec.Vector
}

func (s *slot) scratch() *scratch {
	if s.extra == nil {
		s.extra = new(scratch)
	}
	return s.extra
}

// Columns calls f with the position of each input column that p reads.
func (p *Program) Columns(f func(int)) {
	for _, c := range p.root.columns {
		f(c.from)
	}
}

// NewEvaluator returns an evaluator that runs p.
func (p *Program) NewEvaluator(ctx kernel.Ctx) *Evaluator {
	return &Evaluator{p: p, rt: kernel.Runtime{Ctx: ctx}, root: newFrame(p.root)}
}

func newFrame(b *block) frame {
	f := frame{b: b, slots: make([]slot, b.regs), kids: make([]*frame, b.kids)}
	for _, k := range b.consts {
		s := &f.slots[k.to]
		s.out = *k.value
		s.v = &s.out
	}
	return f
}

// AllowNarrow lets ev return results as Narrow vectors if it has them in that form.
func (ev *Evaluator) AllowNarrow() { ev.tight = true }

// Eval computes the expression for all rows of b, whose columns may be Narrow. The result is
// valid until the next Eval. It may be flat, constant or a view, and is the input's own vector if
// the expression is a column.
func (ev *Evaluator) Eval(b *vec.Batch) (*vec.Vector, error) {
	ev.Release()
	if s := ev.p.settled; s != nil && s.short && !ev.alone {
		return ev.rowByRow(b)
	}
	f := &ev.root
	for _, c := range f.b.columns {
		f.slots[c.to].v = b.Cols[c.from]
	}
	v, err := ev.run(f, b.N)
	if err != nil && ev.p.settled != nil && !ev.alone && outOfRange(err) {
		v, err = ev.rowByRow(b)
	}
	if err != nil || ev.tight || !v.IsNarrow() {
		return v, err
	}
	if ev.wide == nil {
		ev.wide = new(vec.Vector)
	}
	return v.Flatten(ev.wide), nil
}

// Release releases the memory charged for the last result, whose texts must not be read afterwards.
func (ev *Evaluator) Release() {
	if ev.rt.Charged() > 0 {
		ev.forget(false)
	}
	ev.rt.Release()
}

// Free is Release for an evaluator that may not be used again: it also releases the memory of constants.
func (ev *Evaluator) Free() {
	ev.forget(true)
	ev.rt.Free()
	if l := ev.large; l != nil {
		for _, one := range []*Evaluator{l.carrying, l.settled} {
			if one != nil {
				one.Free()
			}
		}
	}
}

// forget drops the references to texts that were made, including those of constants if all is set.
func (ev *Evaluator) forget(all bool) {
	clear(ev.args[:cap(ev.args)])
	ev.root.forget(all)
}

func (f *frame) forget(all bool) {
	for i := range f.slots {
		s := &f.slots[i]
		if f.b.isConst(reg(i)) || s.done && !all {
			continue
		}
		s.done, s.out.Str, s.plain = false, nil, nil
		if x := s.extra; x != nil {
			x.flat.Str = nil
			if x.view.Type.Kind() == types.KindStr {
				x.view = vec.Vector{}
			}
			if all {
				x.entries, x.of, x.retyped = entries{}, nil, nil
			}
		}
	}
	for _, k := range f.kids {
		if k != nil {
			k.forget(all)
		}
	}
}

// Detach returns the bytes charged for the last result. They stay charged, and the caller releases
// them.
func (ev *Evaluator) Detach() int64 { return ev.rt.Detach() }

// run computes the result of a block whose inputs are loaded, for n rows.
func (ev *Evaluator) run(f *frame, n int) (*vec.Vector, error) {
	for i := range f.slots {
		f.slots[i].plain, f.slots[i].tight = nil, nil
	}
	for _, k := range f.b.consts {
		f.slots[k.to].out.N = n
	}
	for _, p := range f.b.params {
		if p.slot >= len(ev.rt.Params) {
			return nil, sqlerr.Internal("no value for parameter %d", p.slot)
		}
		f.slots[p.to].v = retyped(ev.rt.Params[p.slot], p.t).Vector(n)
	}
	for i := range f.b.steps {
		st := &f.b.steps[i]
		v, err := ev.step(f, st, n)
		if err != nil {
			return nil, err
		}
		f.slots[st.dst].v = v
	}
	return f.slots[f.b.result].v, nil
}

func (ev *Evaluator) step(f *frame, st *step, n int) (*vec.Vector, error) {
	switch st.op {
	case opCall:
		return ev.call(f, st, n)
	case opRetype:
		return withType(f.slots[st.args[0].reg].v, st.t, &f.slots[st.dst]), nil
	case opAnd, opOr:
		return ev.connective(f, st, n)
	case opCase:
		return ev.caseWhen(f, st, n)
	}
	return ev.coalesce(f, st, n)
}

// withType returns v with type t, whose values have the same representation as v's.
func withType(v *vec.Vector, t types.Type, s *slot) *vec.Vector {
	if v.Type == t {
		return v
	}
	view := &s.scratch().view
	*view = *v
	view.Type = t
	if v.Form == vec.View {
		x := s.scratch()
		if x.retyped == nil || x.of != v.Base || !v.Base.Dict {
			base := *v.Base
			base.Type = t
			x.of, x.retyped = v.Base, &base
		}
		view.Base = x.retyped
	}
	return view
}

func (ev *Evaluator) call(f *frame, st *step, n int) (*vec.Vector, error) {
	s := &f.slots[st.dst]
	if s.done {
		s.out.N = n
		return &s.out, nil
	}
	if n == 0 {
		s.out.Type = st.t
		s.out.Resize(0)
		return &s.out, nil
	}
	if v := ev.overBase(f, st, n); v != nil {
		return v, nil
	}
	args, constant := ev.args[:0], !st.volatile
	for _, o := range st.args {
		a := f.argument(o.reg, st.narrow)
		args = append(args, a)
		constant = constant && a.Form == vec.Const
	}
	ev.args = args
	s.out.Type = st.t
	m := n
	if constant {
		m = 1
		for i, a := range args {
			one := *a
			one.Form, one.N = vec.Flat, 1
			args[i] = &one
		}
	}
	before := ev.rt.Charged()
	if err := st.apply(&ev.rt, args, &s.out, m, s.nulls); err != nil {
		return nil, err
	}
	s.keepNulls()
	if constant {
		s.out.Form, s.out.N = vec.Const, n
		if s.done = st.constant; s.done {
			ev.rt.Retain(before)
		}
	}
	return &s.out, nil
}

// keepNulls keeps out's NULL flags as the buffer for the next batch.
func (s *slot) keepNulls() {
	if s.out.Null != nil {
		s.nulls = s.out.Null
	}
}

// argument returns a register as a flat or constant vector. If narrow is set, a Narrow register
// stays Narrow.
func (f *frame) argument(r reg, narrow bool) *vec.Vector {
	s := &f.slots[r]
	if !narrow || !s.v.IsNarrow() {
		return f.plain(r)
	}
	if s.tight == nil {
		if s.tight = s.v; s.tight.Form == vec.View {
			s.tight = s.tight.Tighten(&s.scratch().tight)
		}
	}
	return s.tight
}

// plain returns a register as a flat or constant vector that is not Narrow.
func (f *frame) plain(r reg) *vec.Vector {
	s := &f.slots[r]
	if s.plain == nil {
		v := s.v
		if v.Form == vec.View || v.Narrow {
			v = flatten(v, s.scratch())
		}
		s.plain = v
	}
	return s.plain
}

func flatten(v *vec.Vector, s *scratch) *vec.Vector {
	s.flat.Null = s.flatNulls
	v = v.Flatten(&s.flat)
	if s.flat.Null != nil {
		s.flatNulls = s.flat.Null
	}
	return v
}

// overBase computes a strict call over the base of its only non-constant input if that input is a
// view whose base has no more values than the batch has rows, i.e. over the entries of a
// dictionary instead of its codes. Several inputs also qualify if they are views with the same
// index. It returns nil if the call does not qualify, or if some entry, perhaps one that no row
// refers to, fails or warns.
func (ev *Evaluator) overBase(f *frame, st *step, n int) *vec.Vector {
	if !st.strict || st.volatile {
		return nil
	}
	if v, ok := ev.overEntries(f, st, n); ok {
		return v
	}
	var view *vec.Vector
	args := ev.args[:0]
	for _, o := range st.args {
		v := f.slots[o.reg].v
		switch {
		case v.Form == vec.Const:
		case v.Form == vec.Flat, v.Base.Narrow && !st.narrow:
			return nil
		case view == nil && v.Base.N <= n && v.Base.N > 0, view != nil && sameIndex(v, view):
			view, v = v, v.Base
		default:
			return nil
		}
		args = append(args, v)
	}
	ev.args = args
	if view == nil {
		return nil
	}
	s := &f.slots[st.dst]
	s.out.Type = st.t
	ev.rt.Quiet, ev.rt.Tripped = true, false
	err := st.apply(&ev.rt, args, &s.out, view.Base.N, s.nulls)
	ev.rt.Quiet = false
	s.keepNulls()
	if err != nil || ev.rt.Tripped {
		return nil
	}
	over := &s.scratch().view
	*over = vec.Vector{Type: st.t, Form: vec.View, N: n, Base: &s.out, Idx: view.Idx, Ends: view.Ends}
	return over
}

func sameIndex(a, b *vec.Vector) bool {
	return a.Base.N == b.Base.N && len(a.Idx) == len(b.Idx) && unsafe.SliceData(a.Idx) == unsafe.SliceData(b.Idx)
}

// operand computes a lazily evaluated argument for the given rows (nil: all n). If byRow is set,
// v is a register with all rows of the frame, and the value of rows[i] is at position rows[i].
// Otherwise v comes from a nested block, and the value of rows[i] is at position i.
func (ev *Evaluator) operand(f *frame, o operand, rows []int32, n int) (v *vec.Vector, byRow bool, err error) {
	if o.block == nil {
		return f.plain(o.reg), true, nil
	}
	kid := f.kids[o.kid]
	if kid == nil {
		made := newFrame(o.block)
		kid = &made
		f.kids[o.kid] = kid
	}
	if kid.views == nil {
		kid.views = new(vec.Composer)
	}
	kid.views.Reset()
	for _, in := range o.block.imports {
		v := f.slots[in.from].v
		if rows != nil {
			v = kid.views.View(v, rows)
		}
		kid.slots[in.to].v = v
	}
	if rows != nil {
		n = len(rows)
	}
	if _, err = ev.run(kid, n); err != nil {
		return nil, false, err
	}
	return kid.plain(o.block.result), false, nil
}
