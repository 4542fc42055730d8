package implement

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// colSet is a set of column ids as a bitmap.
type colSet []uint64

func newColSet(cols []logical.Column) colSet {
	var s colSet
	s.addColumns(cols)
	return s
}

func (s *colSet) addColumns(cols []logical.Column) {
	for i := range cols {
		s.add(cols[i].ID)
	}
}

func (s *colSet) add(id expr.ColID) {
	if id < 0 {
		return
	}
	w := int(id) >> 6
	if w >= len(*s) {
		*s = append(*s, make(colSet, w+1-len(*s))...)
	}
	(*s)[w] |= 1 << (uint(id) & 63)
}

func (s colSet) has(id expr.ColID) bool {
	w := int(id) >> 6
	return id >= 0 && w < len(s) && s[w]&(1<<(uint(id)&63)) != 0
}

func (s *colSet) addExpr(e expr.Expr) {
	switch x := e.(type) {
	case *expr.Col:
		s.add(x.ID)
	case *expr.Call:
		for _, a := range x.Args {
			s.addExpr(a)
		}
	}
}

// with copies s and adds the columns of expressions.
func (s colSet) with(es ...expr.Expr) colSet {
	out := append(make(colSet, 0, len(s)+1), s...)
	for _, e := range es {
		out.addExpr(e)
	}
	return out
}

// meets reports whether s and t have a column in common.
func (s colSet) meets(t colSet) bool {
	for i := range min(len(s), len(t)) {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

// pick returns the columns that are in s, in order.
func (s colSet) pick(cols []logical.Column) []logical.Column {
	return s.appendPicked(make([]logical.Column, 0, s.among(cols)), cols)
}

func (s colSet) appendPicked(dst, cols []logical.Column) []logical.Column {
	for i := range cols {
		if s.has(cols[i].ID) {
			dst = append(dst, cols[i])
		}
	}
	return dst
}

// among counts the columns that are in s.
func (s colSet) among(cols []logical.Column) int {
	n := 0
	for i := range cols {
		if s.has(cols[i].ID) {
			n++
		}
	}
	return n
}

func refs(cols []logical.Column) []expr.Expr {
	out := make([]expr.Expr, len(cols))
	for i := range cols {
		out[i] = cols[i].Ref()
	}
	return out
}

// terms counts the calls in expressions, dear ones several times: the unit in which evaluation
// is priced.
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

// divisionTerms is how many additions a division of whole numbers or a remainder takes, row by
// row and in programs over pairs alike.
const divisionTerms = 6

func weight(c *expr.Call) float64 {
	if c.Fn == expr.FuncMod || c.Fn == expr.FuncIntDiv {
		return divisionTerms
	}
	return 1
}

// inOrder makes the output of every variant exactly the columns of schema. A join
// gives its columns in any order; other operators get a projection where theirs
// differ, on the CPU.
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

// have reports whether the output columns of all variants are schema.
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
