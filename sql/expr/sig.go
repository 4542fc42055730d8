package expr

import (
	"maps"
	"slices"
	"sort"

	"gsql/internal/suggest"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// AsIs as a wanted type leaves an argument unchanged.
var AsIs = types.T(types.Null)

// Resolver decides the types of a call from its arguments: the type each argument is
// to be converted to (AsIs: none) and the type of the result. It sees the argument
// expressions, because some result types follow from constants (ROUND's digits); it
// may change args.
type Resolver func(args []Expr) (want []types.Type, result types.Type, err error)

// Sig is the signature of a scalar function.
type Sig struct {
	Name     FuncID
	Min, Max int // argument counts; Max < 0: any number
	Resolve  Resolver
	// NullAware functions see NULL arguments. The others are strict: NULL for any
	// NULL argument.
	NullAware bool
	// Volatile functions return a new value for every row (rand, uuid, sleep).
	Volatile bool
	// Session functions are constant during a statement but read the session (now,
	// user), so that plans must not bake their value in.
	Session bool
	// Bits functions take integers as sets of bits: an unsigned one keeps them all.
	Bits bool
	// Internal functions are what the binder makes of operators and of other functions;
	// they cannot be called by name.
	Internal bool
	// Build, if it is not nil, builds the call in place of NewCall, as another form or in a special
	// way. It may keep and change args.
	Build func(args []Expr, pos int) (Expr, error)
	// Carries functions compute with all digits that their arguments carry (carry.go); the others
	// see arguments as they are shown.
	Carries bool
	// Compares is set if the function compares its text arguments: the function that is applied to
	// them where their collation is not binary. FuncCollationKey makes keys that compare as wholes,
	// FuncCollationFold replaces letters by the one that stands for all equal ones, FuncCollatedPair
	// makes pairs of a key and the text.
	Compares FuncID
	// MatchType is set for functions of regular expressions, whose second argument is the pattern:
	// the index of the argument for the match type, which goes before the collation.
	MatchType int
	// pair returns the types in which a comparison compares its operands, where neither is
	// JSON.
	pair func(a, b Expr) (ta, tb types.Type, err error)
}

var sigs = map[FuncID]*Sig{}

// Register adds signatures. Those of operators are registered when this package is initialised, those
// of families of functions when package function is. A name registered twice is a bug and panics.
func Register(list ...Sig) {
	for i := range list {
		s := &list[i]
		if sigs[s.Name] != nil || aliases[s.Name] != "" {
			panic("expr: function registered twice: " + string(s.Name))
		}
		sigs[s.Name] = s
	}
}

// Alias makes name another spelling of the function of: NewCall replaces it. A name registered twice
// is a bug and panics.
func Alias(name, of FuncID) {
	if sigs[name] != nil || aliases[name] != "" {
		panic("expr: function registered twice: " + string(name))
	}
	aliases[name] = of
}

var aliases = map[FuncID]FuncID{}

// Lookup returns the signature of a function by its lower-case name, or nil.
func Lookup(name FuncID) *Sig {
	if s := sigs[name]; s != nil {
		return s
	}
	return sigs[aliases[name]]
}

// IDs lists the ids of all registered functions and operators, sorted; aliases are not among them.
func IDs() []FuncID { return slices.Sorted(maps.Keys(sigs)) }

// Functions lists the names by which users call functions, sorted; operators are not
// among them.
func Functions() []string {
	var out []string
	for name := range sigs {
		if Callable(name) {
			out = append(out, string(name))
		}
	}
	for name := range aliases {
		if Callable(name) {
			out = append(out, string(name))
		}
	}
	sort.Strings(out)
	return out
}

// Callable reports whether users may call a function by the lower-case name.
func Callable(name FuncID) bool {
	s := Lookup(name)
	return s != nil && !s.Internal && !infix[name] && name[0] >= 'a' && name[0] <= 'z'
}

// UnknownFunction returns error 1305 with a hint at the function whose name is nearest.
func UnknownFunction(name FuncID, pos int) error {
	e := sqlerr.New(sqlerr.SPDoesNotExist, "FUNCTION %s does not exist", name).At(pos)
	if near := suggest.Nearest(string(name), Functions()); near != "" {
		return e.WithHint("Did you mean %s?", near)
	}
	return e
}

// Fixed resolves to constant types. Further arguments repeat the last wanted type.
func Fixed(result types.Type, want ...types.Type) Resolver {
	return func(args []Expr) ([]types.Type, types.Type, error) {
		out := make([]types.Type, len(args))
		for i := range out {
			out[i] = AsIs
			if len(want) > 0 {
				out[i] = want[min(i, len(want)-1)]
			}
		}
		return out, result, nil
	}
}

// TextLike resolves functions whose result is a binary string if the first argument is one, else text.
// rest are the types of the following arguments.
func TextLike(rest ...types.Type) Resolver {
	return func(args []Expr) ([]types.Type, types.Type, error) {
		t := stringOf(args[0].Type())
		want, _, err := Fixed(t, append([]types.Type{t}, rest...)...)(args)
		return want, t, err
	}
}

// stringOf returns the unbounded string type for values of t: bytes for bytes, else text.
func stringOf(t types.Type) types.Type {
	if t.ID == types.Bytes {
		return types.T(types.Bytes)
	}
	return types.T(types.String)
}
