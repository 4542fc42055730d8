package query

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/scope"
	"gsql/sql/expr"
)

// seeLeft makes the left operand, with the columns ls, visible to LATERAL tables of a join's
// right operand and returns the function that hides it again. RIGHT JOIN reads all rows of its
// right operand before the left one.
func (f *from) seeLeft(ls *scope.Scope, tp ast.JoinType) (leave func()) {
	old := f.left
	if tp != ast.RightJoin {
		f.left = ls
		if old != nil {
			f.left = scope.Concat(old, ls)
		}
	}
	return func() { f.left = old }
}

// around returns the block that encloses a LATERAL table: its scope is the tables to the left.
func (f *from) around() *block.Block {
	if f.left == nil {
		return f.b.Outer
	}
	if f.b.Taken == nil {
		f.b.Taken = map[expr.ColID]bool{}
	}
	o := f.newBlock(f.b.Outer, f.ctes, f.left)
	o.At, o.Taken = scope.FromClause, f.b.Taken
	return o
}

// tookFrom reports whether a LATERAL table refers to a column of sc.
func (f *from) tookFrom(sc *scope.Scope) bool {
	for id := range f.b.Taken {
		if sc.ByID(id) != nil {
			return true
		}
	}
	return false
}
