package kernel

import "gsql/sql/expr"

// Relation is a set of outcomes of a comparison.
type Relation uint8

// The outcomes that make up relations.
const (
	Less Relation = 1 << iota
	Equal
	Greater
)

// Relations holds the relations of the comparison operators.
var Relations = map[expr.FuncID]Relation{expr.FuncEQ: Equal, expr.FuncNE: Less | Greater, expr.FuncLT: Less, expr.FuncLE: Less | Equal, expr.FuncGT: Greater, expr.FuncGE: Greater | Equal}

// Swap returns the relation with its operands exchanged.
func (r Relation) Swap() Relation { return r&Equal | r&Less<<2 | r&Greater>>2 }

// Holds returns 1 if the outcome -1, 0 or 1 is in the relation, else 0.
func (r Relation) Holds(cmp int) int { return int(r>>uint(cmp+1)) & 1 }
