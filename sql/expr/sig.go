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

// Resolver infers the types of a call from its arguments: the type that each argument is converted
// to (AsIs: none) and the type of the result. It receives the argument expressions, because some
// result types depend on constants, such as ROUND's digits. It may change args.
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
	// Session functions read the session (now, user). They are constant during a statement, but
	// plans must not contain their values.
	Session bool
	// Bits functions treat integers as sets of bits: an unsigned integer keeps all of its bits.
	Bits bool
	// Internal functions are created by the binder from operators and other functions; they cannot
	// be called by name.
	Internal bool
	// Build, if not nil, builds the call instead of NewCall, for example as a call of another
	// function. It may keep and change args.
	Build func(args []Expr, pos int) (Expr, error)
	// Carries functions compute with the extra digits that their arguments carry (carry.go); all
	// others receive the shown digits.
	Carries bool
	// Compares is set if the function compares its text arguments. It is the function that is
	// applied to them if their collation is not binary: FuncCollationKey returns keys that are
	// compared as a whole, FuncCollationFold replaces each letter by the representative of its
	// class, FuncCollatedPair returns pairs of a key and the text.
	Compares FuncID
	// MatchType is set for functions of regular expressions, whose second argument is the pattern.
	// It is the index of the match type argument, which takes precedence over the collation.
	MatchType int
	// pair returns the types in which a comparison compares its operands if neither is JSON.
	pair func(a, b Expr) (ta, tb types.Type, err error)
}

var sigs = map[FuncID]*Sig{}

// Register adds signatures. Operators are registered when this package is initialised, families of
// functions when package function is. Register panics if a name is already registered.
func Register(list ...Sig) {
	for i := range list {
		s := &list[i]
		if sigs[s.Name] != nil || aliases[s.Name] != "" {
			panic("expr: function registered twice: " + string(s.Name))
		}
		sigs[s.Name] = s
	}
}

// Alias makes name another spelling of the function of: NewCall replaces it. Alias panics if the
// name is already registered.
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

// IDs returns the ids of all registered functions and operators, sorted, without aliases.
func IDs() []FuncID { return slices.Sorted(maps.Keys(sigs)) }

// Functions returns the names by which users call functions, sorted, without operators.
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

// UnknownFunction returns error 1305 with a hint that names the most similar function.
func UnknownFunction(name FuncID, pos int) error {
	e := sqlerr.New(sqlerr.SPDoesNotExist, "FUNCTION %s does not exist", name).At(pos)
	if near := suggest.Nearest(string(name), Functions()); near != "" {
		return e.WithHint("Did you mean %s?", near)
	}
	return e
}

// Fixed returns a resolver with constant types. Further arguments repeat the last type.
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

// TextLike returns a resolver for functions whose result is a binary string if the first argument
// is one, else text. rest are the types of the following arguments.
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
