package gsql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/vec"
)

// limited runs a query that sql_select_limit may cut short: one without a LIMIT of its
// own.
func (r *stmtRun) limited(n ast.Node) (*Rows, error) {
	rows, err := r.query(n)
	if limit := r.s.settings().rowLimit; err == nil && limit >= 0 && !hasLimit(n) {
		rows.src = &firstRows{rows.src, limit}
	}
	return rows, err
}

func hasLimit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectStmt:
		return n.Limit != nil
	case *ast.SetOprStmt:
		return n.Limit != nil
	}
	return false
}

// firstRows delivers the first rows of a source.
type firstRows struct {
	batchSource
	left int64
}

// Next implements batchSource.
func (f *firstRows) Next() (*vec.Batch, error) {
	if f.left <= 0 {
		return nil, nil
	}
	b, err := f.batchSource.Next()
	if b == nil || err != nil {
		return nil, err
	}
	if int64(b.N) > f.left {
		b = b.Slice(0, int(f.left))
	}
	f.left -= int64(b.N)
	return b, nil
}
