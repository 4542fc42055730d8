package expr

import (
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func init() {
	for _, fn := range []FuncID{"now", FuncUTCTimestamp} {
		Register(Sig{Name: fn, Max: 1, Resolve: resolveNow(types.Datetime), Session: true})
	}
	for _, fn := range []FuncID{"curtime", "utc_time"} {
		Register(Sig{Name: fn, Max: 1, Resolve: resolveNow(types.Time), Session: true})
	}
	date := types.T(types.Date)
	Register(
		Sig{Name: "sysdate", Max: 1, Resolve: resolveNow(types.Datetime), Volatile: true},
		Sig{Name: "curdate", Resolve: Fixed(date), Session: true},
		Sig{Name: "utc_date", Resolve: Fixed(date), Session: true},
	)
	for name, of := range map[FuncID]FuncID{
		"current_timestamp": "now", "localtime": "now", "localtimestamp": "now",
		"current_date": "curdate", "current_time": "curtime",
	} {
		Alias(name, of)
	}
}

// resolveNow types NOW(digits) and its kin.
func resolveNow(id types.ID) Resolver {
	return func(args []Expr) ([]types.Type, types.Type, error) {
		t := types.T(id)
		if len(args) == 0 {
			return nil, t, nil
		}
		digits, ok := ConstInt(args[0])
		if !ok || digits < 0 || digits > 6 {
			return nil, t, sqlerr.New(sqlerr.TooBigPrecision, "Too-big precision %s specified for 'now'. Maximum is 6.", args[0])
		}
		t.Prec = uint8(digits)
		return []types.Type{AsIs}, t, nil
	}
}
