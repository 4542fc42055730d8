package pairs

import (
	"gsql/internal/simd"
)

// machine holds the values of nodes as elements of one type: nodes that depend on the inner side
// are vectors over a tile, the others are scalars.
type machine[T simd.Element] struct {
	vectors [][]T // by node
	scalars []T
	memory  [][]T
}

func newMachine[T simd.Element](nodes int) machine[T] {
	return machine[T]{make([][]T, nodes), make([]T, nodes), make([][]T, nodes)}
}

// vector returns the node's vector in its own memory, with n elements.
func (m *machine[T]) vector(node, n int) []T {
	if m.memory[node] == nil {
		m.memory[node] = make([]T, Tile)
	}
	m.vectors[node] = m.memory[node][:n]
	return m.vectors[node]
}

// load loads the tile's values, and computes the nodes that depend on no outer row.
func (t *Tester) load() {
	nodes := t.c.program.nodes
	for i := range nodes {
		b, n := &t.bounds[i], &nodes[i]
		switch {
		case b.outer:
			continue
		case n.float:
			load(t, &t.floats, i, func(v *values) ([]float64, []int32) { return v.f64, nil }, func(n *node) float64 { return n.f })
		case t.narrow:
			load(t, &t.ints, i, func(v *values) ([]int32, []int32) { return v.i32, nil }, func(n *node) int32 { return int32(n.i) })
		default:
			load(t, &t.wide, i, func(v *values) ([]int64, []int32) { return v.i64, v.i32 }, func(n *node) int64 { return n.i })
		}
	}
}

// load prepares a node that does not depend on the outer row. elements returns an operand's
// values, or 32-bit values that must be widened.
func load[T simd.Element](t *Tester, m *machine[T], i int, elements func(*values) ([]T, []int32), literal func(*node) T) {
	n, size := &t.c.program.nodes[i], padded(t.n)
	switch n.kind {
	case constant:
		m.scalars[i] = literal(n)
	case computed:
		m.compute(t, i)
	default:
		xs, narrow := elements(&t.inner.values[n.b])
		if xs != nil {
			m.vectors[i] = xs[t.from : t.from+size]
			return
		}
		dst := m.vector(i, size)
		for k, x := range narrow[t.from : t.from+size] {
			dst[k] = T(x)
		}
	}
}

// compute computes the given nodes for an outer row.
func (t *Tester) compute(nodes []int, row int) {
	for _, i := range nodes {
		b, n := &t.bounds[i], &t.c.program.nodes[i]
		if !b.outer {
			continue
		}
		v := (*values)(nil)
		if n.kind == loaded {
			v = &t.outer.values[n.b]
		}
		switch {
		case n.float && v != nil:
			t.floats.scalars[i] = v.f64[row]
		case n.float:
			t.floats.compute(t, i)
		case t.narrow && v != nil:
			t.ints.scalars[i] = v.i32[row]
		case t.narrow:
			t.ints.compute(t, i)
		case v != nil && v.i64 == nil:
			t.wide.scalars[i] = int64(v.i32[row])
		case v != nil:
			t.wide.scalars[i] = v.i64[row]
		default:
			t.wide.compute(t, i)
		}
	}
}

// compute computes a node from its arguments.
func (m *machine[T]) compute(t *Tester, i int) {
	n := &t.c.program.nodes[i]
	x, y, op := &t.bounds[n.a], &t.bounds[n.b], n.op
	switch {
	case op == simd.Rem && x.isSmall() && y.isSmall():
		op = simd.RemSmall
	case op == simd.Mul && !n.float && !t.narrow && x.isNarrow() && y.isNarrow():
		op = simd.MulNarrow
	}
	if !x.inner && !y.inner {
		m.scalars[i] = simd.Calculate(op, m.scalars[n.a], m.scalars[n.b])
		return
	}
	dst := m.vector(i, padded(t.n))
	switch {
	case x.inner && y.inner:
		simd.Arithmetic(op, dst, m.vectors[n.a], m.vectors[n.b])
	case x.inner:
		simd.ArithmeticConst(op, dst, m.vectors[n.a], m.scalars[n.b])
	default:
		simd.ConstArithmetic(op, dst, m.scalars[n.a], m.vectors[n.b])
	}
}

// compare writes the mask of a comparison. It returns false if the mask is empty; the mask is
// then not written.
func (m *machine[T]) compare(t *Tester, x *test, dst []uint64) bool {
	a, b := &t.bounds[x.a], &t.bounds[x.b]
	switch {
	case a.inner && b.inner:
		compareVectors(dst, m.vectors[x.a], m.vectors[x.b], x.p)
	case a.inner:
		compareConst(dst, m.vectors[x.a], m.scalars[x.b], x.p)
	case b.inner:
		compareConst(dst, m.vectors[x.b], m.scalars[x.a], mirrored[x.p])
	case !holds(m.scalars[x.a], m.scalars[x.b], x.p):
		return false
	default:
		for i := range dst {
			dst[i] = ^uint64(0)
		}
	}
	return true
}
