package dml

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/query"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/sqlerr"
)

// Delete is a bound DELETE. Node returns the ids of the rows to delete, one column for each of Tables.
type Delete struct {
	Node   logical.Node
	Tables []Change
}

// BindDelete binds a DELETE from one table or from some of several joined tables.
func BindDelete(q *query.Binder, n *ast.DeleteStmt) (*Delete, error) {
	blk, node, err := q.Changing(n.With, n.TableRefs)
	if err != nil {
		return nil, err
	}
	sources := blk.Scope.Sources
	if n.IsMultiTable {
		if sources, err = deleted(q.Statement, blk.Scope, n.Tables.Tables); err != nil {
			return nil, err
		}
	}
	var rowIDs []logical.Column
	out := &Delete{}
	for i, src := range sources {
		if err := notUpdatable(src, "DELETE", q.Find(src.Alias, 0)); err != nil {
			return nil, err
		}
		rowIDs = append(rowIDs, scope.AddRowID(q.Statement, src))
		out.Tables = append(out.Tables, Change{Target: src.Target(), RowID: i})
	}
	if node, err = chosen(blk, node, n.Where, n.Order, n.Limit); err != nil {
		return nil, err
	}
	q.WarnUnusedHints()
	out.Node = scope.PassThrough(node, rowIDs)
	return out, nil
}

// deleted returns the tables that a multi-table DELETE names. Errors: 1109 for a table that it does not join,
// 1066 for one named twice.
func deleted(s *statement.Statement, sc *scope.Scope, names []*ast.TableName) ([]*scope.Source, error) {
	out := make([]*scope.Source, 0, len(names))
	for _, n := range names {
		pos := s.Find(n.Name.O, 0)
		src := sc.Source(n.Schema.L, n.Name.L)
		if src == nil {
			return nil, sqlerr.New(sqlerr.UnknownTable, "Unknown table '%s' in MULTI DELETE", n.Name.O).At(pos)
		}
		for _, other := range out {
			if other == src {
				return nil, sqlerr.New(sqlerr.NonUniqTable, "Not unique table/alias: '%s'", n.Name.O).At(pos)
			}
		}
		out = append(out, src)
	}
	return out, nil
}
