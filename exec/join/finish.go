package join

import (
	"slices"

	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/planner/logical"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// finisher turns pairs into a stream's output: it checks the residual predicates, updates the
// marks that the kind of join needs, and composes batches.
type finisher struct {
	plan  *plan
	check *checker       // nil without residual predicates
	nulls *unknownFinder // for null-aware joins, if all right rows are held or their NULLs are known
	marks [2]*marks      // of the left and the right rows; nil if the kind of join needs none
	out   output
	rows  []int32 // scratch: rows of a side
}

func (p *plan) finisher(ctx *op.Ctx, m [2]*marks) *finisher {
	return &finisher{plan: p, check: p.residual.checker(ctx), marks: m, out: output{plan: p}}
}

// pairs returns a batch of the pairs of left and right rows that belong to the output; nil if
// there are none. One of l and r may be nil: see match.Pairs.
func (f *finisher) pairs(left, right *match.Side, l, r []int32) (*vec.Batch, error) {
	if len(l)+len(r) == 0 {
		return nil, nil
	}
	if f.check != nil || f.plan.kind != logical.Inner {
		l, r = f.named(l, len(r)), f.named(r, len(l))
	}
	if f.check != nil {
		n, unknown, err := f.check.keep(left, right, l, r)
		if err != nil {
			return nil, err
		}
		if len(unknown) > 0 {
			set(f.marks[match.LeftSide].unknown, unknown, f.marks[match.LeftSide].shared)
		}
		if l, r = l[:n], r[:n]; n == 0 {
			return nil, nil
		}
	}
	if m := f.marks[match.LeftSide]; m != nil {
		twice := set(m.hit, l, m.shared)
		if twice && f.plan.kind == logical.Single {
			return nil, sqlerr.New(sqlerr.SubqueryNo1Row, "Subquery returns more than 1 row")
		}
	}
	if m := f.marks[match.RightSide]; m != nil {
		set(m.hit, r, m.shared)
	}
	if !f.plan.pairs() {
		return nil, nil
	}
	return f.out.batch(left, right, l, r), nil
}

// named returns rows, or all n row numbers if rows is nil.
func (f *finisher) named(rows []int32, n int) []int32 {
	if rows == nil {
		f.rows = slices.Grow(f.rows[:0], n)[:n]
		vec.Ascend(f.rows, 0)
		rows = f.rows
	}
	return rows
}

// rest returns what the kind of join adds, after all pairs, for rows [from, to) of a side; nil if
// nothing.
func (f *finisher) rest(which int, side *match.Side, from, to int) (*vec.Batch, error) {
	if f.nulls != nil {
		if err := f.nulls.find(side, from, to); err != nil {
			return nil, err
		}
	}
	f.rows = f.rows[:0]
	m := f.marks[which]
	switch f.plan.kind {
	case logical.Semi:
		f.rows = m.appendRows(f.rows, from, to, func(hit, _ bool) bool { return hit })
	case logical.Mark:
		f.rows = m.appendRows(f.rows, from, to, func(bool, bool) bool { return true })
	default:
		f.rows = m.appendRows(f.rows, from, to, func(hit, unknown bool) bool { return !hit && !unknown })
	}
	if len(f.rows) == 0 {
		return nil, nil
	}
	if which == match.RightSide {
		return f.out.batch(nil, side, nil, f.rows), nil
	}
	b := f.out.batch(side, nil, f.rows, nil)
	if f.plan.kind == logical.Mark {
		f.out.setMark(b, m, f.rows)
	}
	return b, nil
}

// output composes batches.
type output struct {
	plan       *plan
	lIdx, rIdx vec.Composer
	b          vec.Batch
	mark       vec.Vector
}

// batch returns the pairs' output columns. Columns of a nil side are NULL. One of l and r may be
// nil, which means all rows of its side.
func (o *output) batch(left, right *match.Side, l, r []int32) *vec.Batch {
	o.b.N, o.b.Cols = max(len(l), len(r)), o.b.Cols[:0]
	o.lIdx.Reset()
	o.rIdx.Reset()
	allLeft, allRight := left == nil || l == nil || isIdentity(l, left.Rows), right == nil || r == nil || isIdentity(r, right.Rows)
	o.expect(allLeft, allRight)
	for i, c := range o.plan.out {
		switch {
		case c.from == fromMark:
			o.b.Cols = append(o.b.Cols, &o.mark)
		case c.from == fromRight && right == nil, c.from == fromLeft && left == nil:
			o.b.Cols = append(o.b.Cols, vec.NewNull(o.plan.cols[i].T, o.b.N))
		case c.from == fromRight && allRight:
			o.b.Cols = append(o.b.Cols, right.Cols[c.at])
		case c.from == fromRight:
			o.b.Cols = append(o.b.Cols, o.rIdx.View(right.Cols[c.at], r))
		case allLeft:
			o.b.Cols = append(o.b.Cols, left.Cols[c.at])
		default:
			o.b.Cols = append(o.b.Cols, o.lIdx.View(left.Cols[c.at], l))
		}
	}
	return &o.b
}

// expect allocates the columns of a batch, and the views of the sides whose columns are not
// passed on unchanged.
func (o *output) expect(allLeft, allRight bool) {
	if o.b.Cols == nil {
		o.b.Cols = make([]*vec.Vector, 0, len(o.plan.out))
	}
	if !allLeft {
		o.lIdx.Expect(o.plan.views[fromLeft])
	}
	if !allRight {
		o.rIdx.Expect(o.plan.views[fromRight])
	}
}

// isIdentity reports whether idx is 0, 1, ... n-1, in which case the columns are passed on
// unchanged.
func isIdentity(idx []int32, n int) bool {
	if len(idx) != n || n > 0 && (idx[0] != 0 || idx[n-1] != int32(n-1)) {
		return false
	}
	for i, x := range idx {
		if x != int32(i) {
			return false
		}
	}
	return true
}

// setMark computes the mark column of b for the left rows.
func (o *output) setMark(b *vec.Batch, m *marks, rows []int32) {
	o.mark.Type = types.T(types.Int64)
	for i, c := range o.plan.out {
		if c.from == fromMark {
			o.mark.Type = o.plan.cols[i].T
		}
	}
	o.mark.Resize(b.N)
	for i, r := range rows {
		hit := isSet(m.hit, int(r))
		o.mark.I64[i] = int64(vec.One(hit))
		if !hit && m.unknown != nil && isSet(m.unknown, int(r)) {
			o.mark.SetNull(i)
		}
	}
}
