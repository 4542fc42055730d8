package statement

import (
	"context"
	"strconv"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlmode"
	"gsql/sql/timezone"
	"gsql/sql/types"
)

// Session is the session in which a statement is bound.
type Session interface {
	// CurrentDB returns the database of unqualified names.
	CurrentDB() string
	// Var returns a system variable's value as text. Binding reads sql_mode and time_zone from it, and
	// div_precision_increment for statements that divide.
	Var(name string) (string, bool)
	// GlobalVar returns the value of @@global.name. Errors are 1193 and 1238.
	GlobalVar(name string) (string, error)
	// UserVar returns the value of @name.
	UserVar(name string) (catalog.Datum, bool)
	// Params returns the values of the ? placeholders.
	Params() []catalog.Datum
	// Warn adds a warning to the statement's list.
	Warn(code uint16, msg string)
}

// Environment is the context in which statements are bound: the tables, the session, and the
// caller's options for placeholders and locks.
type Environment struct {
	Res          catalog.Resolver
	Session      Session
	Placeholders *Placeholders            // nil if the values of all placeholders are bound
	Lockable     func(catalog.Table) bool // nil if the caller requests no locks
}

// Statement is the state of binding one statement's text. Each view has its own, which shares the counters.
type Statement struct {
	Environment
	Ctx    context.Context
	db     string // the database of unqualified names
	Text   string
	Hints  []Hint
	Row    *parse.RowAlias // of INSERT ... VALUES, or nil
	Views  []string        // names of the views being expanded, outermost first
	Shared *Counters
	Mode   sqlmode.Mode
	Full   bool                         // ONLY_FULL_GROUP_BY, for views too
	Zone   *time.Location               // time_zone
	Joins  map[*ast.Join]parse.JoinKind // joins whose kind the grammar cannot express
}

// Counters holds the counts and records that all texts of a statement, views included, share.
type Counters struct {
	Outermost ast.Node // the outermost query
	lastID    expr.ColID
	Tables    int
	Queries   int // current nesting of queries
	depth     int // current nesting of expressions
	Exprs     int // bound so far; an expression bound twice counts twice
	room      int // limit of Exprs
	Bound     map[*ast.SubqueryExpr]bool
	Shown     map[ast.ExprNode]bool // scalar subqueries of which only the shown digits matter
	UserVars  map[string]types.Type // variables assigned to, with the type of the latest assignment
	// JoinHints holds the hints for the joins that subqueries become, by the subquery's plan.
	JoinHints map[logical.Node]*logical.JoinHint
	Regroup   *ast.SelectStmt // a SELECT found to have an aggregate in one of its subqueries
	increment *int            // div_precision_increment, once read
}

// NewID returns a column id that is unique in the statement.
func (s *Statement) NewID() expr.ColID {
	s.Shared.lastID++
	return s.Shared.lastID
}

// Increment returns div_precision_increment. Statements that do not divide do not read it: a kept plan
// is checked against all variables that binding has read.
func (s *Statement) Increment() int {
	if s.Shared.increment == nil {
		n := expr.DefaultIncrement
		if text, ok := s.Session.Var("div_precision_increment"); ok {
			n, _ = strconv.Atoi(text) // checked when it was set
		}
		s.Shared.increment = &n
	}
	return *s.Shared.increment
}

// New starts the binding of a statement.
func New(ctx context.Context, env Environment, s *parse.Statement) *Statement {
	mode := sqlmode.Default
	if text, ok := env.Session.Var("sql_mode"); ok {
		mode, _ = sqlmode.Parse(text)
	}
	zone := time.UTC
	if name, ok := env.Session.Var("time_zone"); ok && name != "" {
		zone = timezone.Find(name)
	}
	return &Statement{
		Environment: env, Ctx: ctx, db: env.Session.CurrentDB(), Text: s.Text, Hints: newHints(s.Hints), Row: s.Row,
		Shared: &Counters{room: maxExprs + exprsPerByte*len(s.Text)}, Mode: mode, Full: mode.Has(sqlmode.OnlyFullGroupBy), Joins: s.Joins, Zone: zone,
	}
}

// View returns the state of binding the SELECT of view v, called id in messages. It shares the counters of s.
func (s *Statement) View(v *catalog.View, id string, sel *parse.Statement) *Statement {
	s.Shared.room += exprsPerByte * len(sel.Text)
	return &Statement{
		Environment: Environment{Res: s.Res.In(v.Within), Session: s.Session}, Ctx: s.Ctx, db: v.Within, Text: sel.Text, Hints: newHints(sel.Hints),
		Shared: s.Shared, Full: s.Full, Mode: v.Mode, Joins: sel.Joins, Zone: s.Zone, Views: append(s.Views[:len(s.Views):len(s.Views)], id),
	}
}
