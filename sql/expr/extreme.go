package expr

import "gsql/sql/types"

func init() {
	Register(
		Sig{Name: FuncGreatest, Min: 2, Max: -1, Resolve: resolveExtreme, Build: newExtreme(FuncGreatest)},
		Sig{Name: FuncLeast, Min: 2, Max: -1, Resolve: resolveExtreme, Build: newExtreme(FuncLeast)},
	)
}

// resolveExtreme types GREATEST and LEAST. All arguments compare as one type, which
// is the result's; a date compares with a string as dates do.
func resolveExtreme(args []Expr) ([]types.Type, types.Type, error) {
	result, dates := types.T(types.Null), types.T(types.Null)
	texts := 0
	for _, a := range args {
		t := a.Type()
		result = CommonType(result, t)
		if t.IsTemporal() {
			dates = CommonType(dates, t)
		} else if t.IsString() || IsNull(a) {
			texts++
		}
	}
	if dates.ID != types.Null && texts > 0 {
		var err error
		if result, err = extremeDate(dates, args); err != nil {
			return nil, result, err
		}
	}
	if result.ID == types.Null || result.ID == types.JSON {
		result = types.T(types.String)
	}
	want := make([]types.Type, len(args))
	for i := range want {
		want[i] = result
	}
	return want, result, nil
}

// extremeDate widens the temporal type t to hold the strings among args.
func extremeDate(t types.Type, args []Expr) (types.Type, error) {
	result := t
	for _, a := range args {
		switch {
		case a.Type().IsTemporal() || IsNull(a):
		case a.Type().IsString():
			s, err := temporalFor(t, a)
			if err != nil {
				return t, err
			}
			result = commonTemporal(result, s)
		default:
			return types.T(types.String), nil
		}
	}
	return result, nil
}
