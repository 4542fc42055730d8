package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// insertNames is what DEFAULT(c) and VALUES(c) mean in an INSERT or UPDATE.
type insertNames struct{}

// insertValue binds DEFAULT(c), DEFAULT and VALUES(c).
func (b *block) insertValue(_ ast.ExprNode, pos int) (expr.Expr, error) {
	return nil, sqlerr.Unsupported(pos, "DEFAULT")
}
