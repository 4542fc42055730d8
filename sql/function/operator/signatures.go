package operator

import (
	"gsql/sql/expr"
	"gsql/sql/types"
)

// registerSignatures registers the signature of BIT_COUNT. Those of the operators are in package expr,
// which builds calls of operators itself.
func registerSignatures() {
	expr.Register(expr.Sig{Name: "bit_count", Min: 1, Max: 1, Resolve: resolveBitCount})
}

// resolveBitCount accepts an integer, whose 64 bits are counted, or bytes.
func resolveBitCount(args []expr.Expr) ([]types.Type, types.Type, error) {
	count := types.T(types.Int64)
	switch t := args[0].Type(); {
	case t.ID == types.Bytes:
		return []types.Type{expr.AsIs}, count, nil
	case t.IsUnsigned():
		return []types.Type{types.T(types.Uint64)}, count, nil
	}
	return []types.Type{count}, count, nil
}
