package parse

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
)

// medians turns MEDIAN(x), which the grammar parses as an ordinary function, into an aggregate.
type medians struct{ found bool }

// Median is the name of the aggregate.
const Median = "median"

// Enter implements ast.Visitor.
func (m *medians) Enter(n ast.Node) (ast.Node, bool) { return n, false }

// Leave implements ast.Visitor.
func (m *medians) Leave(n ast.Node) (ast.Node, bool) {
	f, ok := n.(*ast.FuncCallExpr)
	if !ok || f.FnName.L != Median || f.Schema.L != "" {
		return n, true
	}
	m.found = true
	a := &ast.AggregateFuncExpr{F: Median, Args: f.Args}
	a.SetText(nil, f.Text())
	a.SetOriginTextPosition(f.OriginTextPosition())
	return a, true
}

// markMedians marks the medians of a statement and recomputes the parser's aggregate flags.
func markMedians(n ast.StmtNode) {
	var m medians
	n.Accept(&m)
	if m.found {
		ast.SetFlag(n)
	}
}
