package date

import (
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// registerNowSignatures registers the signatures of the functions of the current time.
func registerNowSignatures() {
	for _, fn := range []expr.FuncID{expr.FuncNow, expr.FuncUTCTimestamp} {
		expr.Register(expr.Sig{Name: fn, Max: 1, Resolve: resolveNow(types.Datetime), Session: true})
	}
	for _, fn := range []expr.FuncID{"curtime", "utc_time"} {
		expr.Register(expr.Sig{Name: fn, Max: 1, Resolve: resolveNow(types.Time), Session: true})
	}
	date := types.T(types.Date)
	expr.Register(
		expr.Sig{Name: "sysdate", Max: 1, Resolve: resolveNow(types.Datetime), Volatile: true},
		expr.Sig{Name: "curdate", Resolve: expr.Fixed(date), Session: true},
		expr.Sig{Name: "utc_date", Resolve: expr.Fixed(date), Session: true},
	)
	for name, of := range map[expr.FuncID]expr.FuncID{
		"current_timestamp": expr.FuncNow, "localtime": expr.FuncNow, "localtimestamp": expr.FuncNow,
		"current_date": "curdate", "current_time": "curtime",
	} {
		expr.Alias(name, of)
	}
}

// resolveNow infers the types of NOW(digits) and the other functions of the current time.
func resolveNow(id types.ID) expr.Resolver {
	return func(args []expr.Expr) ([]types.Type, types.Type, error) {
		t := types.T(id)
		if len(args) == 0 {
			return nil, t, nil
		}
		digits, ok := expr.ConstInt(args[0])
		if !ok || digits < 0 || digits > 6 {
			return nil, t, sqlerr.New(sqlerr.TooBigPrecision, "Too-big precision %s specified for 'now'. Maximum is 6.", args[0])
		}
		t.Prec = uint8(digits)
		return []types.Type{expr.AsIs}, t, nil
	}
}
