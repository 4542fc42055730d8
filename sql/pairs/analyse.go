package pairs

import (
	"math"
	"math/bits"

	"gsql/internal/simd"
)

// bounds holds the smallest and the largest value of a node, and the sides that it depends on.
type bounds struct {
	lo, hi int64
	large  float64 // floats: an upper bound of the magnitude
	inner  bool    // depends on the inner side: a vector
	outer  bool    // depends on the outer side: changes from one outer row to the next
}

// hugeFloat limits the magnitude of sums and products of floats, so that none becomes infinite
// however the bounds are rounded.
const hugeFloat = 1e300

// analyse computes bounds of all nodes from the values in the rows and chooses the width of
// integers. It returns false if a result may be out of range; the general way must then be used.
func (t *Tester) analyse() bool {
	p := t.c.program
	if cap(t.bounds) < len(p.nodes) {
		t.bounds = make([]bounds, len(p.nodes))
	}
	t.bounds = t.bounds[:len(p.nodes)]
	t.narrow = true
	for i := range p.nodes {
		n, b := &p.nodes[i], &t.bounds[i]
		switch n.kind {
		case constant:
			*b = bounds{lo: n.i, hi: n.i, large: math.Abs(n.f)}
		case loaded:
			*b = t.operandBounds(n)
			if n.float && !(b.large < hugeFloat) { // also if there are NaNs
				return false
			}
		default:
			var ok bool
			if *b, ok = t.resultBounds(n); !ok {
				return false
			}
		}
		t.narrow = t.narrow && b.isNarrow()
	}
	return true
}

func (t *Tester) operandBounds(n *node) bounds {
	rows, inner := t.outer, Side(n.a) != t.outerSide
	if inner {
		rows = t.inner
	}
	v := &rows.values[n.b]
	if n.float {
		return bounds{large: v.large, inner: inner, outer: !inner}
	}
	return bounds{lo: v.lo, hi: v.hi, inner: inner, outer: !inner}
}

// resultBounds computes the bounds of a computed node; ok is false if the node's type might not
// hold its values.
func (t *Tester) resultBounds(n *node) (b bounds, ok bool) {
	x, y := &t.bounds[n.a], &t.bounds[n.b]
	b.inner, b.outer = x.inner || y.inner, x.outer || y.outer
	if n.float {
		if b.large = x.large + y.large; n.op == simd.Mul {
			b.large = x.large * y.large
		}
		return b, b.large < hugeFloat
	}
	switch n.op {
	case simd.Add:
		lo, over := add(x.lo, y.lo)
		hi, over2 := add(x.hi, y.hi)
		b.lo, b.hi, ok = lo, hi, !over && !over2
	case simd.Sub:
		lo, over := sub(x.lo, y.hi)
		hi, over2 := sub(x.hi, y.lo)
		b.lo, b.hi, ok = lo, hi, !over && !over2
	case simd.Mul:
		b.lo, b.hi, ok = productBounds(x, y)
	default:
		b.lo, b.hi, ok = remainderBounds(x, y)
		ok = ok || n.byZero
	}
	return b, ok && b.lo >= n.within.lo && b.hi <= n.within.hi
}

func add(a, b int64) (int64, bool) {
	r := a + b
	return r, (a^r)&(b^r) < 0
}

func sub(a, b int64) (int64, bool) {
	r := a - b
	return r, (a^b)&(a^r) < 0
}

func mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	h := int64(hi) - a>>63&b - b>>63&a
	return int64(lo), h != int64(lo)>>63
}

func productBounds(x, y *bounds) (lo, hi int64, ok bool) {
	lo, hi = math.MaxInt64, math.MinInt64
	for _, f := range [4][2]int64{{x.lo, y.lo}, {x.lo, y.hi}, {x.hi, y.lo}, {x.hi, y.hi}} {
		p, over := mul(f[0], f[1])
		if over {
			return 0, 0, false
		}
		lo, hi = min(lo, p), max(hi, p)
	}
	return lo, hi, true
}

// remainderBounds returns the bounds of a remainder; ok is false if the divisor may be zero.
func remainderBounds(x, y *bounds) (lo, hi int64, ok bool) {
	most := max(y.hi, -max(y.lo, -math.MaxInt64), 1) - 1
	if x.lo < 0 {
		lo = max(x.lo, -most)
	}
	if x.hi > 0 {
		hi = min(x.hi, most)
	}
	return lo, hi, y.lo > 0 || y.hi < 0
}

// isNarrow reports whether all values of a node fit in 32 bits.
func (b *bounds) isNarrow() bool { return b.lo >= math.MinInt32 && b.hi <= math.MaxInt32 }

// isSmall reports whether all values of a node have a magnitude of at most 23 bits.
func (b *bounds) isSmall() bool { return b.lo > -1<<23 && b.hi < 1<<23 }
