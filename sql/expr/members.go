package expr

import "gsql/sql/types"

func registerMembers() {
	Register(Sig{Name: FuncMemberNumber, Min: 1, Max: 1, Internal: true, Resolve: Fixed(types.T(types.Int64), AsIs)})
}

// MemberNumber returns the number of an ENUM's or SET's value, which orders it and which arithmetic
// uses. It returns other expressions unchanged.
func MemberNumber(e Expr) Expr {
	if !e.Type().HasMembers() {
		return e
	}
	return &Call{Fn: FuncMemberNumber, Args: []Expr{e}, T: types.T(types.Int64), Pos: -1}
}
