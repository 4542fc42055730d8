package expr

import (
	"gsql/sql/catalog"
	"gsql/sql/types"
)

func init() {
	bigint, text, bytes := types.T(types.Int64), types.T(types.String), types.T(types.Bytes)
	octet := Fixed(bytes, bytes)
	Register(
		Sig{Name: FuncCharset, Min: 1, Max: 1, NullAware: true},
		Sig{Name: FuncCollation, Min: 1, Max: 1, NullAware: true},
		Sig{Name: FuncCoercibility, Min: 1, Max: 1, NullAware: true},
		Sig{Name: FuncNameConst, Min: 2, Max: 2, NullAware: true},
		Sig{Name: "current_role", Resolve: Fixed(text), Session: true},

		Sig{Name: "benchmark", Min: 2, Max: 2, Resolve: Fixed(bigint, bigint, AsIs), NullAware: true, Volatile: true},
		Sig{Name: "make_set", Min: 2, Max: -1, Resolve: Fixed(text, bigint, text), NullAware: true, Bits: true},
		Sig{Name: "export_set", Min: 3, Max: 5, Resolve: Fixed(text, bigint, text, text, text, bigint), Bits: true},
		Sig{Name: "get_format", Min: 2, Max: 2, Resolve: Fixed(text, AsIs, text)},
		Sig{Name: "format_bytes", Min: 1, Max: 1, Resolve: Fixed(text, types.T(types.Float64))},
		Sig{Name: "format_pico_time", Min: 1, Max: 1, Resolve: Fixed(text, types.T(types.Float64))},

		Sig{Name: "inet6_aton", Min: 1, Max: 1, Resolve: Fixed(bytes, text)},
		Sig{Name: "inet6_ntoa", Min: 1, Max: 1, Resolve: Fixed(text, bytes)},
		Sig{Name: "is_ipv4", Min: 1, Max: 1, Resolve: Fixed(bigint, text), NullAware: true},
		Sig{Name: "is_ipv6", Min: 1, Max: 1, Resolve: Fixed(bigint, text), NullAware: true},
		Sig{Name: "is_ipv4_compat", Min: 1, Max: 1, Resolve: Fixed(bigint, bytes), NullAware: true},
		Sig{Name: "is_ipv4_mapped", Min: 1, Max: 1, Resolve: Fixed(bigint, bytes), NullAware: true},

		Sig{Name: "is_uuid", Min: 1, Max: 1, Resolve: Fixed(bigint, text)},
		Sig{Name: "uuid_to_bin", Min: 1, Max: 2, Resolve: Fixed(bytes, text, bigint)},
		Sig{Name: "bin_to_uuid", Min: 1, Max: 2, Resolve: Fixed(text, bytes, bigint)},
		Sig{Name: "uuid_short", Resolve: Fixed(types.T(types.Uint64)), Volatile: true},

		Sig{Name: "compress", Min: 1, Max: 1, Resolve: octet},
		Sig{Name: "uncompress", Min: 1, Max: 1, Resolve: octet},
		Sig{Name: "uncompressed_length", Min: 1, Max: 1, Resolve: Fixed(bigint, bytes)},
		Sig{Name: "random_bytes", Min: 1, Max: 1, Resolve: Fixed(bytes, bigint), Volatile: true},
		Sig{Name: "aes_encrypt", Min: 2, Max: 2, Resolve: octet},
		Sig{Name: "aes_decrypt", Min: 2, Max: 2, Resolve: octet},
	)
}

// newCharset and its kin are known from the argument alone.
func newCharset(a []Expr, _ int) (Expr, error) {
	return constText(named(a[0], "utf8mb4", "binary")), nil
}

func newCollation(a []Expr, _ int) (Expr, error) {
	c, _, err := CollationOf(a[0])
	return constText(named(a[0], c.String(), "binary")), err
}

func constText(s string) Expr { return &Const{Value: catalog.Str(s)} }

// named chooses by whether e is text.
func named(e Expr, text, other string) string {
	if t := e.Type().ID; t == types.String || t == types.JSON {
		return text
	}
	return other
}

// newCoercibility ranks an argument's collation: those of columns go before those of
// literals and computed text.
func newCoercibility(a []Expr, _ int) (Expr, error) {
	_, held, err := CollationOf(a[0])
	rank := int64(held)
	switch {
	case IsNull(a[0]):
		rank = 6
	case held == Coercible && Session(a[0]):
		rank = 3
	}
	return &Const{Value: catalog.Int(rank)}, err
}

func newNameConst(a []Expr, _ int) (Expr, error) { return a[1], nil }
