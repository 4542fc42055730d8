package gsql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlerr"
	"gsql/storage"
)

// safely makes f, an UPDATE or DELETE, error 1175 under sql_safe_updates where it has no
// LIMIT and its WHERE names no column that begins a key.
func (r *stmtRun) safely(refs *ast.TableRefsClause, where ast.ExprNode, limit *ast.Limit, f func(tx *storage.Tx) (*Rows, error)) func(tx *storage.Tx) (*Rows, error) {
	if !r.s.settings().safeUpdates || limit != nil {
		return f
	}
	return func(tx *storage.Tx) (*Rows, error) {
		if err := r.checkSafe(tx, refs, where); err != nil {
			return nil, err
		}
		return f(tx)
	}
}

func (r *stmtRun) checkSafe(tx *storage.Tx, refs *ast.TableRefsClause, where ast.ExprNode) error {
	keyed := keyColumns{r: r, tx: tx, names: map[string]bool{}}
	refs.Accept(&keyed)
	var used columnNames
	if where != nil {
		where.Accept(&used)
	}
	for _, name := range used {
		if keyed.names[name] {
			return nil
		}
	}
	return sqlerr.New(sqlerr.UpdateWithoutKeyInSafeMode, "You are using safe update mode and you tried to update a table without a WHERE that uses a KEY column.").
		WithHint("Add a LIMIT, compare a key's first column, or SET sql_safe_updates = 0.")
}

// keyColumns collects the columns that keys begin with, of the tables of a clause.
type keyColumns struct {
	r     *stmtRun
	tx    *storage.Tx
	names map[string]bool // in lower case
}

// Enter implements ast.Visitor.
func (k *keyColumns) Enter(n ast.Node) (ast.Node, bool) {
	t, ok := n.(*ast.TableName)
	if !ok {
		return n, false
	}
	schema, err := k.r.columnsOf(k.tx, t)
	if err != nil {
		return n, true // binding the statement tells
	}
	for _, x := range schema.Indexes {
		k.names[strings.ToLower(schema.Columns[x.Columns[0]].Name)] = true
	}
	return n, true
}

// Leave implements ast.Visitor.
func (k *keyColumns) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// columnNames collects the columns an expression names, in lower case.
type columnNames []string

// Enter implements ast.Visitor.
func (c *columnNames) Enter(n ast.Node) (ast.Node, bool) {
	if name, ok := n.(*ast.ColumnName); ok {
		*c = append(*c, name.Name.L)
	}
	return n, false
}

// Leave implements ast.Visitor.
func (c *columnNames) Leave(n ast.Node) (ast.Node, bool) { return n, true }
