package lower

import (
	"errors"
	"fmt"
	"math/bits"

	"gsql/gpu/pipeline"
)

// wordMost is the maximum number of values of a key.
const wordMost = 1 << 62

// part is one of the keys that a word consists of: the key minus least, times stride. For keys of
// groups, NULL is an additional value after the others.
type part struct {
	e           *pipeline.Expr
	least, span int64 // span counts NULL
	null        bool
	stride      int64

	// A part may be the number, in a hash index, of another word that consists of inner.
	inner []part
	index int
	key   int // the position of the part's key, if it has no inner
}

// newPart describes a key; NULL is one of its values if nulls is set.
func newPart(e *pipeline.Expr, nulls bool) (part, error) {
	if e.Op == pipeline.OpNull {
		return part{e: e, span: 1}, nil
	}
	switch e.Kind {
	case pipeline.Int128:
		return part{}, errLong
	case pipeline.Float:
		return part{}, fmt.Errorf("keys of type DOUBLE have no device form")
	}
	p := part{e: e, least: e.Min, null: nulls && e.Nullable}
	span := uint64(e.Max) - uint64(e.Min)
	if span >= wordMost {
		return p, fmt.Errorf("a key of 64 bits has no device form")
	}
	p.span = int64(span) + 1
	if p.null {
		p.span++
	}
	return p, nil
}

// offset returns the key's number from 0 up to span.
func (l *lowering) offset(p part) (*pipeline.Expr, error) {
	if p.e.Op == pipeline.OpNull {
		return l.Int(0), nil
	}
	e, err := l.Arith(pipeline.OpSub, p.e, l.Int(p.least))
	if err == nil && p.null {
		e = l.If(l.IsNull(p.e), l.Int(p.span-1), e)
	}
	return e, err
}

// values returns the number of words that parts make, or false if there are too many.
func values(parts []part) (n int64, ok bool) {
	n = 1
	for i := range parts {
		hi, lo := bits.Mul64(uint64(n), uint64(parts[i].span))
		if hi > 0 || lo > wordMost {
			return 0, false
		}
		n = int64(lo)
	}
	return n, true
}

// fits reports whether a word can hold one more part.
func fits(parts []part, p part) bool {
	n, ok := values(parts)
	hi, lo := bits.Mul64(uint64(n), uint64(p.span))
	return ok && hi == 0 && lo <= wordMost
}

// word packs keys, which fit, into one number, and sets their strides.
func (l *lowering) word(parts []part) (e *pipeline.Expr, n int64, err error) {
	e, n = l.Int(0), 1
	for i := range parts {
		p := &parts[i]
		p.stride = n
		offset, err := l.offset(*p)
		if err != nil {
			return nil, 0, err
		}
		scaled, err := l.Arith(pipeline.OpMul, offset, l.Int(p.stride))
		if err == nil {
			e, err = l.Arith(pipeline.OpAdd, e, scaled)
		}
		if err != nil {
			return nil, 0, err
		}
		n *= p.span
	}
	return e, n, nil
}

// unpacked returns a key that a word contains.
func (l *lowering) unpacked(word *pipeline.Expr, p part, last bool) (*pipeline.Expr, error) {
	e, err := l.Quotient(pipeline.OpQuo, word, l.Int(p.stride))
	if p.stride == 1 {
		e, err = word, nil
	}
	if err == nil && !last {
		e, err = l.Quotient(pipeline.OpRem, e, l.Int(p.span))
	}
	if err != nil {
		return nil, err
	}
	if p.e.Op == pipeline.OpNull {
		return p.e, nil
	}
	// The bounds of the quotient are those of all possible words.
	e = l.Extreme(pipeline.OpLess, l.Extreme(pipeline.OpGreater, e, l.Int(0)), l.Int(p.span-1))
	key, err := l.Arith(pipeline.OpAdd, e, l.Int(p.least))
	if err == nil && p.null {
		key = l.If(l.Compare(pipeline.OpEQ, e, l.Int(p.span-1)), l.Null(pipeline.Int), key)
	}
	return key, err
}

// power2 returns the least power of two that is at least n and at least 64.
func power2(n float64) int64 {
	size := int64(64)
	for float64(size) < n && size < 1<<31 {
		size *= 2
	}
	return size
}

// addHash adds a hash index of groups for about est and at most most keys, all of which are below
// values.
func (l *lowering) addHash(est, most float64, values int64) int {
	size := power2(2 * min(max(2*est*l.factor, 1024), max(most, 1)))
	keys := l.AddColumn(pipeline.Column{Width: 8, Min: -1, Max: values - 1, Relation: pipeline.None, Size: size, Init: -1})
	x := pipeline.NewIndex(true, size)
	x.Keys = keys
	return l.addIndex(x)
}

// addDirect adds an index whose slots are the keys.
func (l *lowering) addDirect(size int64) int {
	return l.addIndex(pipeline.NewIndex(false, size))
}

func (l *lowering) addIndex(x pipeline.Index) int {
	l.Program.Indexes = append(l.Program.Indexes, x)
	return len(l.Program.Indexes) - 1
}

// array adds a column of integers that a sink fills.
func (l *lowering) array(width int, size, init, least, most int64) int {
	return l.AddColumn(pipeline.Column{Width: width, Min: least, Max: most, Relation: pipeline.None, Size: max(size, 1), Init: init})
}

// joinFunc returns a key from its pieces.
type joinFunc func(pieces []*pipeline.Expr) (*pipeline.Expr, error)

// pieces returns a key of groups as integers of fewer than 62 bits, and the function that joins them.
func (g *grouping) pieces(e *pipeline.Expr) ([]*pipeline.Expr, joinFunc, error) {
	switch {
	case e.Kind == pipeline.Float:
		all, join, err := g.pieces(g.Ordered(e))
		return all, func(p []*pipeline.Expr) (*pipeline.Expr, error) {
			x, err := join(p)
			if err != nil {
				return nil, err
			}
			return g.FromOrdered(x), nil
		}, err
	case e.Kind == pipeline.Int128:
		return g.longPieces(e)
	case isLong(e):
		return g.halvesOf(e)
	}
	return []*pipeline.Expr{e}, func(p []*pipeline.Expr) (*pipeline.Expr, error) { return p[0], nil }, nil
}

// longPieces returns the pieces of the words of an Int128.
func (g *grouping) longPieces(e *pipeline.Expr) ([]*pipeline.Expr, joinFunc, error) {
	high, joinHigh, errHigh := g.pieces(g.High(e))
	low, joinLow, errLow := g.pieces(g.Low(e))
	return append(high, low...), func(p []*pipeline.Expr) (*pipeline.Expr, error) {
		h, errHigh := joinHigh(p[:len(high)])
		l, errLow := joinLow(p[len(high):])
		if err := errors.Join(errHigh, errLow); err != nil {
			return nil, err
		}
		return g.Words(l, h, e.Least, e.Most), nil
	}, errors.Join(errHigh, errLow)
}

// halvesOf returns the upper bits of an integer of 64 bits, and the lower ones, which are not negative.
func (g *grouping) halvesOf(e *pipeline.Expr) ([]*pipeline.Expr, joinFunc, error) {
	high, errHigh := g.Quotient(pipeline.OpQuo, e, g.Int(half))
	low, errLow := g.Quotient(pipeline.OpRem, e, g.Int(half))
	if err := errors.Join(errHigh, errLow); err != nil {
		return nil, nil, err
	}
	negative := g.Compare(pipeline.OpLT, low, g.Int(0))
	below, errBelow := g.Arith(pipeline.OpSub, high, g.ToInt(negative))
	above, errAbove := g.Arith(pipeline.OpAdd, low, g.Int(half))
	if err := errors.Join(errBelow, errAbove); err != nil {
		return nil, nil, err
	}
	high = g.between(below, -half/2, half/2-1)
	low = g.between(g.If(negative, above, low), 0, half-1)
	return []*pipeline.Expr{high, low}, func(p []*pipeline.Expr) (*pipeline.Expr, error) {
		// The bounds of the pieces include a number for NULL.
		upper, err := g.Arith(pipeline.OpMul, g.between(p[0], -half/2, half/2-1), g.Int(half))
		if err != nil {
			return nil, err
		}
		return g.Arith(pipeline.OpAdd, upper, g.between(p[1], 0, half-1))
	}, nil
}
