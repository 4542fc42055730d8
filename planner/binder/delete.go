package binder

import (
	"context"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// Delete is a bound DELETE. Node gives the ids of the rows to go, a column for each of
// Tables.
type Delete struct {
	Node   logical.Node
	Tables []Change
}

// Delete binds a DELETE from one table, or from some of several that are joined.
func (b *Binder) Delete(ctx context.Context, s *parse.Statement, n *ast.DeleteStmt) (*Delete, error) {
	st := b.begin(ctx, s)
	blk, node, err := st.changing(n.With, n.TableRefs)
	if err != nil {
		return nil, err
	}
	sources := blk.scope.sources
	if n.IsMultiTable {
		if sources, err = blk.deleted(n.Tables.Tables); err != nil {
			return nil, err
		}
	}
	var rowIDs []logical.Column
	out := &Delete{}
	for i, src := range sources {
		if err := notUpdatable(src, "DELETE", st.find(src.alias, 0)); err != nil {
			return nil, err
		}
		rowIDs = append(rowIDs, st.addRowID(src))
		out.Tables = append(out.Tables, Change{Target: src.target(), RowID: i})
	}
	if node, err = blk.chosen(node, n.Where, n.Order, n.Limit); err != nil {
		return nil, err
	}
	st.warnUnusedHints()
	out.Node = passThrough(node, rowIDs)
	return out, nil
}

// deleted finds the tables that a DELETE names among those it joins: error 1109 for one
// that it does not, 1066 for one named twice.
func (b *block) deleted(names []*ast.TableName) ([]*source, error) {
	out := make([]*source, 0, len(names))
	for _, n := range names {
		pos := b.find(n.Name.O, 0)
		src := b.scope.source(n.Schema.L, n.Name.L)
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
