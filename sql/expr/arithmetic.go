package expr

import (
	"math"
	"strconv"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// divPrecisionIncrement is MySQL's default of div_precision_increment: the digits
// that "/" and AVG add after the point.
const divPrecisionIncrement = 4

func init() {
	Register(
		Sig{Name: "+", Min: 2, Max: 2, Resolve: resolveSum},
		Sig{Name: "-", Min: 2, Max: 2, Resolve: resolveSum},
		Sig{Name: "signed -", Min: 2, Max: 2, Resolve: resolveSignedDifference, Internal: true},
		Sig{Name: "*", Min: 2, Max: 2, Resolve: resolveProduct},
		Sig{Name: "/", Min: 2, Max: 2, Resolve: resolveQuotient},
		Sig{Name: "%", Min: 2, Max: 2, Resolve: resolveRemainder},
		Sig{Name: "div", Min: 2, Max: 2, Resolve: resolveDiv, Internal: true},
		Sig{Name: "neg", Min: 1, Max: 1, Resolve: resolveNeg, Internal: true},
	)
	for _, fn := range []string{"&", "|", "^", "<<", ">>"} {
		Register(Sig{Name: fn, Min: 2, Max: 2, Resolve: Fixed(types.T(types.Uint64), types.T(types.Uint64))})
	}
	octets := types.T(types.Bytes)
	for _, fn := range []string{"binary &", "binary |", "binary ^"} {
		Register(Sig{Name: fn, Min: 2, Max: 2, Resolve: Fixed(octets, octets), Internal: true})
	}
	for _, fn := range []string{"binary <<", "binary >>"} {
		Register(Sig{Name: fn, Min: 2, Max: 2, Resolve: Fixed(octets, octets, types.T(types.Uint64)), Internal: true})
	}
	Register(Sig{Name: "binary ~", Min: 1, Max: 1, Resolve: Fixed(octets, octets), Internal: true})
	Register(Sig{Name: "~", Min: 1, Max: 1, Resolve: Fixed(types.T(types.Uint64), types.T(types.Uint64))})
	Alias("mod", "%")
}

// Number gives the numeric type that a value of type t has in arithmetic: DATE
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

// exactType gives the DECIMAL in which an operand that is no DOUBLE takes part in
// arithmetic; an integer literal has as many digits as it is written with.
func exactType(e Expr) types.Type {
	c, ok := e.(*Const)
	if !ok || IsNull(c) || !c.Value.Type.IsInteger() {
		return DecimalOf(Number(e.Type()))
	}
	if c.Value.Type.IsUnsigned() {
		return types.Dec(len(strconv.FormatUint(uint64(c.Value.I64), 10)), 0)
	}
	return types.Dec(len(strconv.FormatUint(magnitude(c.Value.I64), 10)), 0)
}

// integers gives the types of an integer operation; the result is unsigned if either
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
	scale := max(x.Scale, y.Scale)
	digits := int(max(x.Prec-x.Scale, y.Prec-y.Scale)) + 1
	return []types.Type{rescaled(x, scale), rescaled(y, scale)}, types.Dec(digits+int(scale), int(scale)), nil
}

// resolveSignedDifference types integer subtraction under NO_UNSIGNED_SUBTRACTION.
func resolveSignedDifference(args []Expr) ([]types.Type, types.Type, error) {
	a, b := numbers(args)
	return []types.Type{a, b}, types.T(types.Int64), nil
}

// rescaled gives t with the given scale and room for the same integer digits.
func rescaled(t types.Type, scale uint8) types.Type {
	return types.Dec(int(t.Prec-t.Scale)+int(scale), int(scale))
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
	return []types.Type{x, y}, types.Dec(int(x.Prec)+int(y.Prec), int(x.Scale)+int(y.Scale)), nil
}

func resolveQuotient(args []Expr) ([]types.Type, types.Type, error) {
	a, b := numbers(args)
	if a.IsFloat() || b.IsFloat() {
		return doubles()
	}
	x, y := exactType(args[0]), exactType(args[1])
	scale := int(x.Scale) + divPrecisionIncrement
	return []types.Type{x, y}, types.Dec(int(x.Prec)+int(y.Scale)+divPrecisionIncrement, scale), nil
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
	scale := max(x.Scale, y.Scale)
	want := []types.Type{rescaled(x, scale), rescaled(y, scale)}
	return want, types.Dec(int(max(x.Prec-x.Scale, y.Prec-y.Scale))+int(scale), int(scale)), nil
}

// resolveDiv: integers divide as integers; other operands divide exactly and lose
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

// negate builds unary minus. Minus a literal is a literal; minus a negative literal
// is DECIMAL, because MySQL takes the literal's bits for an unsigned number that
// BIGINT may not hold when negated.
func negate(args []Expr, pos int) (Expr, error) {
	c, ok := args[0].(*Const)
	if !ok || IsNull(c) {
		return sigs["neg"].call(args, pos)
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
	return sigs["neg"].call(args, pos)
}
