package date

import (
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// registerSignatures registers the signatures of the functions of dates and intervals.
func registerSignatures() {
	bigint, text, date := types.T(types.Int64), types.T(types.String), types.T(types.Date)
	for _, fn := range []expr.FuncID{
		expr.FuncYear, expr.FuncMonth, expr.FuncDay, expr.FuncDayOfWeek, expr.FuncWeekday, expr.FuncDayOfYear, expr.FuncQuarter, expr.FuncWeekOfYear, expr.FuncToDays, expr.FuncToSeconds,
	} {
		expr.Register(expr.Sig{Name: fn, Min: 1, Max: 1, Resolve: ofDate(bigint)})
	}
	for _, fn := range []expr.FuncID{expr.FuncHour, expr.FuncMinute, expr.FuncSecond, expr.FuncMicrosecond, expr.FuncTimeToSec} {
		expr.Register(expr.Sig{Name: fn, Min: 1, Max: 1, Resolve: ofClock(bigint)})
	}
	expr.Register(
		expr.Sig{Name: expr.FuncLastDay, Min: 1, Max: 1, Resolve: ofDate(date)},
		expr.Sig{Name: "dayname", Min: 1, Max: 1, Resolve: ofDate(text)},
		expr.Sig{Name: "monthname", Min: 1, Max: 1, Resolve: ofDate(text)},
		expr.Sig{Name: expr.FuncWeek, Min: 1, Max: 2, Resolve: ofDate(bigint, bigint)},
		expr.Sig{Name: expr.FuncYearWeek, Min: 1, Max: 2, Resolve: ofDate(bigint, bigint)},
		expr.Sig{Name: expr.FuncDateDiff, Min: 2, Max: 2, Resolve: resolveDateDiff},
		expr.Sig{Name: expr.FuncDateFormat, Min: 2, Max: 2, Resolve: ofDate(text, text)},
		expr.Sig{Name: "time_format", Min: 2, Max: 2, Resolve: ofClock(text, text)},
		expr.Sig{Name: expr.FuncDateAdd, Min: 3, Max: 3, Resolve: resolveDateAdd, Carries: true},
		expr.Sig{Name: expr.FuncDateSub, Min: 3, Max: 3, Resolve: resolveDateAdd, Carries: true},
		expr.Sig{Name: expr.FuncTimestampAdd, Min: 3, Max: 3, Build: newTimestampAdd},
		expr.Sig{Name: expr.FuncTimestampDiff, Min: 3, Max: 3, Resolve: resolveTimestampDiff},
		expr.Sig{Name: expr.FuncExtract, Min: 2, Max: 2, Resolve: resolveExtract},
	)
	expr.Alias("adddate", expr.FuncDateAdd)
	expr.Alias("subdate", expr.FuncDateSub)
	expr.Alias("dayofmonth", expr.FuncDay)
	registerTimeSignatures()
	registerNowSignatures()
}

// moment is the DATETIME with microseconds to which strings are converted.
var moment = types.Type{ID: types.Datetime, Prec: 6}

// dateType returns the type to which a function of dates converts its argument: DATE and DATETIME
// stay unchanged, anything else becomes DATETIME.
func dateType(t types.Type) types.Type {
	switch t.ID {
	case types.Date, types.Datetime, types.Timestamp:
		return t
	case types.Time:
		return types.Type{ID: types.Datetime, Prec: t.Prec}
	}
	return moment
}

// clockType returns the type to which a function of times converts its argument.
func clockType(t types.Type) types.Type {
	if t.ID == types.Time || t.ID == types.Datetime || t.ID == types.Timestamp {
		return t
	}
	return types.Type{ID: types.Time, Prec: 6}
}

// ofDate returns a resolver for functions of a date and arguments of fixed types.
func ofDate(result types.Type, rest ...types.Type) expr.Resolver {
	return func(args []expr.Expr) ([]types.Type, types.Type, error) {
		want := append([]types.Type{dateType(args[0].Type())}, rest...)
		return want[:len(args)], result, nil
	}
}

// ofClock returns a resolver for functions of a time of day or a duration.
func ofClock(result types.Type, rest ...types.Type) expr.Resolver {
	return func(args []expr.Expr) ([]types.Type, types.Type, error) {
		want := append([]types.Type{clockType(args[0].Type())}, rest...)
		return want[:len(args)], result, nil
	}
}

func resolveDateDiff(args []expr.Expr) ([]types.Type, types.Type, error) {
	return []types.Type{dateType(args[0].Type()), dateType(args[1].Type())}, types.T(types.Int64), nil
}

// resolveDateAdd infers the types of DATE_ADD(date, amount, unit). A DATE stays a DATE if the unit
// consists of whole days, a TIME stays a TIME if it does not; strings stay strings.
func resolveDateAdd(args []expr.Expr) ([]types.Type, types.Type, error) {
	u, err := expr.UnitOf(args[2])
	if err != nil {
		return nil, types.Type{}, err
	}
	args[0] = expr.Shown(args[0])
	from := args[0].Type()
	amount, digits := amountType(u, args[1])
	if amount.ID == types.Decimal {
		if args[1], err = secondsOf(args[1]); err != nil {
			return nil, types.Type{}, err
		}
	}
	want := []types.Type{from, amount, expr.AsIs}
	switch {
	case from.ID == types.Date && !u.HasClock():
		return want, from, nil
	case from.ID == types.Time && u.First >= expr.Hour, from.ID == types.Datetime, from.ID == types.Timestamp:
		id := from.ID
		if id == types.Timestamp {
			id = types.Datetime
		}
		return want, types.Type{ID: id, Prec: max(from.Prec, digits)}, nil
	case from.IsTemporal():
		want[0] = types.Type{ID: types.Datetime, Prec: from.Prec}
		return want, types.Type{ID: types.Datetime, Prec: max(from.Prec, digits)}, nil
	case from.IsString():
		return want, types.T(types.String), nil
	}
	want[0] = moment
	return want, types.T(types.String), nil
}

// amountType returns the type of an INTERVAL's amount and the number of fractional second digits
// that it adds to the result.
func amountType(u expr.Unit, amount expr.Expr) (t types.Type, digits uint8) {
	switch {
	case u.Composite():
		if u.Last == expr.Microsecond {
			digits = 6
		}
		return types.T(types.String), digits
	case u.Last == expr.Microsecond:
		return types.T(types.Int64), 6
	case u.Last != expr.Second || expr.Number(amount.Type()).IsInteger():
		return types.T(types.Int64), 0
	}
	digits = 6
	if t := amount.Type(); t.ID == types.Decimal {
		digits = min(t.Shown().Scale, 6)
	}
	return types.Dec(24, 6), digits
}

// secondsOf truncates an amount of seconds to microseconds.
func secondsOf(amount expr.Expr) (expr.Expr, error) {
	if t := amount.Type(); t.ID != types.Decimal || t.Scale <= 6 {
		return amount, nil
	}
	return expr.NewCall(expr.FuncTruncate, []expr.Expr{amount, &expr.Const{Value: catalog.Int(6)}}, -1)
}

// newTimestampAdd rewrites TIMESTAMPADD(unit, amount, date) as a DATE_ADD.
func newTimestampAdd(a []expr.Expr, pos int) (expr.Expr, error) {
	return expr.NewCall(expr.FuncDateAdd, []expr.Expr{a[2], a[1], a[0]}, pos)
}

func resolveTimestampDiff(args []expr.Expr) ([]types.Type, types.Type, error) {
	if _, err := expr.UnitOf(args[0]); err != nil {
		return nil, types.Type{}, err
	}
	return []types.Type{expr.AsIs, moment, moment}, types.T(types.Int64), nil
}

// resolveExtract converts strings to TIME if the unit has no date parts.
func resolveExtract(args []expr.Expr) ([]types.Type, types.Type, error) {
	u, err := expr.UnitOf(args[0])
	if err != nil {
		return nil, types.Type{}, err
	}
	t := dateType(args[1].Type())
	if u.First >= expr.Hour {
		t = clockType(args[1].Type())
	} else if args[1].Type().ID == types.Time && u.First == expr.Day {
		t = args[1].Type()
	}
	return []types.Type{expr.AsIs, t}, types.T(types.Int64), nil
}
