package expr

import (
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func registerComparisons() {
	for _, fn := range []FuncID{FuncEQ, FuncNE, FuncLT, FuncLE, FuncGT, FuncGE} {
		Register(Sig{Name: fn, Min: 2, Max: 2, Resolve: resolveComparison, Compares: FuncCollationKey, pair: comparisonTypes})
	}
	Register(
		Sig{Name: FuncNullSafeEQ, Min: 2, Max: 2, Resolve: resolveComparison, NullAware: true, Compares: FuncCollationKey, pair: comparisonTypes},
		Sig{Name: FuncIn, Min: 2, Max: -1, Resolve: resolveIn, Build: newIn, NullAware: true, Internal: true, Compares: FuncCollationKey},
	)
	Alias("!=", FuncNE)
}

func resolveComparison(args []Expr) ([]types.Type, types.Type, error) {
	if anyJSON(args) {
		return []types.Type{AsIs, AsIs}, types.T(types.Int64), compareJSON(args)
	}
	a, b, err := comparisonTypes(args[0], args[1])
	return []types.Type{a, b}, types.T(types.Int64), err
}

// comparisonTypes returns the types in which MySQL compares a with b. They are
// equal except for two DECIMALs whose common scale does not fit 38 digits.
func comparisonTypes(a, b Expr) (ta, tb types.Type, err error) {
	x, y := a.Type(), b.Type()
	switch {
	case x.ID == types.Null && y.ID == types.Null:
		x = types.T(types.Int64)
		return x, x, nil
	case x.ID == types.Null:
		return y, y, nil
	case y.ID == types.Null:
		return x, x, nil
	case x.IsString() && y.IsString():
		return types.T(types.String), types.T(types.String), nil
	case x.IsTemporal() && y.IsString():
		t, err := TemporalFor(x, b)
		return t, t, err
	case y.IsTemporal() && x.IsString():
		t, err := TemporalFor(y, a)
		return t, t, err
	case x.IsTemporal() && y.IsTemporal():
		t := commonTemporal(x, y)
		return t, t, nil
	}
	x, y = Number(x), Number(y)
	switch {
	case x.IsFloat() || y.IsFloat():
		x = types.T(types.Float64)
		return x, x, nil
	case x.IsInteger() && y.IsInteger():
		ta, tb = comparableIntegers(a, b, x, y)
		return ta, tb, nil
	}
	ta, tb = comparableDecimals(DecimalOf(x), DecimalOf(y))
	return ta, tb, nil
}

// comparableIntegers compares a signed with an unsigned operand as unsigned if the signed one is a
// non-negative constant, as signed if the unsigned one has fewer than 64 bits, and otherwise as
// decimals, so that -1 < 18446744073709551615.
func comparableIntegers(a, b Expr, x, y types.Type) (types.Type, types.Type) {
	if x == y {
		return x, y
	}
	signed, unsigned := a, b
	if x.IsUnsigned() {
		signed, unsigned = b, a
	}
	if v, ok := Likely(signed); ok && !v.Null && v.I64 >= 0 && v.Type.IsInteger() {
		return types.T(types.Uint64), types.T(types.Uint64)
	}
	if unsigned.Type().Bits() < 64 && unsigned.Type().IsUnsigned() {
		return types.T(types.Int64), types.T(types.Int64)
	}
	d := types.Dec(20, 0)
	return d, d
}

func comparableDecimals(x, y types.Type) (types.Type, types.Type) {
	scale := max(x.Scale, y.Scale)
	digits := max(x.Prec-x.Scale, y.Prec-y.Scale)
	if int(digits)+int(scale) > types.MaxPrecision {
		return x, y
	}
	d := types.Dec(int(digits)+int(scale), int(scale))
	return d, d
}

// TemporalFor returns the type in which a value of the temporal type t is compared with the string
// s: t itself if the conversion of s is known to be exact, else DATETIME.
func TemporalFor(t types.Type, s Expr) (types.Type, error) {
	if t.ID == types.Time {
		return types.Type{ID: types.Time, Prec: 6}, nil
	}
	datetime := types.Type{ID: types.Datetime, Prec: 6}
	v, ok := Likely(s)
	if !ok || v.Null {
		return datetime, nil
	}
	us, _, ok := types.ParseDatetime(v.Str)
	if !ok {
		return t, sqlerr.New(sqlerr.WrongValue, "Incorrect %s value: '%s'", t.Name(), v.Str).
			WithHint("Write dates as 'YYYY-MM-DD' and times as 'hh:mm:ss'.")
	}
	if t.ID == types.Date && us%types.Day == 0 {
		return t, nil
	}
	return datetime, nil
}

// resolveIn infers the types of an IN whose elements all compare in one type; newIn handles all
// others.
func resolveIn(args []Expr) ([]types.Type, types.Type, error) {
	want, _, err := inTypes(args)
	return want, types.T(types.Int64), err
}

// inTypes returns the types in which the operand and the list elements compare, and
// whether one type serves all.
func inTypes(args []Expr) (want []types.Type, uniform bool, err error) {
	want = make([]types.Type, len(args))
	uniform = true
	for i, a := range args[1:] {
		l, r, err := comparisonTypes(args[0], a)
		if err != nil {
			return nil, false, err
		}
		if i == 0 || IsNull(args[1]) {
			want[0] = l
		}
		if !IsNull(a) {
			want[0] = widerComparison(want[0], l)
		}
		uniform = uniform && l == r
		want[i+1] = r
	}
	for i, a := range args[1:] {
		if IsNull(a) {
			want[i+1] = want[0]
		}
		if want[i+1].Kind() != want[0].Kind() || want[i+1].IsTemporal() && clock(want[i+1].ID) != clock(want[0].ID) {
			uniform = false
		}
		want[i+1] = want[0]
	}
	return want, uniform, nil
}

// widerComparison joins two comparison types of one kind.
func widerComparison(a, b types.Type) types.Type {
	switch {
	case a.ID == types.Decimal && b.ID == types.Decimal:
		return commonDecimal(a, b)
	case a.IsTemporal() && b.IsTemporal():
		return commonTemporal(a, b)
	}
	return a
}

// newIn builds IN (list). A list of one element becomes "="; a list whose elements compare with the
// operand in different types becomes an "or" of "=".
func newIn(args []Expr, pos int) (Expr, error) {
	if len(args) == 2 {
		return NewCall(FuncEQ, args, pos)
	}
	if anyJSON(args) {
		return alternatives(args, pos)
	}
	for i, a := range args {
		args[i] = Unrounded(a)
	}
	want, uniform, err := inTypes(args)
	if err != nil {
		return nil, sqlerr.From(err).At(pos)
	}
	if uniform && (want[0].ID != types.Decimal || int(want[0].Prec) < types.MaxPrecision) {
		return sigs[FuncIn].Call(args, pos)
	}
	return alternatives(args, pos)
}

// alternatives rewrites IN (list) as an "or" of "=".
func alternatives(args []Expr, pos int) (_ Expr, err error) {
	out := make([]Expr, len(args)-1)
	for i, a := range args[1:] {
		if out[i], err = NewCall(FuncEQ, []Expr{args[0], a}, pos); err != nil {
			return nil, err
		}
	}
	return NewCall(FuncOr, out, pos)
}
