package lower

import (
	"errors"

	"gsql/gpu/pipeline"
)

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

// between returns an integer with bounds that it is known to have.
func (g *grouping) between(e *pipeline.Expr, least, most int64) *pipeline.Expr {
	return g.Extreme(pipeline.OpLess, g.Extreme(pipeline.OpGreater, e, g.Int(least)), g.Int(most))
}
