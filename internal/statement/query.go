package statement

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/result"
	"gsql/internal/session"
	"gsql/planner/binder"
	"gsql/planner/logical"
	"gsql/storage"
)

// limited runs a query; sql_select_limit truncates it if it has no LIMIT of its own.
func limited(r *run, n ast.Node) (*Result, error) {
	res, err := query(r, n)
	if limit := r.s.Settings().RowLimit; err == nil && limit >= 0 && !hasLimit(n) {
		res.src = result.First(res.src, limit)
	}
	return res, err
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

// query runs a SELECT or a set operation. Its rows are computed as they are read.
func query(r *run, n ast.Node) (*Result, error) {
	r.s.StartImplicitly()
	if r.s.Tx == nil {
		r.s.Next = session.NextAccess{} // the query is the next transaction
	}
	tx, done := r.s.View()
	res, err := lockingStream(r, tx, n)
	if err != nil {
		done()
		return nil, err
	}
	res.release = done
	return res, nil
}

// streamQuery starts a query that locks no rows.
func streamQuery(r *run, tx *storage.Tx, n ast.Node) (*Result, error) {
	if countsAll(n) {
		return streamCounted(r, tx, n)
	}
	p, err := planQuery(r, tx, n)
	if err != nil {
		return nil, err
	}
	res := &Result{Columns: slices.Clone(p.Columns), plan: p.Node}
	if verifiable(r, p.Node) {
		res.src, err = verified(r, tx, n, p.Node)
	} else {
		res.src, err = r.start(p.Node, false)
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// countsAll reports whether a query has a LIMIT beyond which FOUND_ROWS() counts rows.
func countsAll(n ast.Node) bool {
	limit := hasLimit(n)
	if union, ok := n.(*ast.SetOprStmt); ok {
		n = union.SelectList.Selects[0]
	}
	s, ok := n.(*ast.SelectStmt)
	return ok && limit && s.SelectStmtOpts != nil && s.SelectStmtOpts.CalcFoundRows
}

// streamCounted starts a query with a LIMIT, all of whose rows are counted.
func streamCounted(r *run, tx *storage.Tx, n ast.Node) (*Result, error) {
	bound, err := r.binder(tx).Query(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	node, limit := withoutLimit(bound.Node)
	plan, err := r.optimize(node)
	if err != nil {
		return nil, err
	}
	src, err := r.start(plan, false)
	if err != nil {
		return nil, err
	}
	res := &Result{Columns: resultColumns(bound), src: src, plan: plan}
	if limit != nil {
		res.src = result.NewCounted(src, limit.Offset, limit.Count)
	}
	return res, nil
}

// withoutLimit removes the LIMIT at the top of a query and returns it, or nil.
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

func resultColumns(b *binder.Bound) []result.Column {
	cols := make([]result.Column, len(b.Names))
	for i, name := range b.Names {
		cols[i] = result.Column{Name: name, Type: b.Columns[i].T, Nullable: !b.Columns[i].NotNull}
	}
	return cols
}
