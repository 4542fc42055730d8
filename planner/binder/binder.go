// Package binder turns syntax trees into logical plans: it resolves names, infers
// types, expands views and common table expressions, and finds the aggregates. Its
// errors carry MySQL's numbers and the byte offset within the statement's text.
package binder

import (
	"context"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/sql/timezone"
	"gsql/sql/types"
)

// Session is what binding asks of the session.
type Session interface {
	// CurrentDB gives the database of unqualified names.
	CurrentDB() string
	// Var gives a system variable's value as text. sql_mode is read from here.
	Var(name string) (string, bool)
	// GlobalVar gives the value of @@global.name: error 1193 or 1238.
	GlobalVar(name string) (string, error)
	// UserVar gives the value of @name.
	UserVar(name string) (catalog.Datum, bool)
	// Params gives the values of the ? placeholders.
	Params() []catalog.Datum
	// Warn adds a warning to the statement's list.
	Warn(code uint16, msg string)
}

// Binder binds statements. It holds no state of its own between them and may be
// used by several goroutines when its Resolver and Session may.
type Binder struct {
	res          catalog.Resolver
	session      Session
	placeholders *Placeholders // nil where the values of all are bound
}

// New makes a binder over the tables of res.
func New(res catalog.Resolver, session Session) *Binder { return &Binder{res: res, session: session} }

// Leaving makes a binder that leaves the placeholders that p says.
func (b *Binder) Leaving(p *Placeholders) *Binder {
	c := *b
	c.placeholders = p
	return &c
}

// Bound is a bound query.
type Bound struct {
	Node  logical.Node
	Names []string // how the result set calls the columns: alias, column name or the expression's text
	// Columns are the output columns, in order.
	Columns []logical.Column
}

// Query binds a SELECT, set operation, VALUES or TABLE statement. node is s.Node or
// a query within it, as EXPLAIN and CREATE TABLE ... SELECT hold one.
func (b *Binder) Query(ctx context.Context, s *parse.Statement, node ast.Node) (*Bound, error) {
	st := b.begin(ctx, s)
	q, err := st.query(node, nil, nil)
	if err != nil {
		return nil, err
	}
	st.warnUnusedHints()
	return q.bound(), nil
}

// limits on what one statement may ask for.
const (
	maxTables  = 4096  // table references after expanding views and CTEs
	maxDepth   = 10000 // nested operators of an expression
	maxExprs   = 50000 // expressions beyond those that the text may spell out
	maxQueries = 64    // nested queries, views included
)

// statement is the state of binding one statement's text. Views have one of their
// own that shares the counters.
type statement struct {
	*Binder
	ctx    context.Context
	db     string // the database of names without one
	text   string
	hints  []hint
	row    *parse.RowAlias // of INSERT ... VALUES, or nil
	views  []string        // names of the views being expanded, outermost first
	shared *counters
	mode   sqlmode.Mode
	full   bool                         // ONLY_FULL_GROUP_BY, for views too
	zone   *time.Location               // time_zone
	joins  map[*ast.Join]parse.JoinKind // joins that stand for others
}

// boundAgain is how many expressions a subquery counts for that is bound once more: each
// becomes a join.
const boundAgain = 150

// exprsPerByte is more expressions than a byte of text can spell, even with operands that
// are bound for each of several comparisons.
const exprsPerByte = 8

type counters struct {
	lastID   expr.ColID
	tables   int
	queries  int // nesting
	depth    int // nesting of expressions
	exprs    int // bound so far, again for each use of what is used twice
	room     int // for exprs
	bound    map[*ast.SubqueryExpr]bool
	userVars map[string]types.Type // assigned to, with the type of the assignment bound last
	regroup  *ast.SelectStmt       // found to have an aggregate, in one of its subqueries
}

func (b *Binder) begin(ctx context.Context, s *parse.Statement) *statement {
	mode := sqlmode.Default
	if text, ok := b.session.Var("sql_mode"); ok {
		mode, _ = sqlmode.Parse(text)
	}
	zone := time.UTC
	if name, ok := b.session.Var("time_zone"); ok && name != "" {
		zone = timezone.Find(name)
	}
	return &statement{
		Binder: b, ctx: ctx, db: b.session.CurrentDB(), text: s.Text, hints: newHints(s.Hints), row: s.Row, shared: &counters{room: maxExprs + exprsPerByte*len(s.Text)},
		mode: mode, full: mode.Has(sqlmode.OnlyFullGroupBy), joins: s.Joins, zone: zone,
	}
}

// newID gives a column id that nothing else in the statement has.
func (s *statement) newID() expr.ColID {
	s.shared.lastID++
	return s.shared.lastID
}

// rel is a bound query: a plan and what its columns are called.
type rel struct {
	node  logical.Node
	names []string // by column of node's schema
}

func (r *rel) bound() *Bound {
	return &Bound{Node: r.node, Names: r.names, Columns: r.node.Schema()}
}

// query binds any query node. outer is the block around it, nil for none.
func (s *statement) query(node ast.Node, outer *block, ctes *cte) (*rel, error) {
	s.shared.queries++
	defer func() { s.shared.queries-- }()
	if s.shared.queries > maxQueries {
		return nil, sqlerr.New(sqlerr.StackOverrun, "Thread stack overrun: queries are nested more than %d deep", maxQueries)
	}
	switch n := node.(type) {
	case *ast.SelectStmt:
		return s.selectStmt(n, outer, ctes)
	case *ast.SetOprStmt:
		ctes, err := s.with(n.With, outer, ctes)
		if err != nil {
			return nil, err
		}
		return s.setOperation(n.SelectList.Selects, n.OrderBy, n.Limit, outer, ctes)
	case *ast.SetOprSelectList:
		ctes, err := s.with(n.With, outer, ctes)
		if err != nil {
			return nil, err
		}
		return s.setOperation(n.Selects, n.OrderBy, n.Limit, outer, ctes)
	case *ast.SubqueryExpr:
		return s.query(n.Query, outer, ctes)
	}
	return nil, sqlerr.Internal("no query: %T", node)
}
