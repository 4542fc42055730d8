package misc

import (
	"math"
	"strconv"
	"time"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerSession() {
	for _, name := range []expr.FuncID{"database", "user", "version", "connection_id", "last_insert_id", "row_count", "found_rows"} {
		kernel.Register(kernel.Def{Name: name, Bind: bindVariable(name), Total: kernel.Always})
	}
	kernel.Register(
		kernel.Def{Name: "sleep", Bind: kernel.Fn(sleep)},
		kernel.Def{Name: expr.FuncSetLastInsertID, Bind: kernel.Fn(setLastInsertID)},
	)
}

// bindVariable binds functions that return the session's value of the same name, or NULL if the
// session has none.
func bindVariable(name expr.FuncID) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		return func(rt *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
			text, ok := "", false
			if rt.Env != nil {
				text, ok = rt.Env.Var(string(name))
			}
			number, err := int64(0), error(nil)
			if out.Type.Kind() != types.KindStr {
				number, err = strconv.ParseInt(text, 10, 64)
			}
			if !ok || err != nil {
				kernel.SetAllNull(out, nil)
				return nil
			}
			for i := range out.N {
				if out.Type.Kind() == types.KindStr {
					out.Str[i] = text
				} else {
					out.I64[i] = number
				}
			}
			return nil
		}, nil
	}
}

// setLastInsertID passes the value of each row to the session, which keeps the last one.
func setLastInsertID(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	for i := range out.I64 {
		out.I64[i] = args[0].I64[i&kernel.Mask(args[0])]
		if rt.Env != nil && (out.Null == nil || !out.Null[i]) {
			rt.Env.SetLastInsertID(out.I64[i])
		}
	}
	return nil
}

// sleep waits the given number of seconds for every row. It returns error 1317 or 3024 if the
// statement is cancelled or times out in the meantime.
func sleep(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	ctx := rt.Running()
	for i := range out.I64 {
		seconds := args[0].F64[i&kernel.Mask(args[0])]
		if kernel.NullAt(args[0], i) || seconds < 0 {
			return rt.Fail(sqlerr.WrongArguments, "Incorrect arguments to sleep.")
		}
		timer := time.NewTimer(time.Duration(min(seconds, math.MaxInt32) * float64(time.Second)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return sqlerr.From(ctx.Err()).At(rt.Call.Pos)
		}
		out.I64[i] = 0
	}
	return nil
}
