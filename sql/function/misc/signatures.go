package misc

import (
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// registerSignatures registers the signatures of the functions of the session, addresses and UUIDs.
func registerSignatures() {
	bigint, text, bytes := types.T(types.Int64), types.T(types.String), types.T(types.Bytes)
	expr.Register(
		expr.Sig{Name: expr.FuncCharset, Min: 1, Max: 1, NullAware: true, Build: newCharset},
		expr.Sig{Name: expr.FuncCollation, Min: 1, Max: 1, NullAware: true, Build: newCollation},
		expr.Sig{Name: expr.FuncCoercibility, Min: 1, Max: 1, NullAware: true, Build: newCoercibility},
		expr.Sig{Name: expr.FuncNameConst, Min: 2, Max: 2, NullAware: true, Build: newNameConst},
		expr.Sig{Name: "current_role", Resolve: expr.Fixed(text), Session: true},

		expr.Sig{Name: "benchmark", Min: 2, Max: 2, Resolve: expr.Fixed(bigint, bigint, expr.AsIs), NullAware: true, Volatile: true},

		expr.Sig{Name: "inet6_aton", Min: 1, Max: 1, Resolve: expr.Fixed(bytes, text)},
		expr.Sig{Name: "inet6_ntoa", Min: 1, Max: 1, Resolve: expr.Fixed(text, bytes)},
		expr.Sig{Name: "is_ipv4", Min: 1, Max: 1, Resolve: expr.Fixed(bigint, text), NullAware: true},
		expr.Sig{Name: "is_ipv6", Min: 1, Max: 1, Resolve: expr.Fixed(bigint, text), NullAware: true},
		expr.Sig{Name: "is_ipv4_compat", Min: 1, Max: 1, Resolve: expr.Fixed(bigint, bytes), NullAware: true},
		expr.Sig{Name: "is_ipv4_mapped", Min: 1, Max: 1, Resolve: expr.Fixed(bigint, bytes), NullAware: true},

		expr.Sig{Name: "is_uuid", Min: 1, Max: 1, Resolve: expr.Fixed(bigint, text)},
		expr.Sig{Name: "uuid_to_bin", Min: 1, Max: 2, Resolve: expr.Fixed(bytes, text, bigint)},
		expr.Sig{Name: "bin_to_uuid", Min: 1, Max: 2, Resolve: expr.Fixed(text, bytes, bigint)},
		expr.Sig{Name: "uuid_short", Resolve: expr.Fixed(types.T(types.Uint64)), Volatile: true},
	)
	registerSessionSignatures()
}

// registerSessionSignatures registers the signatures of the functions of the session.
func registerSessionSignatures() {
	bigint, text := types.T(types.Int64), types.T(types.String)
	for _, fn := range []expr.FuncID{"database", "user", "version"} {
		expr.Register(expr.Sig{Name: fn, Resolve: expr.Fixed(text), Session: true})
	}
	for _, fn := range []expr.FuncID{"connection_id", "last_insert_id"} {
		expr.Register(expr.Sig{Name: fn, Resolve: expr.Fixed(types.T(types.Uint64)), Session: true})
	}
	expr.Register(
		expr.Sig{Name: expr.FuncSetLastInsertID, Min: 1, Max: 1, Resolve: expr.Fixed(types.T(types.Uint64), types.T(types.Uint64)), Volatile: true, Internal: true},
		expr.Sig{Name: "found_rows", Resolve: expr.Fixed(bigint), Session: true},
		expr.Sig{Name: "row_count", Resolve: expr.Fixed(bigint), Session: true},
		expr.Sig{Name: "sleep", Min: 1, Max: 1, Resolve: expr.Fixed(bigint, types.T(types.Float64)), NullAware: true, Volatile: true},
		expr.Sig{Name: "interval", Min: 2, Max: -1, Resolve: resolveInterval, NullAware: true},
		expr.Sig{Name: "inet_aton", Min: 1, Max: 1, Resolve: expr.Fixed(types.T(types.Uint32), text)},
		expr.Sig{Name: "inet_ntoa", Min: 1, Max: 1, Resolve: expr.Fixed(text, bigint)},
	)
	expr.Alias("schema", "database")
	for _, fn := range []expr.FuncID{"current_user", "session_user", "system_user"} {
		expr.Alias(fn, "user")
	}
}

// resolveInterval compares integers as integers and anything else as DOUBLE.
func resolveInterval(args []expr.Expr) ([]types.Type, types.Type, error) {
	t := types.T(types.Int64)
	for _, a := range args {
		if n := expr.Number(a.Type()); n.ID != types.Int64 {
			t = types.T(types.Float64)
		}
	}
	want, _, err := expr.Fixed(t, t)(args)
	return want, types.T(types.Int64), err
}

// newCharset builds a constant, because the argument alone determines the result; newCollation and
// newCoercibility do the same.
func newCharset(a []expr.Expr, _ int) (expr.Expr, error) {
	return constText(named(a[0], "utf8mb4", "binary")), nil
}

func newCollation(a []expr.Expr, _ int) (expr.Expr, error) {
	c, _, err := expr.CollationOf(a[0])
	return constText(named(a[0], c.String(), "binary")), err
}

func constText(s string) expr.Expr { return &expr.Const{Value: catalog.Str(s)} }

// named returns text if e is text, else other.
func named(e expr.Expr, text, other string) string {
	if t := e.Type().ID; t == types.String || t == types.JSON {
		return text
	}
	return other
}

// newCoercibility returns the precedence of an argument's collation: those of columns precede those
// of literals and computed text.
func newCoercibility(a []expr.Expr, _ int) (expr.Expr, error) {
	_, held, err := expr.CollationOf(a[0])
	rank := int64(held)
	switch {
	case expr.IsNull(a[0]):
		rank = 6
	case held == expr.Coercible && expr.Session(a[0]):
		rank = 3
	}
	return &expr.Const{Value: catalog.Int(rank)}, err
}

func newNameConst(a []expr.Expr, _ int) (expr.Expr, error) { return a[1], nil }
