package query

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// Lock is a table whose rows a query reads for update or for share.
type Lock struct {
	Table catalog.Table
	Col   int // the plan's column with the row ids, after those of the result; NULL if an outer join found no row
	Share bool
}

// Locks reports whether a SELECT has a locking clause and whether it locks for share.
func Locks(n *ast.SelectStmt) (locks, share bool) {
	if n.LockInfo == nil {
		return false, false
	}
	switch n.LockInfo.LockType {
	case ast.SelectLockNone:
		return false, false
	case ast.SelectLockForShare, ast.SelectLockForShareNoWait, ast.SelectLockForShareSkipLocked:
		return true, true
	}
	return true, false
}

// checkLocked returns error 3568 for a table in a locking clause that is not in FROM.
func checkLocked(n *ast.SelectStmt, sc *scope.Scope) error {
	if n.LockInfo == nil {
		return nil
	}
	for _, t := range n.LockInfo.Tables {
		if sc.Source(t.Schema.L, t.Name.L) == nil {
			return sqlerr.New(sqlerr.UnresolvedTableLock, "Unresolved table name `%s` in locking clause.", t.Name.O).
				WithHint("OF lists names or aliases of tables in FROM.")
		}
	}
	return nil
}

// lockItems returns the columns that identify the rows that the outermost SELECT locks. beyond is true if it
// also locks rows that have no such column: those under groups, DISTINCT, derived tables, views and common table
// expressions.
func (q *Binder) lockItems(n *ast.SelectStmt, sel *block.Selection, sc *scope.Scope) (locks []Lock, items []logical.Item, beyond bool) {
	locking, share := Locks(n)
	if !locking || q.Lockable == nil || n != q.Shared.Outermost {
		return nil, nil, false
	}
	if sel.Grouped || n.Distinct {
		return nil, nil, true
	}
	for _, src := range sc.Sources {
		switch {
		case !namesLocked(n, src):
		case src.Scan == nil:
			beyond = true
		case !q.Lockable(src.Table):
		default:
			id, ok := q.rowIDAbove(src, sel.Node)
			if !ok {
				beyond = true
				continue
			}
			locks = append(locks, Lock{Table: src.Table, Share: share})
			items = append(items, logical.Item{Col: id, Expr: id.Ref()})
		}
	}
	return locks, items, beyond
}

// namesLocked reports whether the locking clause applies to a table. Without OF it applies to
// all.
func namesLocked(n *ast.SelectStmt, src *scope.Source) bool {
	return len(n.LockInfo.Tables) == 0 || slices.ContainsFunc(n.LockInfo.Tables, func(t *ast.TableName) bool {
		return src.Key == t.Name.L && (t.Schema.L == "" || t.Schema.L == src.DB)
	})
}

// rowIDAbove adds the row ids to a table's scan and returns their column if it reaches node. Operators that
// merge columns drop it.
func (q *Binder) rowIDAbove(src *scope.Source, node logical.Node) (logical.Column, bool) {
	has := func(id logical.Column) bool {
		return slices.ContainsFunc(node.Schema(), func(c logical.Column) bool { return c.ID == id.ID })
	}
	if !slices.ContainsFunc(src.Scan.Columns, has) {
		return logical.Column{}, false // the rows come from copies of the scan
	}
	id := scope.AddRowID(q.Statement, src)
	return id, has(id)
}
