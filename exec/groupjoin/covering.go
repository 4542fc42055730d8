package groupjoin

import (
	"gsql/exec/accum"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// covering computes aggregates over the rows whose windows cover each cell.
type covering struct {
	acct     *mem.Account
	cells    int
	from, to []int32  // the cells of each row
	all      []int32  // 0, 1, 2, ... cells
	held     holdings // what is needed for one aggregate
}

func held[T any](c *covering, n int) ([]T, error) { return allocIn[T](&c.held, c.acct, n) }

// counts writes to dst how many values cover each cell: those of v that are not NULL, or
// all rows.
func (c *covering) counts(v *vec.Vector, dst []int64) {
	for i, from := range c.from {
		if v == nil || !v.IsNull(i) {
			dst[from]++
			dst[c.to[i]]--
		}
	}
	n := int64(0)
	for k := range dst {
		n += dst[k]
		dst[k] = n
	}
}

// aggregate writes an aggregate of v, flat, nil for COUNT(*), to out.
func (c *covering) aggregate(a *expr.Agg, v *vec.Vector, out *vec.Vector) (err error) {
	defer c.held.free()
	var r results
	if r.count, err = held[int64](c, c.cells+1); err != nil {
		return err
	}
	c.counts(v, r.count)
	switch {
	case a.Fn == expr.Count || a.Fn == expr.CountStar:
		return countOut{}.emit(&r, c.all, out)
	case a.Fn == expr.Min || a.Fn == expr.Max:
		return c.extremes(a, v, &r, out)
	case v.Type.Kind() == types.KindF64:
		return c.floats(v, &r, out)
	}
	return c.sums(a, v, &r, out)
}

// sums adds each value where its window begins and takes it away where it ends.
func (c *covering) sums(a *expr.Agg, v *vec.Vector, r *results, out *vec.Vector) (err error) {
	if r.exact, err = held[accum.Exact](c, c.cells+1); err != nil {
		return err
	}
	m := exactOut{a.String(), int(v.Type.Scale)}
	ok := true
	for i, from := range c.from {
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
		return m.overflow()
	}
	return m.emit(r, c.all, out)
}

// floats adds each value to the nodes of a tree that make up its window; a cell's sum is
// that of the nodes above it.
func (c *covering) floats(v *vec.Vector, r *results, out *vec.Vector) (err error) {
	t, err := held[accum.Float](c, 2*treeSize(c.cells+1))
	if err != nil {
		return err
	}
	if r.float, err = held[float64](c, c.cells+1); err != nil {
		return err
	}
	for i := range c.from {
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
	return floatOut{}.emit(r, c.all, out)
}

// extremes is floats for MIN and MAX.
func (c *covering) extremes(a *expr.Agg, v *vec.Vector, r *results, out *vec.Vector) (err error) {
	m, err := newExtremeOut(a.Fn == expr.Max, v, c.acct)
	if err != nil {
		return err
	}
	words, err := m.byRow(v, v.N, c.acct)
	if err != nil {
		return err
	}
	defer words.Free()
	tree, err := leastTree(c.acct, c.cells+1)
	if err != nil {
		return err
	}
	defer tree.Free()
	t := tree.S
	for i, w := range words.S {
		eachNode(len(t)/2, c.from[i], c.to[i], func(n int) { t[n] = min(t[n], w) })
	}
	for i := 1; i < len(t)/2; i++ {
		t[2*i], t[2*i+1] = min(t[2*i], t[i]), min(t[2*i+1], t[i])
	}
	r.word = t[len(t)/2:]
	return m.emit(r, c.all, out)
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
