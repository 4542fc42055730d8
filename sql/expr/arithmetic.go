package expr

import (
	"math"
	"strconv"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

func registerArithmetic() {
	Register(
		Sig{Name: FuncAdd, Min: 2, Max: 2, Resolve: resolveSum, Carries: true},
		Sig{Name: FuncSub, Min: 2, Max: 2, Resolve: resolveSum, Carries: true},
		Sig{Name: FuncSignedSub, Min: 2, Max: 2, Resolve: resolveSignedDifference, Internal: true},
		Sig{Name: FuncMul, Min: 2, Max: 2, Resolve: resolveProduct, Carries: true},
		Sig{Name: FuncDiv, Min: 2, Max: 3, Resolve: resolveQuotient, Carries: true},
		Sig{Name: FuncMod, Min: 2, Max: 2, Resolve: resolveRemainder, Carries: true},
		Sig{Name: FuncIntDiv, Min: 2, Max: 2, Resolve: resolveDiv, Internal: true, Carries: true},
		Sig{Name: FuncNeg, Min: 1, Max: 1, Resolve: resolveNeg, Build: negate, Internal: true, Carries: true},
	)
	for _, fn := range []FuncID{FuncBitAnd, FuncBitOr, FuncBitXor, FuncShiftLeft, FuncShiftRight} {
		Register(Sig{Name: fn, Min: 2, Max: 2, Resolve: Fixed(types.T(types.Uint64), types.T(types.Uint64))})
	}
	octets := types.T(types.Bytes)
	for _, fn := range []FuncID{FuncBinaryAnd, FuncBinaryOr, FuncBinaryXor} {
		Register(Sig{Name: fn, Min: 2, Max: 2, Resolve: Fixed(octets, octets), Internal: true})
	}
	for _, fn := range []FuncID{FuncBinaryShiftLeft, FuncBinaryShiftRight} {
		Register(Sig{Name: fn, Min: 2, Max: 2, Resolve: Fixed(octets, octets, types.T(types.Uint64)), Internal: true})
	}
	Register(Sig{Name: FuncBinaryNot, Min: 1, Max: 1, Resolve: Fixed(octets, octets), Internal: true})
	Register(Sig{Name: FuncBitNot, Min: 1, Max: 1, Resolve: Fixed(types.T(types.Uint64), types.T(types.Uint64))})
	Alias("mod", FuncMod)
}

// Number returns the numeric type that a value of type t has in arithmetic: DATE
// becomes the integer 20200131, strings become DOUBLE.
func Number(t types.Type) types.Type {
	switch {
	case t.ID == types.Null:
		return types.T(types.Int64)
	case t.IsUnsigned():
		return types.T(types.Uint64)
	case t.IsInteger():
		return types.T(types.Int64)
	case t.ID == types.Decimal:
		return t
	case t.IsTemporal() && (t.Prec == 0 || t.ID == types.Date):
		return types.T(types.Int64)
	case t.IsTemporal():
		return DecimalOf(t)
	}
	return types.T(types.Float64)
}

func numbers(args []Expr) (a, b types.Type) {
	return Number(args[0].Type()), Number(args[1].Type())
}

// exactType returns the DECIMAL that arithmetic uses for an operand that is not a DOUBLE.
func exactType(e Expr) types.Type {
	if !e.Type().IsInteger() {
		return DecimalOf(Number(e.Type()))
	}
	return types.Dec(integerDigits(e), 0)
}

// integerDigits returns an upper bound of the digits of an integer. A literal has as many digits as
// written; the bounds of sums and products follow from those of their operands.
func integerDigits(e Expr) int {
	most := int(DecimalOf(e.Type()).Prec)
	switch x := e.(type) {
	case *Const:
		switch {
		case IsNull(x):
		case x.Value.Type.IsUnsigned():
			return len(strconv.FormatUint(uint64(x.Value.I64), 10))
		default:
			return len(strconv.FormatUint(magnitude(x.Value.I64), 10))
		}
	case *Call:
		for _, a := range x.Args {
			if !a.Type().IsInteger() {
				return most
			}
		}
		switch x.Fn {
		case FuncNeg, FuncAbs:
			return min(most, integerDigits(x.Args[0]))
		case FuncAdd, FuncSub:
			return min(most, max(integerDigits(x.Args[0]), integerDigits(x.Args[1]))+1)
		case FuncMul:
			return min(most, integerDigits(x.Args[0])+integerDigits(x.Args[1]))
		}
	}
	return most
}

// integers returns the types of an integer operation; the result is unsigned if either
// operand is, and operands keep their own signedness.
func integers(a, b types.Type) ([]types.Type, types.Type, error) {
	result := types.T(types.Int64)
	if a.IsUnsigned() || b.IsUnsigned() {
		result = types.T(types.Uint64)
	}
	return []types.Type{a, b}, result, nil
}

func doubles() ([]types.Type, types.Type, error) {
	d := types.T(types.Float64)
	return []types.Type{d, d}, d, nil
}

func resolveSum(args []Expr) ([]types.Type, types.Type, error) {
	a, b := numbers(args)
	switch {
	case a.IsFloat() || b.IsFloat():
		return doubles()
	case a.IsInteger() && b.IsInteger():
		return integers(a, b)
	}
	x, y := exactType(args[0]), exactType(args[1])
	return aligned(x, y), commonDigits(x, y, 1), nil
}

// aligned returns the types of two operands after both are brought to the larger scale.
func aligned(x, y types.Type) []types.Type {
	scale := max(x.Scale, y.Scale)
	return []types.Type{rescaled(x, scale), rescaled(y, scale)}
}

// commonDigits returns the DECIMAL that holds the values of both x and y and has the given number
// of extra digits before the point. It carries digits if x or y does.
func commonDigits(x, y types.Type, more int) types.Type {
	scale := max(x.Shown().Scale, y.Shown().Scale)
	shown := types.Dec(max(x.WholeDigits(), y.WholeDigits())+more+int(scale), int(scale))
	if !x.Carries() && !y.Carries() {
		return shown
	}
	return shown.Carrying(int(max(x.Scale, y.Scale)))
}

// resolveSignedDifference types integer subtraction under NO_UNSIGNED_SUBTRACTION.
func resolveSignedDifference(args []Expr) ([]types.Type, types.Type, error) {
	a, b := numbers(args)
	return []types.Type{a, b}, types.T(types.Int64), nil
}

// rescaled returns t with the given scale and the same number of integer digits.
func rescaled(t types.Type, scale uint8) types.Type {
	if t.Scale == scale {
		return t
	}
	return t.Rescaled(int(scale))
}

func resolveProduct(args []Expr) ([]types.Type, types.Type, error) {
	a, b := numbers(args)
	switch {
	case a.IsFloat() || b.IsFloat():
		return doubles()
	case a.IsInteger() && b.IsInteger():
		return integers(a, b)
	}
	x, y := exactType(args[0]), exactType(args[1])
	return []types.Type{x, y}, productType(x, y), nil
}

func resolveQuotient(args []Expr) ([]types.Type, types.Type, error) {
	a, b := numbers(args)
	x, y := types.T(types.Float64), types.T(types.Float64)
	result := x
	if !a.IsFloat() && !b.IsFloat() {
		x, y = exactType(args[0]), exactType(args[1])
		result = quotientType(x, y, incrementOf(args))
	}
	return []types.Type{x, y, AsIs}[:len(args)], result, nil
}

func resolveRemainder(args []Expr) ([]types.Type, types.Type, error) {
	a, b := numbers(args)
	switch {
	case a.IsFloat() || b.IsFloat():
		return doubles()
	case a.IsInteger() && b.IsInteger():
		return []types.Type{a, b}, a, nil // the sign is the dividend's
	}
	x, y := exactType(args[0]), exactType(args[1])
	return aligned(x, y), commonDigits(x, y, 0), nil
}

// resolveDiv types DIV. Integers divide as integers; other operands divide exactly and drop
// the fraction afterwards.
func resolveDiv(args []Expr) ([]types.Type, types.Type, error) {
	a, b := numbers(args)
	if a.IsInteger() && b.IsInteger() {
		return integers(a, b)
	}
	if a.IsFloat() || b.IsFloat() {
		want, _, err := doubles()
		return want, types.T(types.Int64), err
	}
	return []types.Type{exactType(args[0]), exactType(args[1])}, types.T(types.Int64), nil
}

func resolveNeg(args []Expr) ([]types.Type, types.Type, error) {
	t := Number(args[0].Type())
	if t.IsInteger() {
		return []types.Type{t}, types.T(types.Int64), nil
	}
	return []types.Type{t}, t, nil
}

// negate builds unary minus. The negation of a literal is a literal. The negation of a negative
// literal is a DECIMAL, because MySQL reads the literal's bits as an unsigned number, whose
// negation may exceed BIGINT.
func negate(args []Expr, pos int) (Expr, error) {
	c, ok := args[0].(*Const)
	if !ok || IsNull(c) {
		return sigs[FuncNeg].Call(args, pos)
	}
	d := c.Value
	switch {
	case d.Type.IsUnsigned():
		if uint64(d.I64) == 1<<63 {
			return &Const{Value: catalog.Int(math.MinInt64)}, nil
		}
		if uint64(d.I64) > 1<<63 {
			return negate([]Expr{Cast(c, types.Dec(20, 0))}, pos)
		}
		return &Const{Value: catalog.Int(-d.I64)}, nil
	case d.Type.IsInteger() && d.I64 < 0:
		return negate([]Expr{Cast(c, types.Dec(19, 0))}, pos)
	case d.Type.IsInteger():
		return &Const{Value: catalog.Int(-d.I64)}, nil
	case d.Type.ID == types.Decimal:
		d.Dec = d.Dec.Negate()
		return &Const{Value: d}, nil
	case d.Type.IsFloat():
		d.F64 = -d.F64
		return &Const{Value: d}, nil
	}
	return sigs[FuncNeg].Call(args, pos)
}
