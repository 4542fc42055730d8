package eval

import (
	"math/big"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// exactOps compute decimals. Nodes whose arguments or results have other types use programs
// instead.
var exactOps map[expr.FuncID]exactOp

// exactControl computes calls with values of any type and skips arguments that are not needed.
var exactControl map[expr.FuncID]exactOp

func init() {
	exactOps = map[expr.FuncID]exactOp{
		expr.FuncAdd: strictOp(exactSum(false)), expr.FuncSub: strictOp(exactSum(true)), expr.FuncMul: strictOp(exactProduct), expr.FuncDiv: strictOp(exactQuotient),
		expr.FuncMod: strictOp(exactRemainder), expr.FuncIntDiv: strictOp(exactDiv), expr.FuncCast: strictOp(exactCast),
		expr.FuncNeg:   strictOp(func(_ *exactly, _ *exactNode, a []amount) (amount, error) { return a[0].negated(), nil }),
		expr.FuncAbs:   strictOp(func(_ *exactly, _ *exactNode, a []amount) (amount, error) { return a[0].magnitude(), nil }),
		expr.FuncSign:  strictOp(func(_ *exactly, _ *exactNode, a []amount) (amount, error) { return whole(int64(a[0].n.Sign())), nil }),
		expr.FuncFloor: strictOp(func(_ *exactly, _ *exactNode, a []amount) (amount, error) { return a[0].floor(), nil }),
		expr.FuncCeil: strictOp(func(_ *exactly, _ *exactNode, a []amount) (amount, error) {
			return a[0].negated().floor().negated(), nil
		}),
		expr.FuncRound: strictOp(exactRound(amount.rescaled)), expr.FuncTruncate: strictOp(exactRound(amount.cutOff)),
		expr.FuncGreatest: strictOp(exactExtreme(1)), expr.FuncLeast: strictOp(exactExtreme(-1)),
	}
	for name, rel := range kernel.Relations {
		exactOps[name] = strictOp(func(_ *exactly, _ *exactNode, a []amount) (amount, error) {
			return whole(int64(rel.Holds(a[0].cmp(a[1])))), nil
		})
	}
	exactControl = map[expr.FuncID]exactOp{
		expr.FuncCase: exactCase, expr.FuncCoalesce: exactCoalesce, expr.FuncAnd: exactConnective(false), expr.FuncOr: exactConnective(true),
	}
}

func exactNumber(t types.Type) bool {
	return t.ID == types.Decimal || t.IsInteger() || t.ID == types.Null
}

func exactOpOf(c *expr.Call) exactOp {
	if op := exactControl[c.Fn]; op != nil {
		return op
	}
	if !exactNumber(c.T) || c.Fn == expr.FuncCast && c.T.ID != types.Decimal {
		return nil
	}
	for _, a := range c.Args {
		if !exactNumber(a.Type()) {
			return nil
		}
	}
	return exactOps[c.Fn]
}

// strictOp computes all arguments, and returns NULL if any of them is NULL.
func strictOp(f func(x *exactly, n *exactNode, args []amount) (amount, error)) exactOp {
	return func(x *exactly, n *exactNode) (amount, error) {
		args := make([]amount, len(n.kids))
		null := false
		for i, k := range n.kids {
			var err error
			if args[i], err = x.value(k); err != nil {
				return amount{}, err
			}
			null = null || args[i].null()
		}
		if null {
			return amount{}, nil
		}
		return f(x, n, args)
	}
}

func (a amount) negated() amount   { return amount{n: new(big.Int).Neg(a.n), scale: a.scale} }
func (a amount) magnitude() amount { return amount{n: new(big.Int).Abs(a.n), scale: a.scale} }

// floor returns the largest integer that is not greater than a.
func (a amount) floor() amount { return amount{n: new(big.Int).Div(a.n, tens(a.scale))} }

// settled cuts off the digits that exceed the words of MySQL's decimals, then rounds to the scale
// of the node's type unless that type carries further digits.
func (x *exactly) settled(n *exactNode, v amount) (amount, error) {
	if expr.WordsAfterPoint(v.mostDigits()) < v.scale {
		scale := expr.WordsAfterPoint(v.digits())
		if scale < 0 {
			return amount{}, x.outOfRange(n)
		}
		v = v.cutOff(scale)
	}
	if t := n.call.T; !t.Carries() && v.scale > int(t.Scale) {
		v = v.rescaled(int(t.Scale))
	}
	return v, nil
}

func exactSum(sub bool) func(*exactly, *exactNode, []amount) (amount, error) {
	return func(x *exactly, n *exactNode, args []amount) (amount, error) {
		a, b := aligned(args[0], args[1])
		if sub {
			b = b.negated()
		}
		return x.settled(n, amount{n: new(big.Int).Add(a.n, b.n), scale: a.scale})
	}
}

func exactProduct(x *exactly, n *exactNode, args []amount) (amount, error) {
	a, b := args[0], args[1]
	return x.settled(n, amount{n: new(big.Int).Mul(a.n, b.n), scale: a.scale + b.scale})
}

func exactQuotient(x *exactly, n *exactNode, args []amount) (amount, error) {
	a, b := args[0], args[1]
	if b.n.Sign() == 0 {
		return x.divisionByZero(n), nil
	}
	scale := expr.QuotientScale(a.scale, b.scale, expr.Increment(n.call))
	a = a.raised(scale + b.scale)
	return x.settled(n, amount{n: new(big.Int).Quo(a.n, b.n), scale: a.scale - b.scale}.cutOff(scale))
}

func exactRemainder(x *exactly, n *exactNode, args []amount) (amount, error) {
	a, b := aligned(args[0], args[1])
	if b.n.Sign() == 0 {
		return x.divisionByZero(n), nil
	}
	return amount{n: new(big.Int).Rem(a.n, b.n), scale: a.scale}, nil
}

func exactDiv(x *exactly, n *exactNode, args []amount) (amount, error) {
	a, b := aligned(args[0], args[1])
	if b.n.Sign() == 0 {
		return x.divisionByZero(n), nil
	}
	q := amount{n: new(big.Int).Quo(a.n, b.n)}
	if !q.n.IsInt64() {
		return q, x.outOfRange(n)
	}
	return q, nil
}

// exactCast rounds only if the type's scale is smaller than that of the argument's type;
// otherwise it keeps carried digits.
func exactCast(x *exactly, n *exactNode, args []amount) (amount, error) {
	v, to := args[0], n.call.T
	if to.Scale < n.call.Args[0].Type().Scale {
		v = v.rescaled(int(to.Scale))
	}
	v = v.raised(int(to.Scale))
	if limit := tens(int(to.Prec)); to.Prec < types.MaxPrecision && v.scale == int(to.Scale) && v.n.CmpAbs(limit) >= 0 {
		x.rt.Call = n.call
		x.rt.Warn(sqlerr.WarnDataOutOfRange, "Out of range value for column '%s'", n.call)
		most := amount{n: new(big.Int).Sub(limit, big.NewInt(1)), scale: v.scale}
		if v.n.Sign() < 0 {
			most = most.negated()
		}
		return most, nil
	}
	return v, nil
}

// exactRound implements ROUND and TRUNCATE: drop reduces a number to the given number of digits
// after the decimal point.
func exactRound(drop func(amount, int) amount) func(*exactly, *exactNode, []amount) (amount, error) {
	return func(_ *exactly, _ *exactNode, args []amount) (amount, error) {
		v, digits := args[0], int64(0)
		if len(args) == 2 {
			digits = min(max(args[1].n.Int64(), -kernel.ManyDigits), kernel.ManyDigits)
		}
		switch {
		case digits >= int64(v.scale):
			return v, nil
		case digits >= 0:
			return drop(v, int(digits)), nil
		}
		shifted := amount{n: v.n, scale: v.scale + int(-digits)}
		return amount{n: drop(shifted, 0).raised(int(-digits)).n}, nil
	}
}

func exactExtreme(sign int) func(*exactly, *exactNode, []amount) (amount, error) {
	return func(_ *exactly, _ *exactNode, args []amount) (amount, error) {
		best := args[0]
		for _, a := range args[1:] {
			if a.cmp(best) == sign {
				best = a
			}
		}
		return best, nil
	}
}

func exactCase(x *exactly, n *exactNode) (amount, error) {
	for i := 0; i+1 < len(n.kids); i += 2 {
		holds, err := x.value(n.kids[i])
		if err != nil {
			return amount{}, err
		}
		if holds.truth() == isTruth {
			return x.value(n.kids[i+1])
		}
	}
	if len(n.kids)%2 == 0 {
		return amount{}, nil
	}
	return x.value(n.kids[len(n.kids)-1])
}

func exactCoalesce(x *exactly, n *exactNode) (amount, error) {
	for _, k := range n.kids {
		if v, err := x.value(k); err != nil || !v.null() {
			return v, err
		}
	}
	return amount{}, nil
}

// truth is the outcome of a condition.
type truth uint8

const (
	unknownTruth truth = iota
	isTruth
	isNotTruth
)

func (a amount) truth() truth {
	switch {
	case a.null():
		return unknownTruth
	case a.n != nil && a.n.Sign() != 0, a.n == nil && (a.other.I64 != 0 || a.other.F64 != 0):
		return isTruth
	}
	return isNotTruth
}

func exactConnective(or bool) exactOp {
	decides, otherwise := isNotTruth, int64(1)
	if or {
		decides, otherwise = isTruth, 0
	}
	return func(x *exactly, n *exactNode) (amount, error) {
		unknown := false
		for _, k := range n.kids {
			v, err := x.value(k)
			if err != nil {
				return amount{}, err
			}
			switch v.truth() {
			case decides:
				return whole(1 - otherwise), nil
			case unknownTruth:
				unknown = true
			}
		}
		if unknown {
			return amount{}, nil
		}
		return whole(otherwise), nil
	}
}
