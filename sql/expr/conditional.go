package expr

import "gsql/sql/types"

func init() {
	boolean := types.T(types.Int64)
	text := types.T(types.String)
	Register(
		Sig{Name: "and", Min: 2, Max: -1, Resolve: Fixed(boolean, AsIs), NullAware: true, Internal: true},
		Sig{Name: "or", Min: 2, Max: -1, Resolve: Fixed(boolean, AsIs), NullAware: true, Internal: true},
		Sig{Name: "xor", Min: 2, Max: 2, Resolve: resolveTruth, Internal: true},
		Sig{Name: "not", Min: 1, Max: 1, Resolve: resolveTruth, Internal: true},
		Sig{Name: "isnull", Min: 1, Max: 1, Resolve: Fixed(boolean, AsIs), NullAware: true},
		Sig{Name: "case", Min: 2, Max: -1, Resolve: resolveCase, NullAware: true, Internal: true},
		Sig{Name: "if", Min: 3, Max: 3, NullAware: true},
		Sig{Name: "ifnull", Min: 2, Max: 2, NullAware: true},
		Sig{Name: "nullif", Min: 2, Max: 2, NullAware: true},
		Sig{Name: "coalesce", Min: 1, Max: -1, Resolve: resolveCoalesce, NullAware: true},
		Sig{Name: "cast", Min: 1, Max: 1, Resolve: Fixed(AsIs, AsIs), Internal: true},
		Sig{Name: "like", Min: 2, Max: 3, Resolve: Fixed(boolean, text), Internal: true},
		Sig{Name: "regexp", Min: 2, Max: 2, Resolve: Fixed(boolean, text), Internal: true},
	)
	Alias("!", "not")
	Alias("rlike", "regexp")
}

// resolveTruth makes every argument a condition.
func resolveTruth(args []Expr) ([]types.Type, types.Type, error) {
	want := make([]types.Type, len(args))
	for i, a := range args {
		args[i] = Truth(a)
		want[i] = AsIs
	}
	return want, types.T(types.Int64), nil
}

// resolveCase takes condition, value pairs and an odd last value (ELSE).
func resolveCase(args []Expr) ([]types.Type, types.Type, error) {
	result := types.T(types.Null)
	for i, a := range args {
		if isCaseValue(i, len(args)) {
			result = CommonType(result, a.Type())
		}
	}
	want := make([]types.Type, len(args))
	for i, a := range args {
		if isCaseValue(i, len(args)) {
			want[i] = result
			continue
		}
		args[i] = Truth(a)
		want[i] = AsIs
	}
	return want, result, nil
}

// isCaseValue tells the values among the n arguments of "case" from the conditions.
func isCaseValue(i, n int) bool { return i%2 == 1 || i == n-1 }

func resolveCoalesce(args []Expr) ([]types.Type, types.Type, error) {
	result := types.T(types.Null)
	for _, a := range args {
		result = CommonType(result, a.Type())
	}
	want := make([]types.Type, len(args))
	for i := range want {
		want[i] = result
	}
	return want, result, nil
}

func newIf(a []Expr, pos int) (Expr, error) { return NewCall("case", a, pos) }

func newIfNull(a []Expr, pos int) (Expr, error) { return NewCall("coalesce", a, pos) }

// newNullIf builds NULLIF(a, b) as CASE WHEN a = b THEN NULL ELSE a END.
func newNullIf(a []Expr, pos int) (Expr, error) {
	equal, err := NewCall("=", a, pos)
	if err != nil {
		return nil, err
	}
	return NewCall("case", []Expr{equal, Cast(&Const{}, a[0].Type()), a[0]}, pos)
}
