package expr

import (
	"strings"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func init() {
	bigint, text, date := types.T(types.Int64), types.T(types.String), types.T(types.Date)
	for _, fn := range []FuncID{
		FuncYear, FuncMonth, FuncDay, FuncDayOfWeek, FuncWeekday, FuncDayOfYear, FuncQuarter, FuncWeekOfYear, FuncToDays, FuncToSeconds,
	} {
		Register(Sig{Name: fn, Min: 1, Max: 1, Resolve: ofDate(bigint)})
	}
	for _, fn := range []FuncID{FuncHour, FuncMinute, FuncSecond, FuncMicrosecond, FuncTimeToSec} {
		Register(Sig{Name: fn, Min: 1, Max: 1, Resolve: ofClock(bigint)})
	}
	Register(
		Sig{Name: FuncLastDay, Min: 1, Max: 1, Resolve: ofDate(date)},
		Sig{Name: "dayname", Min: 1, Max: 1, Resolve: ofDate(text)},
		Sig{Name: "monthname", Min: 1, Max: 1, Resolve: ofDate(text)},
		Sig{Name: FuncWeek, Min: 1, Max: 2, Resolve: ofDate(bigint, bigint)},
		Sig{Name: FuncYearWeek, Min: 1, Max: 2, Resolve: ofDate(bigint, bigint)},
		Sig{Name: FuncDateDiff, Min: 2, Max: 2, Resolve: resolveDateDiff},
		Sig{Name: FuncDateFormat, Min: 2, Max: 2, Resolve: ofDate(text, text)},
		Sig{Name: "time_format", Min: 2, Max: 2, Resolve: ofClock(text, text)},
		Sig{Name: FuncDateAdd, Min: 3, Max: 3, Resolve: resolveDateAdd},
		Sig{Name: FuncDateSub, Min: 3, Max: 3, Resolve: resolveDateAdd},
		Sig{Name: FuncTimestampAdd, Min: 3, Max: 3},
		Sig{Name: FuncTimestampDiff, Min: 3, Max: 3, Resolve: resolveTimestampDiff},
		Sig{Name: FuncExtract, Min: 2, Max: 2, Resolve: resolveExtract},
	)
	Alias("adddate", FuncDateAdd)
	Alias("subdate", FuncDateSub)
	Alias("dayofmonth", FuncDay)
}

// moment is the DATETIME with microseconds, in which strings are read as dates.
var moment = types.Type{ID: types.Datetime, Prec: 6}

// dateType returns the type in which a function of dates takes its argument: DATE and
// DATETIME as they are, anything else as DATETIME.
func dateType(t types.Type) types.Type {
	switch t.ID {
	case types.Date, types.Datetime, types.Timestamp:
		return t
	case types.Time:
		return types.Type{ID: types.Datetime, Prec: t.Prec}
	}
	return moment
}

// clockType returns the type in which a function of times takes its argument.
func clockType(t types.Type) types.Type {
	if t.ID == types.Time || t.ID == types.Datetime || t.ID == types.Timestamp {
		return t
	}
	return types.Type{ID: types.Time, Prec: 6}
}

// ofDate resolves functions of a date and arguments of fixed types.
func ofDate(result types.Type, rest ...types.Type) Resolver {
	return func(args []Expr) ([]types.Type, types.Type, error) {
		want := append([]types.Type{dateType(args[0].Type())}, rest...)
		return want[:len(args)], result, nil
	}
}

// ofClock resolves functions of a time of day or a duration.
func ofClock(result types.Type, rest ...types.Type) Resolver {
	return func(args []Expr) ([]types.Type, types.Type, error) {
		want := append([]types.Type{clockType(args[0].Type())}, rest...)
		return want[:len(args)], result, nil
	}
}

func resolveDateDiff(args []Expr) ([]types.Type, types.Type, error) {
	return []types.Type{dateType(args[0].Type()), dateType(args[1].Type())}, types.T(types.Int64), nil
}

// Unit is the unit of an INTERVAL or an EXTRACT. A composite unit such as
// "day_second" goes from its first part to its last.
type Unit struct {
	First, Last Part
}

// Part is a component of a date and time, in descending order.
type Part int8

// The parts. Quarters and weeks are units of their own, never of a composite one.
const (
	Year Part = iota
	Quarter
	Month
	Week
	Day
	Hour
	Minute
	Second
	Microsecond
)

var partNames = []string{"year", "quarter", "month", "week", "day", "hour", "minute", "second", "microsecond"}

// ParseUnit reads the lower-case name of a unit.
func ParseUnit(name string) (u Unit, ok bool) {
	first, last, composite := strings.Cut(name, "_")
	if !composite {
		last = first
	}
	u = Unit{partOf(first), partOf(last)}
	if u.First < 0 || u.Last < 0 {
		return u, false
	}
	switch {
	case !composite:
		return u, true
	case u.First == Year:
		return u, u.Last == Month
	}
	return u, u.First >= Day && u.Last > u.First
}

func partOf(name string) Part {
	for i, s := range partNames {
		if s == name {
			return Part(i)
		}
	}
	return -1
}

// Composite reports whether the unit has several parts.
func (u Unit) Composite() bool { return u.First != u.Last }

// HasClock reports whether the unit has parts smaller than a day.
func (u Unit) HasClock() bool { return u.Last > Day }

// UnitOf returns the unit that the binder passes as a string constant.
func UnitOf(e Expr) (Unit, error) {
	name, ok := ConstText(e)
	if !ok {
		return Unit{}, sqlerr.Internal("the unit %s is no string", e)
	}
	u, ok := ParseUnit(strings.ToLower(name))
	if !ok {
		return Unit{}, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to INTERVAL: unit '%s'", name)
	}
	return u, nil
}

// resolveDateAdd types DATE_ADD(date, amount, unit): a DATE stays one when the unit is
// of whole days, a TIME when it is not; strings give strings.
func resolveDateAdd(args []Expr) ([]types.Type, types.Type, error) {
	u, err := UnitOf(args[2])
	if err != nil {
		return nil, types.Type{}, err
	}
	amount, digits := amountType(u, args[1])
	from := args[0].Type()
	want := []types.Type{from, amount, AsIs}
	switch {
	case from.ID == types.Date && !u.HasClock():
		return want, from, nil
	case from.ID == types.Time && u.First >= Hour, from.ID == types.Datetime, from.ID == types.Timestamp:
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

// amountType returns the type of an INTERVAL's amount and the fractional second digits
// that it adds to the result.
func amountType(u Unit, amount Expr) (t types.Type, digits uint8) {
	switch {
	case u.Composite():
		if u.Last == Microsecond {
			digits = 6
		}
		return types.T(types.String), digits
	case u.Last == Microsecond:
		return types.T(types.Int64), 6
	case u.Last != Second || Number(amount.Type()).IsInteger():
		return types.T(types.Int64), 0
	}
	digits = 6
	if t := amount.Type(); t.ID == types.Decimal {
		digits = min(t.Scale, 6)
	}
	return types.Dec(24, 6), digits
}

// newTimestampAdd makes TIMESTAMPADD(unit, amount, date) a DATE_ADD.
func newTimestampAdd(a []Expr, pos int) (Expr, error) {
	return NewCall(FuncDateAdd, []Expr{a[2], a[1], a[0]}, pos)
}

func resolveTimestampDiff(args []Expr) ([]types.Type, types.Type, error) {
	if _, err := UnitOf(args[0]); err != nil {
		return nil, types.Type{}, err
	}
	return []types.Type{AsIs, moment, moment}, types.T(types.Int64), nil
}

// resolveExtract reads strings as times where the unit has no date parts.
func resolveExtract(args []Expr) ([]types.Type, types.Type, error) {
	u, err := UnitOf(args[0])
	if err != nil {
		return nil, types.Type{}, err
	}
	t := dateType(args[1].Type())
	if u.First >= Hour {
		t = clockType(args[1].Type())
	} else if args[1].Type().ID == types.Time && u.First == Day {
		t = args[1].Type()
	}
	return []types.Type{AsIs, t}, types.T(types.Int64), nil
}

// Parts lists the parts of the unit: those between the first and the last, too.
func (u Unit) Parts() []Part {
	if u.First == Year && u.Composite() {
		return []Part{Year, Month}
	}
	var out []Part
	for p := u.First; p <= u.Last; p++ {
		out = append(out, p)
	}
	return out
}
