package binder

import (
	"fmt"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// valuesStmt binds VALUES ROW(...), ... [ORDER BY] [LIMIT].
func (s *statement) valuesStmt(n *ast.SelectStmt, outer *block, ctes *cte) (*rel, error) {
	b := s.newBlock(outer, ctes, &scope{})
	b.sel, b.at = n, fieldList
	width := len(n.Lists[0].Values)
	rows := make([][]expr.Expr, len(n.Lists))
	cols := make([]logical.Column, width)
	for r, list := range n.Lists {
		if len(list.Values) != width {
			return nil, sqlerr.New(sqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row %d", r+1).
				WithHint("The first row has %d value(s), this one %d.", width, len(list.Values))
		}
		rows[r] = make([]expr.Expr, width)
		for i, v := range list.Values {
			e, err := b.expr(v)
			if err != nil {
				return nil, err
			}
			rows[r][i] = e
			cols[i].T = expr.CommonType(cols[i].T, e.Type())
			cols[i].NotNull = (r == 0 || cols[i].NotNull) && b.notNull(e)
		}
	}
	out := &rel{names: make([]string, width)}
	for i := range cols {
		cols[i].ID, cols[i].Name = s.newID(), fmt.Sprintf("column_%d", i)
		out.names[i] = cols[i].Name
		for _, row := range rows {
			row[i] = expr.Cast(row[i], cols[i].T)
		}
	}
	out.node = s.literalRows(rows, cols)
	return s.orderSetOperation(out, n.OrderBy, n.Limit, outer, ctes)
}

// literalRows gives a plan of the rows. Rows that hold subqueries or outer columns,
// which Values cannot, are computed over a row without columns.
func (s *statement) literalRows(rows [][]expr.Expr, cols []logical.Column) logical.Node {
	var parts []logical.Node
	var plain [][]expr.Expr
	flush := func() {
		if len(plain) > 0 {
			parts = append(parts, &logical.Values{Columns: s.renewed(cols), Rows: plain})
			plain = nil
		}
	}
	for _, row := range rows {
		if constant(row) {
			plain = append(plain, row)
			continue
		}
		flush()
		items := make([]logical.Item, len(row))
		for i, c := range s.renewed(cols) {
			items[i] = logical.Item{Col: c, Expr: row[i]}
		}
		parts = append(parts, &logical.Project{In: oneRow(), Items: items})
	}
	flush()
	if len(parts) == 1 {
		return parts[0]
	}
	node := parts[0]
	for _, p := range parts[1:] {
		node = &logical.SetOp{Kind: logical.Union, All: true, L: node, R: p, Columns: s.renewed(cols)}
	}
	return node
}

// renewed gives the columns new ids.
func (s *statement) renewed(cols []logical.Column) []logical.Column {
	out := append([]logical.Column(nil), cols...)
	for i := range out {
		out[i].ID = s.newID()
	}
	return out
}

func constant(row []expr.Expr) bool {
	ok := true
	for _, e := range row {
		expr.Walk(e, func(e expr.Expr) bool {
			switch e.(type) {
			case *expr.Subquery, *expr.Col:
				ok = false
			}
			return ok
		})
	}
	return ok
}

// nullType is the type of a bare NULL.
var nullType = types.T(types.Null)
