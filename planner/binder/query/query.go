package query

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/sqlerr"
)

const (
	maxTables  = 4096 // table references after expanding views and CTEs
	maxQueries = 64   // nested queries, views included
)

// Binder binds the queries of one statement's text.
type Binder struct{ *statement.Statement }

// New returns a binder of the queries of s.
func New(s *statement.Statement) *Binder { return &Binder{s} }

// Query binds a query that is not nested in another one.
func (q *Binder) Query(node ast.Node, keeps statement.Digits) (*Rel, error) {
	return q.nested(node, nil, nil, keeps)
}

// Block returns a block over sc that is not nested in another one.
func (q *Binder) Block(sc *scope.Scope) *block.Block { return q.newBlock(nil, nil, sc) }

// newBlock returns a query block over sc whose subqueries see ctes.
func (q *Binder) newBlock(outer *block.Block, ctes *cte, sc *scope.Scope) *block.Block {
	return block.New(q.Statement, subqueries{q, ctes}, outer, sc)
}

// Outermost binds a statement that is a query.
func (q *Binder) Outermost(node ast.Node) (*Bound, error) {
	q.Shared.Outermost = node
	r, err := q.nested(node, nil, nil, statement.ShownOnly)
	if err != nil {
		return nil, err
	}
	q.WarnUnusedHints()
	return r.Bound(), nil
}

// Value binds a SELECT of one row whose columns keep all digits.
func (q *Binder) Value(node *ast.SelectStmt) (*Bound, error) {
	r, err := q.nested(node, nil, nil, statement.OneValue)
	if err != nil {
		return nil, err
	}
	return r.Bound(), nil
}

// subqueries binds the subqueries of a block's expressions.
type subqueries struct {
	q    *Binder
	ctes *cte
}

// Subquery implements block.Queries.
func (s subqueries) Subquery(n ast.Node, outer *block.Block, keeps statement.Digits) (logical.Node, error) {
	r, err := s.q.nested(n, outer, s.ctes, keeps)
	if err != nil {
		return nil, err
	}
	if sel, ok := n.(*ast.SelectStmt); ok {
		s.q.noteJoinHint(sel, r.Node)
	}
	return r.Node, nil
}

// Rel is a bound query: a plan and the names of its columns.
type Rel struct {
	Node   logical.Node
	Names  []string // one per column of Node's schema
	Single bool     // one SELECT, and no set operation
	merges bool     // see block.Selection
	locks  []Lock   // see Bound
	beyond bool
}

// Bound returns the query in the form for callers of the binder.
func (r *Rel) Bound() *Bound {
	return &Bound{Node: r.Node, Names: r.Names, Columns: r.Node.Schema(), Locks: r.locks, Beyond: r.beyond}
}

// nested binds any query node. outer is the enclosing block, or nil.
func (q *Binder) nested(node ast.Node, outer *block.Block, ctes *cte, keeps statement.Digits) (*Rel, error) {
	q.Shared.Queries++
	defer func() { q.Shared.Queries-- }()
	if q.Shared.Queries > maxQueries {
		return nil, sqlerr.New(sqlerr.StackOverrun, "Thread stack overrun: queries are nested more than %d deep", maxQueries)
	}
	switch n := node.(type) {
	case *ast.SelectStmt:
		return q.selectStmt(n, outer, ctes, keeps)
	case *ast.SetOprStmt:
		ctes, err := q.with(n.With, outer, ctes)
		if err != nil {
			return nil, err
		}
		return q.setOperation(n.SelectList.Selects, n.OrderBy, n.Limit, outer, ctes, keeps)
	case *ast.SetOprSelectList:
		ctes, err := q.with(n.With, outer, ctes)
		if err != nil {
			return nil, err
		}
		return q.setOperation(n.Selects, n.OrderBy, n.Limit, outer, ctes, keeps)
	case *ast.SubqueryExpr:
		return q.nested(n.Query, outer, ctes, keeps)
	}
	return nil, sqlerr.Internal("no query: %T", node)
}

// Bound is a bound query.
type Bound struct {
	Node  logical.Node
	Names []string // names in the result set: alias, column name or the expression's text
	// Columns are the output columns, in order.
	Columns []logical.Column
	// Locks lists the tables whose rows the outermost SELECT locks, if the binder is Locking.
	// Their columns follow those of the result.
	Locks []Lock
	// Beyond is true if the SELECT also locks rows that have no id in the plan.
	Beyond bool
}

// Changing binds the WITH clause and the tables of an UPDATE or DELETE.
func (q *Binder) Changing(with *ast.WithClause, refs *ast.TableRefsClause) (*block.Block, logical.Node, error) {
	ctes, err := q.with(with, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	b := q.newBlock(nil, ctes, &scope.Scope{})
	node, err := q.from(b, ctes, nil, refs)
	return b, node, err
}
