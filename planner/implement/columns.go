package implement

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

func refs(cols []logical.Column) []expr.Expr {
	out := make([]expr.Expr, len(cols))
	for i := range cols {
		out[i] = cols[i].Ref()
	}
	return out
}

// terms counts the calls in expressions, the unit in which evaluation is priced. Expensive calls
// count several times.
func terms(es ...expr.Expr) float64 {
	n := 0.0
	for _, e := range es {
		expr.Walk(e, func(e expr.Expr) bool {
			if c, ok := e.(*expr.Call); ok {
				n += weight(c)
			}
			return true
		})
	}
	return n
}

// divisionTerms is the cost of an integer division or a remainder in additions, both row by row
// and in programs over pairs.
const divisionTerms = 6

func weight(c *expr.Call) float64 {
	if c.Fn == expr.FuncMod || c.Fn == expr.FuncIntDiv {
		return divisionTerms
	}
	return 1
}

// inOrder makes the output of every variant exactly the columns of schema. A join returns its
// columns in any order; operators on the CPU whose columns differ get a projection.
func (v variants) inOrder(schema []logical.Column) variants {
	if v.have(schema) {
		return v
	}
	out := make(variants, len(v))
	for i := range v {
		if v[i].node != nil {
			out[i] = v[i].inOrder(schema)
		}
	}
	return out
}

// have reports whether the output columns of all variants equal schema.
func (v variants) have(schema []logical.Column) bool {
	for i := range v {
		if v[i].node != nil && !slices.Equal(v[i].node.Cols, schema) {
			return false
		}
	}
	return true
}

func (v *variant) inOrder(schema []logical.Column) variant {
	n := v.node
	same := len(n.Cols) == len(schema)
	for i := 0; same && i < len(schema); i++ {
		same = n.Cols[i].ID == schema[i].ID
	}
	if _, isJoin := n.Op.(*physical.Join); same || isJoin {
		c := *n
		c.Cols = schema
		return variant{&c, v.bytes, v.ms}
	}
	n = v.home()
	out := &physical.Node{Op: &physical.Project{Exprs: refs(schema)}, In: []*physical.Node{n}, Cols: schema, Device: physical.CPU}
	out.Est = physical.Estimate{Rows: n.Est.Rows, TotalMS: n.Est.TotalMS}
	return variant{node: out}
}
