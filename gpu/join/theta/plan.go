package theta

import (
	"encoding/binary"
	"fmt"
	"math"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// plan is a conjunction from the owning side's point of view.
type plan struct {
	nOwner, nOther int64
	axes           []axis
	nulls          bool // a column of the other side may have NULLs
}

// axis is one column of the other side with the comparisons that owners make with it. All its
// values, as 64-bit integers in their order, are in [base, top]; reversed inverts that order.
type axis struct {
	other     column.Column
	asks      []ask
	base, top int64
	reversed  bool
}

// ask is "owner op other".
type ask struct {
	op    join.Op
	owner column.Column
}

// maxColumns is the most columns of a side that the kernels compare. Several comparisons with one
// column, such as BETWEEN, count once; each comparison with <> counts separately.
const maxColumns = 4

// split takes the first conditions that the kernels can evaluate; the rest filters pairs.
func split(in join.Input) (first join.Input, rest []join.Condition) {
	first = in
	for i := range in.Conditions {
		first.Conditions = in.Conditions[:i+1]
		if len(newPlan(first, true).axes) > maxColumns || len(newPlan(first, false).axes) > maxColumns {
			first.Conditions = in.Conditions[:i]
			return first, in.Conditions[i:]
		}
	}
	return in, nil
}

// newPlan plans the conditions that split has chosen.
func newPlan(in join.Input, ownerLeft bool) *plan {
	p := &plan{nOwner: in.Right, nOther: in.Left}
	if ownerLeft {
		p.nOwner, p.nOther = in.Left, in.Right
	}
	for _, c := range in.Conditions {
		owner, op, other := c.Right, c.Op.Mirror(), c.Left
		if ownerLeft {
			owner, op, other = c.Left, c.Op, c.Right
		}
		p.nulls = p.nulls || other.Valid != 0
		p.add(other, ask{op, owner})
	}
	for i := range p.axes {
		p.axes[i].reversed = p.axes[i].upper()
	}
	return p
}

// add adds a to the axis of the column. The interval of <> is cyclic and cannot be intersected with
// others, so it has an axis of its own.
func (p *plan) add(other column.Column, a ask) {
	for i := range p.axes {
		if x := &p.axes[i]; a.op != join.NE && x.asks[0].op != join.NE && x.other == other {
			x.asks = append(x.asks, a)
			return
		}
	}
	x := axis{other: other, asks: []ask{a}, base: math.MinInt64, top: math.MaxInt64}
	if other.Kind == column.I32 {
		x.base, x.top = math.MinInt32, math.MaxInt32
	}
	if other.Bounded && other.Kind != column.F64 {
		x.base, x.top = other.Min, max(other.Min, other.Max)
	}
	p.axes = append(p.axes, x)
}

// upper reports whether owners bound the axis only from above, lower only from below.
func (x *axis) upper() bool { return x.all(join.GT, join.GE) }
func (x *axis) lower() bool { return x.all(join.LT, join.LE) }

func (x *axis) all(a, b join.Op) bool {
	for _, k := range x.asks {
		if k.op != a && k.op != b {
			return false
		}
	}
	return true
}

func (x *axis) span() uint64 { return uint64(x.top) - uint64(x.base) }

// worthwhile is the number of pairs from which a pass over the other side's columns, which finds
// their least and greatest value, costs less than it can save.
const worthwhile = 1 << 32

// tighten reads the true bounds of integer columns if narrower words would be faster. NULL rows
// have arbitrary values, which can only widen them.
func (p *plan) tighten(t *engine.Task) error {
	if p.nOwner*p.nOther < worthwhile || !p.mayShrink() {
		return nil
	}
	for i := range p.axes {
		x := &p.axes[i]
		if x.span() <= math.MaxInt32 {
			continue
		}
		m := t.Mark()
		bounds, err := t.Alloc(16)
		if err == nil {
			err = prim.Reduce(t, prim.Min, x.other.Kind, x.other.Values, p.nOther, bounds)
		}
		if err == nil {
			err = prim.Reduce(t, prim.Max, x.other.Kind, x.other.Values, p.nOther, bounds+8)
		}
		var b [16]byte
		if err == nil {
			err = t.Read(b[:], bounds)
		}
		if err == nil {
			err = t.Release(m)
		}
		if err != nil {
			return err
		}
		x.base = max(x.base, int64(binary.LittleEndian.Uint64(b[:])))
		x.top = max(x.base, min(x.top, int64(binary.LittleEndian.Uint64(b[8:]))))
	}
	return nil
}

// mayShrink reports whether tighter bounds can make the words shorter or the form narrow.
func (p *plan) mayShrink() bool {
	for i := range p.axes {
		if p.axes[i].other.Kind == column.F64 {
			return false
		}
	}
	return p.words() == "u64" || p.form() == "bounds1" && len(p.axes) == 1
}

// columns returns the number of words that are compared.
func (p *plan) columns() int64 { return int64(max(1, len(p.axes))) }

// words returns the suffix of kernels for words that hold all axes.
func (p *plan) words() string {
	for i := range p.axes {
		if p.axes[i].span() > math.MaxUint32 {
			return "u64"
		}
	}
	return "u32"
}

// width returns the width of those words in bytes.
func (p *plan) width() int64 {
	if p.words() == "u64" {
		return 8
	}
	return 4
}

// form returns the predicate that counts: only lower bounds if owners use no others, and a narrow
// one for words below 2^31.
func (p *plan) form() string {
	for i := range p.axes {
		if !p.axes[i].reversed && !p.axes[i].lower() {
			return p.intervals()
		}
	}
	switch {
	case len(p.axes) > 2:
		return p.intervals()
	case len(p.axes) == 1 && p.axes[0].span() <= math.MaxInt32:
		return "narrow"
	}
	return fmt.Sprintf("bounds%d", p.columns())
}

func (p *plan) intervals() string { return fmt.Sprintf("intervals%d", p.columns()) }

// entry returns the kernel type of a form.
func (p *plan) entry(form string) string {
	if form == "narrow" {
		return form
	}
	return form + "_" + p.words()
}

// cost returns the approximate number of instructions for counting a pair: see
// kernels/theta_count.cu.
func (p *plan) cost() int64 {
	wide := p.width() / 4
	if p.form() == p.intervals() {
		return 2*p.columns()*wide + 1
	}
	return p.columns()*wide + 1
}
