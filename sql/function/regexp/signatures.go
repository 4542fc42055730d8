package regexp

import (
	"gsql/sql/expr"
	"gsql/sql/types"
)

// registerSignatures registers the signatures of the functions of regular expressions.
func registerSignatures() {
	bigint, text := types.T(types.Int64), types.T(types.String)
	expr.Register(
		expr.Sig{Name: expr.FuncRegexpLike, Min: 2, Max: 3, Resolve: expr.Fixed(bigint, text), MatchType: 2},
		expr.Sig{Name: expr.FuncRegexpInstr, Min: 2, Max: 6, Resolve: expr.Fixed(bigint, text, text, bigint, bigint, bigint, text), MatchType: 5},
		expr.Sig{Name: expr.FuncRegexpSubstr, Min: 2, Max: 5, Resolve: expr.TextLike(text, bigint, bigint, text), MatchType: 4},
		expr.Sig{Name: expr.FuncRegexpReplace, Min: 3, Max: 6, Resolve: expr.TextLike(text, text, bigint, bigint, text), MatchType: 5},
	)
}
