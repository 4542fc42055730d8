package expr

import "gsql/sql/types"

func registerConditions() {
	boolean := types.T(types.Int64)
	text := types.T(types.String)
	Register(
		Sig{Name: FuncAnd, Min: 2, Max: -1, Resolve: Fixed(boolean, AsIs), NullAware: true, Internal: true, Carries: true, Build: connective(FuncAnd)},
		Sig{Name: FuncOr, Min: 2, Max: -1, Resolve: Fixed(boolean, AsIs), NullAware: true, Internal: true, Carries: true, Build: connective(FuncOr)},
		Sig{Name: FuncXor, Min: 2, Max: 2, Resolve: resolveTruth, Internal: true, Carries: true},
		Sig{Name: FuncNot, Min: 1, Max: 1, Resolve: resolveTruth, Internal: true, Carries: true},
		Sig{Name: FuncIsNull, Min: 1, Max: 1, Resolve: Fixed(boolean, AsIs), NullAware: true, Carries: true},
		Sig{Name: FuncCase, Min: 2, Max: -1, Resolve: resolveCase, NullAware: true, Internal: true, Carries: true},
		Sig{Name: FuncIf, Min: 3, Max: 3, NullAware: true, Build: newIf},
		Sig{Name: FuncIfNull, Min: 2, Max: 2, NullAware: true, Build: newIfNull},
		Sig{Name: FuncNullIf, Min: 2, Max: 2, NullAware: true, Build: newNullIf},
		Sig{Name: FuncCoalesce, Min: 1, Max: -1, Resolve: resolveCoalesce, NullAware: true, Carries: true},
		Sig{Name: FuncCast, Min: 1, Max: 1, Resolve: Fixed(AsIs, AsIs), Internal: true, Carries: true},
		Sig{Name: FuncLike, Min: 2, Max: 3, Resolve: Fixed(boolean, text), Internal: true, Compares: FuncCollationFold},
		Sig{Name: FuncRegexp, Min: 2, Max: 2, Resolve: Fixed(boolean, text), Internal: true, MatchType: 2},
	)
	Alias("!", FuncNot)
	Alias("rlike", FuncRegexp)
}

// resolveTruth converts every argument to a condition.
func resolveTruth(args []Expr) ([]types.Type, types.Type, error) {
	want := make([]types.Type, len(args))
	for i, a := range args {
		args[i] = Truth(a)
		want[i] = AsIs
	}
	return want, types.T(types.Int64), nil
}

// resolveCase infers the types of CASE, whose arguments are pairs of a condition and a value, and
// possibly a last value (ELSE).
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

// isCaseValue reports whether argument i of the n of "case" is a value and not a condition.
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

func newIf(a []Expr, pos int) (Expr, error) { return NewCall(FuncCase, a, pos) }

func newIfNull(a []Expr, pos int) (Expr, error) { return NewCall(FuncCoalesce, a, pos) }

// newNullIf builds NULLIF(a, b) as CASE WHEN a = b THEN NULL ELSE a END.
func newNullIf(a []Expr, pos int) (Expr, error) {
	equal, err := NewCall(FuncEQ, a, pos)
	if err != nil {
		return nil, err
	}
	return NewCall(FuncCase, []Expr{equal, Cast(&Const{}, a[0].Type()), a[0]}, pos)
}
