// Package share merges equal subplans of a finished plan, so that each is computed once.
package share

import (
	"cmp"
	"slices"

	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

const (
	// leastSharedMS is the minimum saving for which a subplan is computed once instead of twice.
	leastSharedMS = 0.2
	// mostSharedBytes bounds the estimated size of the stored result of a shared subplan.
	mostSharedBytes = 64 << 20
)

// Subplans finds subplans that occur several times, such as those of a common table expression
// that is used twice, and arranges for each to be computed once. Candidates are aggregates, rollups, windows,
// set operations that compare rows, joins that an aggregate reads, and pipelines on a device: all are read to the end whatever is above
// them. Plans that run once per outer row or iteration stay unchanged.
func Subplans(root *physical.Node, cpu cost.Model) {
	if root.Est.TotalMS < 2*leastSharedMS {
		return
	}
	s := sharing{cpu: cpu}
	s.collect(root, nil)
	slices.SortStableFunc(s.found, func(a, b subplan) int { // those that have all columns of others first
		return cmp.Or(b.size-a.size, len(b.node.Cols)-len(a.node.Cols))
	})
	for i := range s.found {
		for j := i + 1; j < len(s.found) && s.found[j].size == s.found[i].size; j++ {
			s.try(&s.found[i], &s.found[j])
		}
	}
	for i := range s.found {
		if n := s.found[i].shared; n != nil { // other subplans below it may have been replaced
			n.Est.TotalMS = n.Est.CostMS + n.In[0].Est.TotalMS
		}
	}
}

// sharing is a search for common subplans.
type sharing struct {
	cpu   cost.Model
	found []subplan
	next  int // number of the last one
}

// subplan is a candidate and its place: above are its ancestors, starting with the parent.
type subplan struct {
	node   *physical.Node
	above  []*physical.Node
	size   int            // nodes
	shared *physical.Node // set once its result is stored for others
	gone   bool           // set once it is read from another subplan
}

// collect records the candidates below n and returns the number of nodes.
func (s *sharing) collect(n *physical.Node, above []*physical.Node) (size int) {
	size = 1
	path := append([]*physical.Node{n}, above...)
	for i, in := range n.In {
		switch n.Op.(type) {
		case *physical.Recursive:
			continue
		case *physical.Apply:
			if i > 0 {
				continue
			}
		}
		size += s.collect(in, path)
	}
	if len(above) == 0 || n.Est.TotalMS < leastSharedMS {
		return size
	}
	if _, is := n.Op.(*physical.Pipelines); is {
		s.found = append(s.found, subplan{node: n, above: above, size: size})
	}
	if n.Device != physical.CPU {
		return size
	}
	_, isJoin := n.Op.(*physical.Join)
	_, isAgg := n.Op.(*physical.HashAgg)
	_, isRollup := n.Op.(*physical.Rollup)
	_, isWindow := n.Op.(*physical.Window)
	set, isSet := n.Op.(*physical.SetOp)
	isSet = isSet && (set.Set != logical.Union || !set.All)
	_, read := above[0].Op.(*physical.HashAgg)
	if isAgg || isRollup || isWindow || isSet || isJoin && read {
		s.found = append(s.found, subplan{node: n, above: above, size: size})
	}
	return size
}

// try shares a and b if one of them returns the rows and all columns of the other, and sharing
// pays off.
func (s *sharing) try(a, b *subplan) {
	if a.gone || b.gone || s.within(a) || s.within(b) || b.shared != nil {
		return
	}
	c := comparison{to: map[expr.ColID]expr.ColID{}, filters: map[int]int{}}
	if !c.same(a.node, b.node) {
		c = comparison{to: map[expr.ColID]expr.ColID{}, filters: map[int]int{}}
		if a.shared != nil || !c.same(b.node, a.node) {
			return
		}
		a, b = b, a
	}
	rows, cols := a.node.Est.Rows, float64(len(a.node.Cols))
	keep, read := s.cpu.Collect(rows, cols), s.cpu.Scan(rows, cols, 8*rows*cols, 0)
	if b.node.Est.TotalMS-keep-read < leastSharedMS || 16*rows*cols > mostSharedBytes {
		return
	}
	if a.shared == nil {
		s.next++
		a.shared = &physical.Node{Op: &physical.Shared{ID: s.next}, In: []*physical.Node{a.node}, Cols: a.node.Cols, Device: physical.CPU,
			Est: physical.Estimate{Rows: rows, CostMS: keep, TotalMS: a.node.Est.TotalMS + keep, Bytes: 16 * rows * cols}}
		s.replace(a, a.shared)
	}
	op := a.shared.Op.(*physical.Shared)
	op.Uses++
	reader := &physical.Node{Op: &physical.Shared{ID: op.ID, At: c.positions(a.node.Cols, b.node.Cols)}, Cols: b.node.Cols, Device: physical.CPU,
		Est: physical.Estimate{Rows: b.node.Est.Rows, CostMS: read, TotalMS: read}}
	s.replace(b, reader)
	b.gone = true
}

// within reports whether x is part of a subplan that is no longer computed.
func (s *sharing) within(x *subplan) bool {
	for i := range s.found {
		if y := &s.found[i]; y.gone && slices.Contains(x.above, y.node) {
			return true
		}
	}
	return false
}

// replace puts n in the place of x.
func (s *sharing) replace(x *subplan, n *physical.Node) {
	more := n.Est.TotalMS - x.node.Est.TotalMS
	parent := x.above[0]
	parent.In[slices.Index(parent.In, x.node)] = n
	for _, up := range x.above {
		up.Est.TotalMS += more
	}
}

// comparison matches the columns of two plans, and the dynamic filters created and tested within
// them.
type comparison struct {
	to      map[expr.ColID]expr.ColID // columns of b to those of a
	filters map[int]int
}

// same reports whether a returns the rows of b, and its columns include all columns of b.
func (c *comparison) same(a, b *physical.Node) bool {
	if a.Device != b.Device || len(a.In) != len(b.In) || a.Op.Kind() != b.Op.Kind() {
		return false
	}
	if j, ok := a.Op.(*physical.Join); ok && !c.sameFilters(j.Filters, b.Op.(*physical.Join).Filters) {
		return false
	}
	for i := range a.In {
		if !c.same(a.In[i], b.In[i]) {
			return false
		}
	}
	return c.sameOp(a, b) && c.positions(a.Cols, b.Cols) != nil
}

func (c *comparison) sameFilters(a, b []physical.MadeFilter) bool {
	return slices.EqualFunc(a, b, func(x, y physical.MadeFilter) bool {
		c.filters[y.ID] = x.ID
		return x.Key == y.Key
	})
}

// sameOp compares operators whose inputs match, and matches the columns that they create.
func (c *comparison) sameOp(a, b *physical.Node) bool {
	switch x := a.Op.(type) {
	case *physical.Pipelines:
		return true
	case *physical.Scan:
		return c.sameScan(a, b, x, b.Op.(*physical.Scan))
	case *physical.Filter:
		return c.equal(x.Preds, b.Op.(*physical.Filter).Preds)
	case *physical.Project:
		return c.some(a.Cols, b.Cols, x.Exprs, b.Op.(*physical.Project).Exprs)
	case *physical.HashAgg:
		return c.sameAgg(a, b, x, b.Op.(*physical.HashAgg))
	case *physical.SetOp:
		y := b.Op.(*physical.SetOp)
		return x.Set == y.Set && x.All == y.All && c.sameSides(a, b)
	case *physical.Rollup:
		return c.sameRollup(a, b, x, b.Op.(*physical.Rollup))
	case *physical.Window:
		return c.sameWindow(a, b, x, b.Op.(*physical.Window))
	case *physical.Join:
		y := b.Op.(*physical.Join)
		l, r := x.Operands()
		m, s := y.Operands()
		return x.Type == y.Type && x.Type != logical.Mark && x.BuildLeft == y.BuildLeft && x.LeftFirst == y.LeftFirst && x.NullAware == y.NullAware &&
			c.equal(l, m) && c.equal(r, s) && c.equal(x.Residual, y.Residual) &&
			slices.EqualFunc(x.Keys, y.Keys, func(p, q physical.KeyPair) bool { return p.NullSafe == q.NullSafe }) &&
			slices.EqualFunc(x.Ranges, y.Ranges, func(p, q physical.RangePred) bool { return p.Op == q.Op })
	}
	return false
}

// sameSides matches the columns of set operations, which take them from their inputs by position.
func (c *comparison) sameSides(a, b *physical.Node) bool {
	for side := range b.In {
		from, to := a.In[side].Cols, b.In[side].Cols
		if len(from) != len(to) {
			return false
		}
		for i := range to {
			if id, ok := c.to[to[i].ID]; !ok || id != from[i].ID {
				return false
			}
		}
	}
	for i := range b.Cols {
		c.to[b.Cols[i].ID] = a.Cols[i].ID
	}
	return true
}

func (c *comparison) sameScan(a, b *physical.Node, x, y *physical.Scan) bool {
	if x.Table != y.Table || x.Bound != nil || y.Bound != nil {
		return false
	}
	for i, o := range y.Ordinals {
		at := slices.Index(x.Ordinals, o)
		if at < 0 {
			return false
		}
		c.to[b.Cols[i].ID] = a.Cols[at].ID
	}
	return c.equal(x.Preds, y.Preds) && c.sameDynamic(x.Dynamic, y.Dynamic)
}

// mostDropped is the share of b's rows that dynamic filters from outside may drop.
const mostDropped = 0.5

// sameDynamic compares the dynamic filters of two scans. Those made within the subplans must match.
// Filters from outside may be missing in a, as the joins that make them drop the rows, too, unless they
// spare b much work.
func (c *comparison) sameDynamic(a, b []physical.DynamicFilter) bool {
	matched, keeps := 0, 1.0
	for _, g := range b {
		id, within := c.filters[g.ID]
		if !within {
			keeps *= g.Keeps
			continue
		}
		if matched == len(a) || a[matched].ID != id || a[matched].Early != g.Early || !c.equals(a[matched].Key, g.Key) {
			return false
		}
		matched++
	}
	return matched == len(a) && keeps >= 1-mostDropped
}

// sameWindow compares windows over the same rows: all functions of b must be among those of a.
func (c *comparison) sameWindow(a, b *physical.Node, x, y *physical.Window) bool {
	if x.Top != y.Top || !slices.EqualFunc(x.Keys, y.Keys, func(k, l expr.SortKey) bool { return k.Desc == l.Desc && c.equals(k.Expr, l.Expr) }) {
		return false
	}
	if x.Top > 0 && !c.sameFunc(&x.Funcs[x.TopBy], &y.Funcs[y.TopBy]) {
		return false
	}
	first, second := len(a.Cols)-len(x.Funcs), len(b.Cols)-len(y.Funcs)
	for i := range y.Funcs {
		at := slices.IndexFunc(x.Funcs, func(f physical.WindowFunc) bool { return c.sameFunc(&f, &y.Funcs[i]) })
		if at < 0 {
			return false
		}
		c.to[b.Cols[second+i].ID] = a.Cols[first+at].ID
	}
	return true
}

// sameFunc compares functions over windows. Frames whose bounds are computed count as different.
func (c *comparison) sameFunc(f, g *physical.WindowFunc) bool {
	if g.Frame != nil && (g.Frame.Key != nil || g.Frame.Start.Value != nil || g.Frame.End.Value != nil) {
		return false
	}
	return f.Partition == g.Partition && f.Order == g.Order && f.Fn == g.Fn && f.Agg == g.Agg && f.N == g.N && f.T == g.T &&
		c.equal(f.Args, g.Args) && expr.EqualFrames(f.Frame, g.Frame)
}

func (c *comparison) sameAgg(a, b *physical.Node, x, y *physical.HashAgg) bool {
	if !c.equal(x.Keys, y.Keys) {
		return false
	}
	return c.sameAggs(a.Cols, b.Cols, len(x.Keys), x.Aggs, y.Aggs)
}

func (c *comparison) sameRollup(a, b *physical.Node, x, y *physical.Rollup) bool {
	return c.equal(x.Keys, y.Keys) && c.sameAggs(a.Cols, b.Cols, len(x.Keys)+1, x.Aggs, y.Aggs)
}

// sameAggs matches columns: the first are equal, and the others hold aggregates. All those of b must
// be among those of a.
func (c *comparison) sameAggs(acols, bcols []logical.Column, first int, a, b []*expr.Agg) bool {
	for i := range first {
		c.to[bcols[i].ID] = acols[i].ID
	}
	for i, g := range b {
		at := slices.IndexFunc(a, func(f *expr.Agg) bool { return c.sameAggregate(f, g) })
		if at < 0 {
			return false
		}
		c.to[bcols[first+i].ID] = acols[first+at].ID
	}
	return true
}

func (c *comparison) sameAggregate(f, g *expr.Agg) bool {
	return f.Fn == g.Fn && f.Distinct == g.Distinct && f.Sep == g.Sep && f.T == g.T && len(f.OrderBy)+len(g.OrderBy) == 0 && c.equal(f.Args, g.Args)
}

// some matches each column of b with an equal expression among those of a.
func (c *comparison) some(acols, bcols []logical.Column, a, b []expr.Expr) bool {
	for i, e := range b {
		at := slices.IndexFunc(a, func(x expr.Expr) bool { return c.equals(x, e) })
		if at < 0 {
			return false
		}
		c.to[bcols[i].ID] = acols[at].ID
	}
	return true
}

func (c *comparison) equal(a, b []expr.Expr) bool { return slices.EqualFunc(a, b, c.equals) }

// equals compares an expression of a with one of b, which must be stable.
func (c *comparison) equals(a, b expr.Expr) bool {
	m := c.moved(b)
	return m != nil && !expr.Volatile(a) && expr.Equal(a, m)
}

// moved rewrites an expression of b over the columns of a. It returns nil if some have no
// counterpart.
func (c *comparison) moved(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Col:
		id, ok := c.to[x.ID]
		if !ok {
			return nil
		}
		m := *x
		m.ID = id
		return &m
	case *expr.Call:
		m := *x
		m.Args = make([]expr.Expr, len(x.Args))
		for i, arg := range x.Args {
			if m.Args[i] = c.moved(arg); m.Args[i] == nil {
				return nil
			}
		}
		return &m
	case *expr.Const, *expr.Placeholder:
		return e
	}
	return nil
}

// positions returns the indexes of b's columns among a's, or nil if one is missing.
func (c *comparison) positions(a, b []logical.Column) []int {
	out := make([]int, len(b))
	for i := range b {
		id, ok := c.to[b[i].ID]
		out[i] = slices.IndexFunc(a, func(col logical.Column) bool { return col.ID == id })
		if !ok || out[i] < 0 || a[out[i]].T != b[i].T {
			return nil
		}
	}
	return out
}
