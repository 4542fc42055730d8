package gsql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/vec"
)

// countsAll tells whether a query has a LIMIT beyond which its rows are to be counted for
// FOUND_ROWS().
func countsAll(n ast.Node) bool {
	limit := hasLimit(n)
	if union, ok := n.(*ast.SetOprStmt); ok {
		n = union.SelectList.Selects[0]
	}
	s, ok := n.(*ast.SelectStmt)
	return ok && limit && s.SelectStmtOpts != nil && s.SelectStmtOpts.CalcFoundRows
}

// withoutLimit takes the LIMIT off the top of a query.
func withoutLimit(n logical.Node) (logical.Node, *logical.Limit) {
	switch x := n.(type) {
	case *logical.Limit:
		return x.In, x
	case *logical.Project:
		if in, limit := withoutLimit(x.In); limit != nil {
			return &logical.Project{In: in, Items: x.Items}, limit
		}
	}
	return n, nil
}

// foundRows delivers the rows of a source that a LIMIT leaves, and counts all.
type foundRows struct {
	batchSource
	skip, left int64 // left < 0: no bound
	count      int64
	ended      bool
}

// Next implements batchSource.
func (f *foundRows) Next() (*vec.Batch, error) {
	for !f.ended {
		b, err := f.batchSource.Next()
		if b == nil || err != nil {
			f.ended = true
			return nil, err
		}
		n := int64(b.N)
		f.count += n
		from := min(f.skip, n)
		f.skip -= from
		to := n
		if f.left >= 0 {
			to = min(n, from+f.left)
			f.left -= to - from
		}
		if from < to {
			return b.Slice(int(from), int(to)), nil
		}
	}
	return nil, nil
}

// Close counts the rows that nobody asked for.
func (f *foundRows) Close() error {
	f.left = 0
	_, err := f.Next()
	if cerr := f.batchSource.Close(); err == nil {
		err = cerr
	}
	return err
}

// found is what FOUND_ROWS() tells of a result that has been read.
func (r *Rows) found() int64 {
	if all, ok := r.src.(*foundRows); ok {
		return all.count
	}
	return r.read
}
