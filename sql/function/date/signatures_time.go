package date

import (
	"strings"

	"gsql/sql/expr"
	"gsql/sql/types"
)

// registerTimeSignatures registers the signatures of the functions of times and time stamps.
func registerTimeSignatures() {
	bigint := types.T(types.Int64)
	expr.Register(
		expr.Sig{Name: expr.FuncDate, Min: 1, Max: 1, Build: newDate},
		expr.Sig{Name: expr.FuncTime, Min: 1, Max: 1, Build: newTime},
		expr.Sig{Name: expr.FuncTimestamp, Min: 1, Max: 2, Resolve: resolveTimestamp, Build: newTimestamp},
		expr.Sig{Name: "addtime", Min: 2, Max: 2, Resolve: resolveAddTime},
		expr.Sig{Name: "subtime", Min: 2, Max: 2, Resolve: resolveAddTime},
		expr.Sig{Name: "timediff", Min: 2, Max: 2, Resolve: resolveTimeDiff},
		expr.Sig{Name: "sec_to_time", Min: 1, Max: 1, Resolve: resolveSeconds(types.Time)},
		expr.Sig{Name: expr.FuncFromUnixTime, Min: 1, Max: 2, Resolve: resolveSeconds(types.Datetime), Build: newFromUnixtime},
		expr.Sig{Name: expr.FuncFromUTC, Min: 1, Max: 1, Resolve: expr.Fixed(types.T(types.Timestamp), expr.AsIs), Internal: true, Session: true},
		expr.Sig{Name: expr.FuncToUTC, Min: 3, Max: 3, Resolve: expr.Fixed(types.T(types.Timestamp), expr.AsIs, expr.AsIs, expr.AsIs), Internal: true, Session: true},
		expr.Sig{Name: expr.FuncKeepUTC, Min: 3, Max: 3, Resolve: expr.Fixed(types.T(types.Timestamp), expr.AsIs, expr.AsIs, expr.AsIs), Internal: true},
		expr.Sig{Name: expr.FuncUnixTimestamp, Max: 1, Resolve: resolveUnixTimestamp, Session: true},
		expr.Sig{Name: "maketime", Min: 3, Max: 3, Resolve: resolveMakeTime},
		expr.Sig{Name: "makedate", Min: 2, Max: 2, Resolve: expr.Fixed(types.T(types.Date), bigint)},
		expr.Sig{Name: "from_days", Min: 1, Max: 1, Resolve: expr.Fixed(types.T(types.Date), bigint)},
		expr.Sig{Name: "period_add", Min: 2, Max: 2, Resolve: expr.Fixed(bigint, bigint)},
		expr.Sig{Name: "period_diff", Min: 2, Max: 2, Resolve: expr.Fixed(bigint, bigint)},
		expr.Sig{Name: "convert_tz", Min: 3, Max: 3, Resolve: resolveConvertTZ},
		expr.Sig{Name: "str_to_date", Min: 2, Max: 2, Resolve: resolveStrToDate},
	)
}

// fracDigits returns the number of fractional second digits of a value.
func fracDigits(e expr.Expr) uint8 {
	t := e.Type()
	switch {
	case t.ID == types.Decimal:
		return min(t.Scale, 6)
	case t.IsInteger() || t.ID == types.Date || expr.IsNull(e):
		return 0
	case t.IsTemporal():
		return t.Prec
	}
	if s, ok := expr.ConstText(e); ok {
		_, frac, _ := strings.Cut(s, ".")
		return uint8(min(len(frac), 6))
	}
	return 6
}

// newDate and newTime rewrite DATE(x) and TIME(x) as casts.
func newDate(a []expr.Expr, _ int) (expr.Expr, error) {
	return expr.Cast(a[0], types.T(types.Date)), nil
}

func newTime(a []expr.Expr, _ int) (expr.Expr, error) {
	return expr.Cast(a[0], types.Type{ID: types.Time, Prec: fracDigits(a[0])}), nil
}

// newTimestamp rewrites TIMESTAMP(x) as a cast; TIMESTAMP(x, time) adds the time.
func newTimestamp(a []expr.Expr, pos int) (expr.Expr, error) {
	if len(a) == 1 {
		return expr.Cast(a[0], types.Type{ID: types.Datetime, Prec: fracDigits(a[0])}), nil
	}
	return expr.Lookup(expr.FuncTimestamp).Call(a, pos)
}

// newFromUnixtime rewrites FROM_UNIXTIME(x, format) as a DATE_FORMAT.
func newFromUnixtime(a []expr.Expr, pos int) (expr.Expr, error) {
	e, err := expr.Lookup(expr.FuncFromUnixTime).Call(a[:1], pos)
	if err != nil || len(a) == 1 {
		return e, err
	}
	return expr.NewCall(expr.FuncDateFormat, []expr.Expr{e, a[1]}, pos)
}

func resolveTimestamp(args []expr.Expr) ([]types.Type, types.Type, error) {
	digits := max(fracDigits(args[0]), fracDigits(args[1]))
	return []types.Type{moment, {ID: types.Time, Prec: 6}}, types.Type{ID: types.Datetime, Prec: digits}, nil
}

// resolveAddTime adds a time to a TIME or a DATETIME; strings stay strings.
func resolveAddTime(args []expr.Expr) ([]types.Type, types.Type, error) {
	t, digits := args[0].Type(), max(fracDigits(args[0]), fracDigits(args[1]))
	want := []types.Type{t, {ID: types.Time, Prec: 6}}
	switch {
	case t.ID == types.Time:
		return want, types.Type{ID: types.Time, Prec: digits}, nil
	case t.IsTemporal():
		want[0] = types.Type{ID: types.Datetime, Prec: t.Prec}
		return want, types.Type{ID: types.Datetime, Prec: digits}, nil
	}
	want[0] = types.T(types.String)
	return want, types.T(types.String), nil
}

// resolveTimeDiff subtracts values of the same kind. A string is converted to the kind of the other
// argument; of two strings, each is parsed by its form.
func resolveTimeDiff(args []expr.Expr) ([]types.Type, types.Type, error) {
	result := types.Type{ID: types.Time, Prec: max(fracDigits(args[0]), fracDigits(args[1]))}
	a, b := differenceType(args[0], args[1]), differenceType(args[1], args[0])
	return []types.Type{a, b}, result, nil
}

func differenceType(e, other expr.Expr) types.Type {
	t := e.Type()
	if !t.IsTemporal() {
		t = other.Type()
	}
	switch {
	case t.ID == types.Time:
		return types.Type{ID: types.Time, Prec: 6}
	case t.IsTemporal():
		return moment
	}
	return types.T(types.String)
}

// secondsType returns the type to which seconds with a fraction are converted.
func secondsType(e expr.Expr) types.Type {
	if expr.Number(e.Type()).IsInteger() {
		return types.T(types.Int64)
	}
	return types.Dec(24, 6)
}

func resolveSeconds(id types.ID) expr.Resolver {
	return func(args []expr.Expr) ([]types.Type, types.Type, error) {
		return []types.Type{secondsType(args[0])}, types.Type{ID: id, Prec: fracDigits(args[0])}, nil
	}
}

func resolveUnixTimestamp(args []expr.Expr) ([]types.Type, types.Type, error) {
	if len(args) == 0 {
		return nil, types.T(types.Int64), nil
	}
	want := []types.Type{dateType(args[0].Type())}
	if digits := fracDigits(args[0]); digits > 0 {
		return want, types.Dec(12+int(digits), int(digits)), nil
	}
	return want, types.T(types.Int64), nil
}

func resolveMakeTime(args []expr.Expr) ([]types.Type, types.Type, error) {
	bigint := types.T(types.Int64)
	return []types.Type{bigint, bigint, secondsType(args[2])}, types.Type{ID: types.Time, Prec: fracDigits(args[2])}, nil
}

func resolveConvertTZ(args []expr.Expr) ([]types.Type, types.Type, error) {
	text := types.T(types.String)
	return []types.Type{moment, text, text}, types.Type{ID: types.Datetime, Prec: fracDigits(args[0])}, nil
}

// resolveStrToDate infers the type of STR_TO_DATE from a constant format: DATE, TIME or DATETIME,
// depending on its parts.
func resolveStrToDate(args []expr.Expr) ([]types.Type, types.Type, error) {
	text := types.T(types.String)
	want := []types.Type{text, text}
	format, ok := expr.ConstText(args[1])
	if !ok {
		return want, moment, nil
	}
	var date, clock, fraction bool
	for i := 0; i+1 < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		date = date || strings.IndexByte("MVUXYWabcdejmvuxywD", format[i]) >= 0
		clock = clock || strings.IndexByte("HSTIkhilprsf", format[i]) >= 0
		fraction = fraction || format[i] == 'f'
	}
	t := types.T(types.Datetime)
	switch {
	case !clock:
		return want, types.T(types.Date), nil
	case !date:
		t.ID = types.Time
	}
	if fraction {
		t.Prec = 6
	}
	return want, t, nil
}
