package gsql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner"
	"gsql/planner/explain"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// explain runs EXPLAIN [ANALYZE] [FORMAT = 'row' | 'tree' | 'json'], and DESCRIBE t, which
// the parser gives as an EXPLAIN of SHOW COLUMNS.
func (r *stmtRun) explain(n *ast.ExplainStmt) (*Rows, error) {
	if show, ok := n.Stmt.(*ast.ShowStmt); ok {
		return r.show(show)
	}
	r.explained = true
	tx, done := r.view()
	defer done()
	plan, err := r.planOf(tx, n)
	if err != nil {
		return nil, err
	}
	var m explain.Metrics
	if n.Analyze {
		if m, err = r.analyzePlan(plan); err != nil {
			return nil, err
		}
	}
	return explained(plan, m, strings.ToLower(n.Format))
}

// planOf plans the statement that is explained; for one that writes, the query that
// finds the rows to write.
func (r *stmtRun) planOf(tx *storage.Tx, n *ast.ExplainStmt) (*physical.Node, error) {
	switch q := n.Stmt.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		takeInto(q)
		bound, err := r.binder(tx).Query(r.ctx, &r.stmt, q)
		if err != nil {
			return nil, err
		}
		return r.optimize(bound.Node)
	case *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt:
		if n.Analyze {
			return nil, sqlerr.Unsupported(0, "EXPLAIN ANALYZE of statements that write")
		}
		node, err := r.queryOfWrite(tx, q)
		if err != nil {
			return nil, err
		}
		return r.optimize(node)
	}
	return nil, sqlerr.Unsupported(0, "EXPLAIN of this statement").WithHint("EXPLAIN takes SELECT, INSERT, UPDATE and DELETE.")
}

// analyzePlan executes the plan and gives what was measured.
func (r *stmtRun) analyzePlan(plan *physical.Node) (explain.Metrics, error) {
	res, err := r.start(plan, true)
	if err != nil {
		return nil, err
	}
	for {
		b, err := res.Next()
		if err == nil && b != nil {
			continue
		}
		if cerr := res.Close(); err == nil {
			err = cerr
		}
		return res.Metrics(), err
	}
}

func explained(plan *physical.Node, m explain.Metrics, format string) (*Rows, error) {
	switch format {
	case "", "row", "brief", "traditional", "table", "text":
		rows := explain.Table(plan, m)
		out := make([][]*string, len(rows))
		for i, row := range rows {
			out[i] = text(row...)
		}
		return textResult(textColumns(explain.Columns(m)...), out), nil
	case "tree":
		return textResult(textColumns("EXPLAIN"), column(explain.Tree(plan, m))), nil
	case "json":
		lines, err := explain.JSON(plan, m)
		if err != nil {
			return nil, err
		}
		return textResult(textColumns("EXPLAIN"), [][]*string{text(strings.Join(lines, "\n"))}), nil
	}
	return nil, sqlerr.New(sqlerr.UnknownError, "Unknown EXPLAIN format name: '%s'", format).WithHint("Formats are row, tree and json.")
}

// checkRules refuses names in gsql_disable_rules that no rule has.
func checkRules(list string) error {
	known := map[string]bool{}
	for _, name := range planner.RuleNames() {
		known[name] = true
	}
	for _, name := range sortedKeys(ruleSet(list)) {
		if !known[name] {
			return sqlerr.New(sqlerr.WrongValueForVar, "Variable 'gsql_disable_rules' can't be set to the value of '%s'", list).
				WithHint("Rules are %s.", strings.Join(planner.RuleNames(), ", "))
		}
	}
	return nil
}
