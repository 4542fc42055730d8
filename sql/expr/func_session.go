package expr

import "gsql/sql/types"

func init() {
	bigint, text := types.T(types.Int64), types.T(types.String)
	for _, fn := range []FuncID{"database", "user", "version"} {
		Register(Sig{Name: fn, Resolve: Fixed(text), Session: true})
	}
	for _, fn := range []FuncID{"connection_id", "last_insert_id"} {
		Register(Sig{Name: fn, Resolve: Fixed(types.T(types.Uint64)), Session: true})
	}
	Register(
		Sig{Name: FuncSetLastInsertID, Min: 1, Max: 1, Resolve: Fixed(types.T(types.Uint64), types.T(types.Uint64)), Volatile: true, Internal: true},
		Sig{Name: FuncGetUserVar, Min: 1, Max: 1, Resolve: Fixed(AsIs, AsIs), NullAware: true, Volatile: true, Internal: true},
		Sig{Name: FuncSetUserVar, Min: 2, Max: 2, Resolve: Fixed(AsIs, AsIs, AsIs), NullAware: true, Volatile: true, Internal: true},
		Sig{Name: "found_rows", Resolve: Fixed(bigint), Session: true},
		Sig{Name: "row_count", Resolve: Fixed(bigint), Session: true},
		Sig{Name: "sleep", Min: 1, Max: 1, Resolve: Fixed(bigint, types.T(types.Float64)), NullAware: true, Volatile: true},
		Sig{Name: "uuid", Resolve: Fixed(text), Volatile: true},
		Sig{Name: "interval", Min: 2, Max: -1, Resolve: resolveInterval, NullAware: true},
		Sig{Name: "inet_aton", Min: 1, Max: 1, Resolve: Fixed(types.T(types.Uint32), text)},
		Sig{Name: "inet_ntoa", Min: 1, Max: 1, Resolve: Fixed(text, bigint)},
	)
	Alias("schema", "database")
	for _, fn := range []FuncID{"current_user", "session_user", "system_user"} {
		Alias(fn, "user")
	}
}

// resolveInterval compares integers as such and anything else as DOUBLE.
func resolveInterval(args []Expr) ([]types.Type, types.Type, error) {
	t := types.T(types.Int64)
	for _, a := range args {
		if n := Number(a.Type()); n.ID != types.Int64 {
			t = types.T(types.Float64)
		}
	}
	want, _, err := Fixed(t, t)(args)
	return want, types.T(types.Int64), err
}
