package query

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/statement"
	"gsql/planner/logical"
)

// Limit adds LIMIT above node. n may be nil.
func Limit(s *statement.Statement, node logical.Node, n *ast.Limit) (logical.Node, error) {
	if n == nil {
		return node, nil
	}
	l := &logical.Limit{In: node, Count: -1}
	var err error
	if n.Count != nil {
		if l.Count, err = s.LimitValue(n.Count); err != nil {
			return nil, err
		}
	}
	if n.Offset != nil {
		if l.Offset, err = s.LimitValue(n.Offset); err != nil {
			return nil, err
		}
	}
	return l, nil
}
