package colset

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// Of returns the ids of columns.
func Of(cols []logical.Column) Set {
	var s Set
	s.AddColumns(cols)
	return s
}

// AddColumns adds the ids of columns.
func (s *Set) AddColumns(cols []logical.Column) {
	for i := range cols {
		s.Add(cols[i].ID)
	}
}

// AddExpr adds the columns that e refers to, except those in subqueries.
func (s *Set) AddExpr(e expr.Expr) {
	switch x := e.(type) {
	case *expr.Col:
		s.Add(x.ID)
	case *expr.Call:
		for _, a := range x.Args {
			s.AddExpr(a)
		}
	}
}

// With returns a copy of s with the columns of expressions.
func (s Set) With(es ...expr.Expr) Set {
	out := s.Clone()
	for _, e := range es {
		out.AddExpr(e)
	}
	return out
}

// Pick returns the columns that are in s, in order.
func (s Set) Pick(cols []logical.Column) []logical.Column {
	return s.AppendPicked(make([]logical.Column, 0, s.Among(cols)), cols)
}

// AppendPicked appends the columns that are in s to dst.
func (s Set) AppendPicked(dst, cols []logical.Column) []logical.Column {
	for i := range cols {
		if s.Has(cols[i].ID) {
			dst = append(dst, cols[i])
		}
	}
	return dst
}

// Among returns the number of columns that are in s.
func (s Set) Among(cols []logical.Column) int {
	n := 0
	for i := range cols {
		if s.Has(cols[i].ID) {
			n++
		}
	}
	return n
}
