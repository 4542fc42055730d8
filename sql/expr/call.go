package expr

import (
	"math"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// NewCall returns a typed call of the function fn. It checks the number of arguments, infers
// MySQL's result type and converts the arguments to the types that the function computes with. It
// normalises some functions, so that rules and kernels handle one form only: IF and NULLIF become
// "case", IFNULL becomes "coalesce", nested "and" and "or" are flattened, a minus before a literal
// becomes a literal, and IN over operands of different types becomes an "or" of "=". pos is the
// byte offset for errors, -1 if unknown.
//
// Errors: 1305 (unknown function), 1582 (argument count), 1525 (a constant that is
// not a date but is compared with one), 1267 (collations that cannot be combined).
func NewCall(fn FuncID, args []Expr, pos int) (Expr, error) {
	s := Lookup(fn)
	if s == nil {
		return nil, UnknownFunction(fn, pos)
	}
	if len(args) < s.Min || s.Max >= 0 && len(args) > s.Max {
		return nil, s.WrongCount(len(args), pos)
	}
	if s.pair != nil && !anyJSON(args) {
		return s.compare(args[0], args[1], pos)
	}
	own := append(make([]Expr, 0, len(args)), args...) // callers have theirs on the stack
	if err := s.collated(own, pos); err != nil {
		return nil, err
	}
	if s.Build != nil {
		return s.Build(own, pos)
	}
	return s.Call(own, pos)
}

// Call applies the signature without normalising the call. It keeps args and may change them.
func (s *Sig) Call(args []Expr, pos int) (Expr, error) {
	var carried []Expr
	if !s.Carries && anyCarries(args) {
		carried = append(carried, args...)
		shownArguments(args)
	}
	want, result, err := s.Resolve(args)
	if err != nil {
		return nil, sqlerr.From(err).At(pos)
	}
	for i, a := range carried {
		if want[i].IsInteger() || want[i].IsFloat() { // of all digits
			args[i] = a
		}
	}
	for i, a := range args {
		if want[i].ID == types.Int64 && a.Type().ID == types.Uint64 && !s.Bits {
			a = bounded(a)
		}
		args[i] = coerce(a, want[i])
	}
	return &Call{Fn: s.Name, Args: args, T: result, Pos: pos}, nil
}

// bounded replaces an amount above BIGINT's range by the largest BIGINT. Converting its bits would
// make it negative.
func bounded(e Expr) Expr {
	unsigned := types.T(types.Uint64)
	limit := &Const{Value: catalog.Datum{Type: unsigned, I64: math.MaxInt64}}
	if c, ok := e.(*Const); ok {
		if c.Value.I64 < 0 {
			return limit
		}
		return e
	}
	return &Call{Fn: FuncLeast, Args: []Expr{e, limit}, T: unsigned, Pos: -1}
}

// compare returns a comparison. Comparisons are so frequent that the call and its operands share
// one allocation.
func (s *Sig) compare(a, b Expr, pos int) (Expr, error) {
	c := &struct {
		Call
		args [2]Expr
	}{args: [2]Expr{a, b}}
	if err := s.collated(c.args[:], pos); err != nil {
		return nil, err
	}
	carried := c.args
	shownArguments(c.args[:])
	ta, tb, err := s.pair(c.args[0], c.args[1])
	if err != nil {
		return nil, sqlerr.From(err).At(pos)
	}
	if ta.IsFloat() && !isText(a) && !isText(b) { // of all digits
		c.args = carried
	}
	c.args[0], c.args[1] = coerce(c.args[0], ta), coerce(c.args[1], tb)
	c.Call = Call{Fn: s.Name, Args: c.args[:], T: types.T(types.Int64), Pos: pos}
	return &c.Call, nil
}

// isText reports whether e is a constant or parameter that is text. MySQL converts it to the type of
// the decimal that it is compared with.
func isText(e Expr) bool {
	switch e.(type) {
	case *Const, *Placeholder:
		return e.Type().IsString()
	}
	return false
}

// WrongCount returns error 1582 for a call with n arguments.
func (s *Sig) WrongCount(n, pos int) error {
	e := sqlerr.New(sqlerr.WrongParamCountToNativeFct, "Incorrect parameter count in the call to native function '%s'", s.Name).At(pos)
	switch {
	case s.Max == s.Min:
		return e.WithHint("%s takes %d argument(s), got %d.", strings.ToUpper(string(s.Name)), s.Min, n)
	case s.Max < 0:
		return e.WithHint("%s takes at least %d argument(s), got %d.", strings.ToUpper(string(s.Name)), s.Min, n)
	}
	return e.WithHint("%s takes %d to %d arguments, got %d.", strings.ToUpper(string(s.Name)), s.Min, s.Max, n)
}

// connective returns a function that builds AND or OR and flattens arguments of the same kind. It may
// change args.
func connective(fn FuncID) func(args []Expr, pos int) (Expr, error) {
	return func(args []Expr, pos int) (Expr, error) {
		flat, nested := args[:0], false
		for i, a := range args {
			if c, ok := a.(*Call); ok && c.Fn == fn {
				if !nested { // flat outgrows the arguments that are still to come
					flat, nested = append(make([]Expr, 0, len(args)+len(c.Args)), args[:i]...), true
				}
				flat = append(flat, c.Args...)
				continue
			}
			flat = append(flat, Truth(a))
		}
		return &Call{Fn: fn, Args: flat, T: types.T(types.Int64), Pos: pos}, nil
	}
}

// Truth returns e as a condition. Integers are true if they are not zero and stay unchanged;
// everything else is compared with 0.
func Truth(e Expr) Expr {
	switch e.Type().Kind() {
	case types.KindI64:
		if !e.Type().IsTemporal() {
			return e
		}
	case types.KindU64:
		return e
	case types.KindNull:
		return Cast(e, types.T(types.Int64))
	}
	if e.Type().IsString() && e.Type().ID != types.JSON {
		e = Cast(e, types.T(types.Float64))
	}
	c, err := NewCall(FuncNE, []Expr{Unrounded(e), &Const{Value: catalog.Int(0)}}, -1)
	if err != nil {
		return e
	}
	return c
}

// IsNull reports whether e is a NULL literal.
func IsNull(e Expr) bool {
	c, ok := e.(*Const)
	return ok && (c.Value.Null || c.Value.Type.ID == types.Null)
}
