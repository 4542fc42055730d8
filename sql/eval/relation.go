package eval

import "gsql/sql/expr"

// relation is a set of outcomes of a comparison.
type relation uint8

// The outcomes of which relations consist.
const (
	lt relation = 1 << iota
	eq
	gt
)

// relations has those of the comparisons.
var relations = map[expr.FuncID]relation{expr.FuncEQ: eq, expr.FuncNE: lt | gt, expr.FuncLT: lt, expr.FuncLE: lt | eq, expr.FuncGT: gt, expr.FuncGE: gt | eq}

// swap gives the relation with its operands exchanged.
func (r relation) swap() relation { return r&eq | r&lt<<2 | r&gt>>2 }

// holds tells whether an outcome -1, 0 or 1 is in the relation, as 0 or 1.
func (r relation) holds(cmp int) int { return int(r>>uint(cmp+1)) & 1 }
