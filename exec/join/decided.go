package join

import (
	"gsql/exec/join/match"
	"gsql/planner/logical"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// decidedBy reports whether one side alone determines the result because none of its rows can
// have a partner: it has no rows, or one of its driving operands is NULL in all of them. The
// other side is then needed only if the kind of join returns its rows without a partner. An anti
// join for NOT IN returns none if there is a NULL on the right.
func (p *plan) decidedBy(side *match.Side, which int) bool {
	if p.nullAware && p.kind == logical.Anti && which == match.RightSide && p.oneOperand() && len(p.findNulls(side).Nulls) > 0 {
		return true // x NOT IN (..., NULL, ...) is never TRUE
	}
	if p.keeps(match.LeftSide + match.RightSide - which) {
		return false
	}
	if side.Rows == 0 {
		return true
	}
	if p.nullAware { // a NULL on the left yields NULL only if the right side has rows
		return false
	}
	for i, k := range side.Keys {
		if (i >= len(p.nullSafe) || !p.nullSafe[i]) && allNull(k, side.Rows) {
			return true
		}
	}
	return false
}

// allNull reports whether the first rows of v are all NULL.
func allNull(v *vec.Vector, rows int) bool {
	if v.Type.ID == types.Null {
		return true
	}
	if !v.MayHaveNulls() {
		return false
	}
	for r := range rows {
		if !v.IsNull(r) {
			return false
		}
	}
	return true
}
