package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/plancache"
	"gsql/internal/result"
	"gsql/planner/explain"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage"
)

// explainStatement runs EXPLAIN [ANALYZE] [FORMAT = 'row' | 'tree' | 'json'], and DESCRIBE t,
// which the parser returns as an EXPLAIN of SHOW COLUMNS.
func explainStatement(r *run, n *ast.ExplainStmt) (*Result, error) {
	if list, ok := n.Stmt.(*ast.ShowStmt); ok {
		return show(r, list)
	}
	r.explained = true
	tx, done := r.s.View()
	defer done()
	plan, err := planOf(r, tx, n)
	if err != nil {
		return nil, err
	}
	var m explain.Metrics
	if n.Analyze {
		if m, err = analyzePlan(r, plan); err != nil {
			return nil, err
		}
	}
	return explained(plan, m, strings.ToLower(n.Format))
}

// planOf plans the statement to explain; for one that writes, it plans the query that finds the
// rows to change.
func planOf(r *run, tx *storage.Tx, n *ast.ExplainStmt) (*physical.Node, error) {
	switch q := n.Stmt.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		if clause := plancache.IntoClause(q); clause != nil {
			*clause = nil
		}
		bound, err := r.binder(tx).Query(r.ctx, &r.stmt, q)
		if err != nil {
			return nil, err
		}
		return r.optimize(bound.Node)
	case *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt:
		if n.Analyze {
			return nil, sqlerr.Unsupported(0, "EXPLAIN ANALYZE of statements that write")
		}
		node, err := queryOfWrite(r, tx, q)
		if err != nil {
			return nil, err
		}
		return r.optimize(node)
	}
	return nil, sqlerr.Unsupported(0, "EXPLAIN of this statement").WithHint("EXPLAIN takes SELECT, INSERT, UPDATE and DELETE.")
}

// analyzePlan executes the plan and returns what was measured.
func analyzePlan(r *run, plan *physical.Node) (explain.Metrics, error) {
	res, err := r.start(plan, true)
	if err != nil {
		return nil, err
	}
	err = drain(res, func(*vec.Batch) error { return nil })
	return res.Metrics(), err
}

// explained returns a plan in a format of EXPLAIN.
func explained(plan *physical.Node, m explain.Metrics, format string) (*Result, error) {
	switch format {
	case "", "row", "brief", "traditional", "table", "text":
		rows := explain.Table(plan, m)
		out := make([][]*string, len(rows))
		for i, row := range rows {
			out[i] = result.Row(row...)
		}
		return textResult(result.TextColumns(explain.Columns(m)...), out), nil
	case "tree":
		return textResult(result.TextColumns("EXPLAIN"), result.Rows(explain.Tree(plan, m))), nil
	case "json":
		lines, err := explain.JSON(plan, m)
		if err != nil {
			return nil, err
		}
		return textResult(result.TextColumns("EXPLAIN"), [][]*string{result.Row(strings.Join(lines, "\n"))}), nil
	}
	return nil, sqlerr.New(sqlerr.UnknownError, "Unknown EXPLAIN format name: '%s'", format).WithHint("Formats are row, tree and json.")
}
