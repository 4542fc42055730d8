package expr

import (
	"slices"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func registerCollations() {
	text, bytes, number := types.T(types.String), types.T(types.Bytes), types.T(types.Int64)
	Register(
		Sig{Name: FuncCollate, Min: 1, Max: 1, Resolve: Fixed(text, text), Internal: true},
		Sig{Name: FuncCollationKey, Min: 2, Max: 2, Resolve: Fixed(bytes, text, number), Internal: true},
		Sig{Name: FuncCollationFold, Min: 2, Max: 2, Resolve: Fixed(text, text, number), Internal: true},
		Sig{Name: FuncCollatedPair, Min: 2, Max: 2, Resolve: Fixed(bytes, text, number), Internal: true},
		Sig{Name: FuncCollatedValue, Min: 1, Max: 1, Resolve: Fixed(text, bytes), Internal: true},
	)
}

// Coercibility is the precedence of an expression's collation, as in MySQL: the lowest value wins.
type Coercibility uint8

// The coercibilities.
const (
	Explicit  Coercibility = 0 // COLLATE
	Implicit  Coercibility = 2 // columns
	Coercible Coercibility = 4 // literals and values computed without columns
	Ignorable Coercibility = 5 // values that are not text
)

// String returns the name that error messages use.
func (c Coercibility) String() string {
	return map[Coercibility]string{Explicit: "EXPLICIT", Implicit: "IMPLICIT", Coercible: "COERCIBLE", Ignorable: "IGNORABLE"}[c]
}

// CollationOf returns the collation of an expression's values. It returns error 1267 if its parts
// have different collations of equal precedence.
func CollationOf(e Expr) (types.Collation, Coercibility, error) {
	t := e.Type()
	switch x := e.(type) {
	case *Const, *Param, *Placeholder:
		if t.IsString() {
			return types.Bin, Coercible, nil
		}
	case *Subquery:
		if x.Coercible && t.ID == types.String {
			return t.Coll, Coercible, nil
		}
	case *Call:
		switch {
		case x.Fn == FuncCollate:
			return t.Coll, Explicit, nil
		case x.Fn == FuncCollatedValue:
			return t.Coll, Implicit, nil
		case t.ID == types.String:
			return commonCollation(string(x.Fn), x.Args)
		}
	}
	if !t.IsString() {
		return types.Bin, Ignorable, nil
	}
	return t.Coll, Implicit, nil
}

// commonCollation returns the collation in which a function sees its arguments.
func commonCollation(operation string, args []Expr) (types.Collation, Coercibility, error) {
	c, held := types.Bin, Coercible
	for _, a := range args {
		ac, ah, err := CollationOf(a)
		switch {
		case err != nil:
			return c, held, err
		case ah < held:
			c, held = ac, ah
		case ah > held || ac == c || held == Coercible:
		case held == Implicit && (c == types.Bin || ac == types.Bin):
			c = types.Bin
		default:
			return c, held, sqlerr.New(sqlerr.CantAggregate2Collations, "Illegal mix of collations (%s,%s) and (%s,%s) for operation '%s'", c, held, ac, ah, operation).
				WithHint("Add a COLLATE clause to one operand.")
		}
	}
	return c, held, nil
}

// Collate is the operator COLLATE.
func Collate(e Expr, c types.Collation, pos int) (Expr, error) {
	was, held, err := CollationOf(e)
	if err != nil {
		return nil, err
	}
	if c == types.Bin && was == c && held == Implicit {
		return e, nil
	}
	if e.Type().ID == types.Bytes {
		if c == types.Bin {
			return e, nil
		}
		return nil, sqlerr.New(sqlerr.CollationCharsetMismatch, "COLLATION '%s' is not valid for CHARACTER SET 'binary'", c).At(pos)
	}
	return &Call{Fn: FuncCollate, Args: []Expr{coerce(e, types.T(types.String))}, T: types.T(types.String).Collated(c), Pos: pos}, nil
}

// OneCollation converts texts that are compared pairwise to one common collation. It changes args.
// It returns error 1267 if there is no such collation.
func OneCollation(operation string, args []Expr, pos int) error {
	some := false
	for _, a := range args {
		if !textual(a) {
			return nil
		}
		c, _, err := CollationOf(a)
		if err != nil {
			return sqlerr.From(err).At(pos)
		}
		some = some || c != types.Bin
	}
	if !some {
		return nil
	}
	c, _, err := commonCollation(operation, args)
	if err != nil {
		return sqlerr.From(err).At(pos)
	}
	for i, a := range args {
		if a.Type().ID == types.String {
			if args[i], err = Collate(a, c, pos); err != nil {
				return err
			}
		}
	}
	return nil
}

// CollationKey returns the expression by which rows are grouped if e is the key, and compared if e is
// an operand: the collation key of a text, anything else unchanged.
func CollationKey(e Expr) (Expr, error) {
	if t := e.Type(); t.ID != types.String {
		return e, nil
	}
	c, _, err := CollationOf(e)
	return inCollation(FuncCollationKey, e, c), err
}

// HasKey reports whether values of a type are compared by their collation keys.
func HasKey(t types.Type) bool { return t.ID == types.String && t.Coll != types.Bin }

// inCollation applies fn, which takes a text and a collation. It returns e unchanged for Bin.
func inCollation(fn FuncID, e Expr, c types.Collation) Expr {
	if call, ok := e.(*Call); ok && call.Fn == FuncCollate {
		e = call.Args[0]
	}
	if c == types.Bin || IsNull(e) {
		return e
	}
	_, t, _ := sigs[fn].Resolve([]Expr{e, e})
	if fn == FuncCollatedPair {
		t.Coll = c
	}
	return &Call{Fn: fn, Args: []Expr{coerce(e, types.T(types.String)), &Const{Value: catalog.Int(int64(c))}}, T: t, Pos: -1}
}

// CollatedPair returns the expression that MIN and MAX aggregate: text that compares by a collation
// becomes a pair of its key and itself, anything else stays unchanged.
func CollatedPair(e Expr) (Expr, error) {
	if e.Type().ID != types.String {
		return e, nil
	}
	c, _, err := CollationOf(e)
	if c == types.Bin {
		return e, err // with its COLLATE, if any, which the result keeps
	}
	return inCollation(FuncCollatedPair, e, c), err
}

// CollatedValue returns the text of a pair, and anything else unchanged.
func CollatedValue(e Expr) Expr {
	t := e.Type()
	if t.ID != types.Bytes || t.Coll == types.Bin {
		return e
	}
	return &Call{Fn: FuncCollatedValue, Args: []Expr{e}, T: types.T(types.String).Collated(t.Coll), Pos: -1}
}

// collated applies the collation of the arguments if the function compares text. It changes args.
func (s *Sig) collated(args []Expr, pos int) error {
	if s.Compares == "" && s.MatchType == 0 || !slices.ContainsFunc(args, func(a Expr) bool { return a.Type().IsString() }) {
		return nil
	}
	for i, a := range args {
		if !textual(a) && (i < 2 || s.Compares == FuncCollationKey) && (s.Compares != FuncCollatedPair || a.Type().IsTemporal()) {
			return nil
		}
	}
	c, _, err := commonCollation(string(s.Name), args)
	switch {
	case err != nil:
		return sqlerr.From(err).At(pos)
	case c == types.Bin && s.Compares != FuncCollationKey:
		return nil
	case s.MatchType > 0:
		return ignoringCase(c, args, s.MatchType, pos)
	}
	for i, a := range args {
		if textual(a) || s.Compares == FuncCollatedPair {
			args[i] = inCollation(s.Compares, a, c)
		}
	}
	return nil
}

func textual(e Expr) bool {
	t := e.Type()
	return t.ID == types.String || t.HasMembers() || t.ID == types.Bytes || IsNull(e)
}

// ignoringCase makes a regular expression ignore case if its match type does not specify that and
// the collation ignores case.
func ignoringCase(c types.Collation, args []Expr, place, pos int) (err error) {
	if place < len(args) {
		mode, ok := args[place].(*Const)
		switch {
		case !ok:
			return sqlerr.Unsupported(pos, "a match type that is no literal by %s", c).WithHint("COLLATE utf8mb4_bin is case-sensitive.")
		case strings.ContainsAny(mode.Value.Str, "ci"):
			return nil
		}
	}
	if c != types.UCACase {
		args[1], err = NewCall(FuncConcat, []Expr{&Const{Value: catalog.Str("(?i)")}, args[1]}, pos)
	}
	return err
}
