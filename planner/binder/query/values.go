package query

import (
	"fmt"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// valuesStmt binds VALUES ROW(...), ... [ORDER BY] [LIMIT].
func (q *Binder) valuesStmt(n *ast.SelectStmt, outer *block.Block, ctes *cte) (*Rel, error) {
	b := q.newBlock(outer, ctes, &scope.Scope{})
	b.At = scope.FieldList
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
			e, err := b.Expr(v)
			if err != nil {
				return nil, err
			}
			e = expr.Shown(e)
			rows[r][i] = e
			cols[i].T = expr.CommonType(cols[i].T, e.Type())
			cols[i].NotNull = (r == 0 || cols[i].NotNull) && b.NotNull(e)
		}
	}
	out := &Rel{Names: make([]string, width)}
	for i := range cols {
		cols[i].ID, cols[i].Name = q.NewID(), fmt.Sprintf("column_%d", i)
		out.Names[i] = cols[i].Name
		for _, row := range rows {
			row[i] = expr.Cast(row[i], cols[i].T)
		}
	}
	out.Node = q.LiteralRows(rows, cols)
	return q.orderSetOperation(out, n.OrderBy, n.Limit, outer, ctes)
}

// LiteralRows returns a plan of the rows. Rows with subqueries or outer columns, which Values
// cannot hold, are computed over one row without columns.
func (q *Binder) LiteralRows(rows [][]expr.Expr, cols []logical.Column) logical.Node {
	var parts []logical.Node
	var plain [][]expr.Expr
	flush := func() {
		if len(plain) > 0 {
			parts = append(parts, &logical.Values{Columns: scope.Renewed(q.Statement, cols), Rows: plain})
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
		for i, c := range scope.Renewed(q.Statement, cols) {
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
		node = &logical.SetOp{Kind: logical.Union, All: true, L: node, R: p, Columns: scope.Renewed(q.Statement, cols)}
	}
	return node
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
