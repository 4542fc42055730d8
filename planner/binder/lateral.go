package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
)

// lateral is what the LATERAL derived tables at hand of a FROM clause may refer to: the
// tables to their left.
type lateral struct {
	left *scope // nil where there are none
	// taken has the columns that LATERAL tables of the clause refer to. The block that
	// stands around such a table shares it.
	taken map[expr.ColID]bool
}

// enter lets LATERAL tables of a join's right operand see the left one, and gives the
// function that ends it. RIGHT JOIN needs all rows of its right operand before it looks at the
// left one.
func (l *lateral) enter(ls *scope, tp ast.JoinType) (leave func()) {
	old := l.left
	if tp != ast.RightJoin {
		l.left = ls
		if old != nil {
			l.left = concat(old, ls)
		}
	}
	return func() { l.left = old }
}

// around gives the block around a LATERAL table of b: its scope is the tables to the left.
func (l *lateral) around(b *block) *block {
	if l.left == nil {
		return b.outer
	}
	if l.taken == nil {
		l.taken = map[expr.ColID]bool{}
	}
	o := b.newBlock(b.outer, b.ctes, l.left)
	o.at, o.lateral.taken = fromClause, l.taken
	return o
}

// note remembers that a LATERAL table refers to a column of the block around it.
func (l *lateral) note(e expr.Expr) {
	if c, ok := e.(*expr.Col); ok && l.taken != nil {
		l.taken[c.ID] = true
	}
}

// tookFrom tells whether a LATERAL table refers to a column of s.
func (l *lateral) tookFrom(s *scope) bool {
	for id := range l.taken {
		if s.byID(id) != nil {
			return true
		}
	}
	return false
}
