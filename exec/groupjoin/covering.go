package groupjoin

import (
	"gsql/exec/accum"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// covering computes aggregates over the rows whose windows cover each cell. No window covers the
// cell after the last one.
type covering struct {
	ctx      *op.Ctx
	acct     *mem.Account
	cells    int
	from, to []int32      // the cells of each row
	rows     []int64      // covering each cell
	held     *mem.Buffers // of the results
}

func held[T any](c *covering, n int) ([]T, error) { return allocIn[T](c.held, c.acct, n) }

// counts returns the number of values that cover each cell: those of v that are not NULL, or all
// rows.
func (c *covering) counts(v *vec.Vector) ([]int64, error) {
	if c.rows != nil && (v == nil || v.Null == nil && v.Type.ID != types.Null) {
		return c.rows, nil
	}
	dst, err := held[int64](c, c.cells+1)
	if err != nil {
		return nil, err
	}
	for i, from := range c.from {
		if err := look(c.ctx, i); err != nil {
			return nil, err
		}
		if v == nil || !v.IsNull(i) {
			dst[from]++
			dst[c.to[i]]--
		}
	}
	accumulate(dst)
	return dst, nil
}

// accumulate turns changes from cell to cell into values.
func accumulate(xs []int64) {
	sum := int64(0)
	for k, x := range xs {
		sum += x
		xs[k] = sum
	}
}

// aggregate computes an aggregate of v, which is flat, or nil for COUNT(*).
func (c *covering) aggregate(a *expr.Agg, v *vec.Vector) (e emitter, r results, err error) {
	if r.count, err = c.counts(v); err != nil {
		return nil, r, err
	}
	switch {
	case a.Fn == expr.Count || a.Fn == expr.CountStar:
		return countOut{}, r, nil
	case a.Fn == expr.Min || a.Fn == expr.Max:
		e, err = c.extremes(a, v, &r)
	case v.Type.Kind() == types.KindF64:
		e, err = floatOut{}, c.floats(v, &r)
	default:
		e, err = c.sums(a, v, &r)
	}
	return e, r, err
}

// sums adds each value where its window begins and subtracts it where the window ends.
func (c *covering) sums(a *expr.Agg, v *vec.Vector, r *results) (_ emitter, err error) {
	m := newExactOut(a, v)
	if m.small {
		r.small, err = c.smallSums(v)
		return &m, err
	}
	if r.exact, err = held[accum.Exact](c, c.cells+1); err != nil {
		return nil, err
	}
	ok := true
	for i, from := range c.from {
		if err := look(c.ctx, i); err != nil {
			return nil, err
		}
		if !v.IsNull(i) {
			lo, hi := exactValue(v, int32(i))
			ok = r.exact[from].AddChecked(lo, hi) && ok
			ok = r.exact[c.to[i]].SubChecked(lo, hi) && ok
		}
	}
	var sum accum.Exact
	for k, x := range r.exact {
		ok = sum.AddChecked(x.Lo, x.Hi) && ok
		r.exact[k] = sum
	}
	if !ok {
		return nil, m.overflow()
	}
	return &m, nil
}

// smallSums is sums for values whose sums fit in 64 bits.
func (c *covering) smallSums(v *vec.Vector) ([]int64, error) {
	dst, err := held[int64](c, c.cells+1)
	if err != nil {
		return nil, err
	}
	for i, from := range c.from {
		if err := look(c.ctx, i); err != nil {
			return nil, err
		}
		if v.Null == nil || !v.Null[i] {
			x := smallValue(v, int32(i))
			dst[from] += x
			dst[c.to[i]] -= x
		}
	}
	accumulate(dst)
	return dst, nil
}

// floats adds each value to the tree nodes that make up its window; a cell's sum is that of the nodes
// above it.
func (c *covering) floats(v *vec.Vector, r *results) (err error) {
	tree, err := mem.Alloc[accum.Float](c.acct, 2*treeSize(c.cells+1))
	if err != nil {
		return err
	}
	defer tree.Free()
	t := tree.S
	if r.float, err = held[float64](c, c.cells+1); err != nil {
		return err
	}
	for i := range c.from {
		if err := look(c.ctx, i); err != nil {
			return err
		}
		if !v.IsNull(i) {
			eachNode(len(t)/2, c.from[i], c.to[i], func(n int) { t[n].Add(v.F64[i]) })
		}
	}
	for i := 1; i < len(t)/2; i++ {
		t[2*i].Merge(t[i])
		t[2*i+1].Merge(t[i])
	}
	for k := range r.float {
		r.float[k] = t[len(t)/2+k].Value()
	}
	return nil
}

// extremes is floats for MIN and MAX.
func (c *covering) extremes(a *expr.Agg, v *vec.Vector, r *results) (emitter, error) {
	m, err := newExtremeOut(c.ctx, a.Fn == expr.Max, v, c.acct)
	if err != nil {
		return nil, err
	}
	words, err := m.byRow(c.ctx, v, v.N, c.acct)
	if err != nil {
		return nil, err
	}
	defer words.Free()
	tree, err := leastTree(c.acct, c.cells+1)
	if err != nil {
		return nil, err
	}
	c.held.Add(tree)
	t := tree.S
	for i, w := range words.S {
		if err := look(c.ctx, i); err != nil {
			return nil, err
		}
		eachNode(len(t)/2, c.from[i], c.to[i], func(n int) { t[n] = min(t[n], w) })
	}
	for i := 1; i < len(t)/2; i++ {
		t[2*i], t[2*i+1] = min(t[2*i], t[i]), min(t[2*i+1], t[i])
	}
	r.word = t[len(t)/2:]
	return &m, nil
}

// eachNode calls f for the nodes of a tree that make up positions [from, to).
func eachNode(size int, from, to int32, f func(n int)) {
	for l, r := size+int(from), size+int(to); l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			f(l)
			l++
		}
		if r&1 == 1 {
			r--
			f(r)
		}
	}
}
