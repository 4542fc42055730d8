package block

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// Block is a query block: one SELECT, or the tables of an UPDATE or DELETE, and the meanings of
// names in it.
type Block struct {
	scalar.Binder
	queries Queries // nil if expressions cannot contain subqueries
	Outer   *Block  // the block around this one, or nil
	Scope   *scope.Scope
	At      scope.Clause    // of the expression being bound
	sel     *ast.SelectStmt // nil if the block is not a SELECT

	aggsAllowed bool // in the current clause
	inAgg       bool // within an aggregate's arguments
	grouped     bool // a subquery has an aggregate over the block's rows
	outerRefs   int  // column references resolved in blocks around this one
	innerRefs   int  // column references resolved in this block

	group   *grouping  // nil without grouping
	windows *windowing // nil if window functions are not allowed in the block
	list    selectList
	target  *assigning // the referent of DEFAULT in INSERT and UPDATE, or nil
	// Taken collects the columns that LATERAL tables of the FROM clause refer to; nil if there are no such
	// tables. The block around a LATERAL table shares it.
	Taken map[expr.ColID]bool
}

// Queries binds the subqueries of a block's expressions.
type Queries interface {
	// Subquery returns the plan of a query whose free columns are those of outer. keeps
	// determines which digits its columns keep.
	Subquery(n ast.Node, outer *Block, keeps statement.Digits) (logical.Node, error)
}

// New returns a block over the columns of sc within outer, which may be nil.
func New(s *statement.Statement, q Queries, outer *Block, sc *scope.Scope) *Block {
	b := &Block{Binder: scalar.Binder{Statement: s}, queries: q, Outer: outer, Scope: sc}
	b.Block, b.list.b = b, b
	return b
}

// OfSelect makes b the block of SELECT n. keeps determines which digits its columns keep, and
// grouped reports whether a subquery has an aggregate over the block's rows.
func (b *Block) OfSelect(n *ast.SelectStmt, keeps statement.Digits, grouped bool) {
	b.sel, b.list.keeps, b.grouped = n, keeps, grouped
}

// Subquery implements scalar.Block.
func (b *Block) Subquery(n ast.Node, keeps statement.Digits) (logical.Node, error) {
	if b.queries == nil {
		return nil, sqlerr.Internal("a subquery is not allowed here")
	}
	return b.queries.Subquery(n, b, keeps)
}

// after reports whether the current expression sees the block's rows after grouping.
func (b *Block) after() bool {
	if b.group == nil || b.inAgg {
		return false
	}
	switch b.At {
	case scope.FieldList, scope.Having, scope.OrderBy, scope.WindowPartition, scope.WindowOrder:
		return true
	}
	return false
}

// Fresh returns a new output column.
func (b *Block) Fresh(name string, e expr.Expr) logical.Column {
	return logical.Column{ID: b.NewID(), Name: name, T: scalar.TypeOf(e), NotNull: b.NotNull(e), Hex: expr.IsHex(e)}
}

// NotNull reports whether e is obviously never NULL: a literal, or a column known not to be NULL.
func (b *Block) NotNull(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Const:
		return !expr.IsNull(e)
	case *expr.Col:
		if c := b.Scope.ByID(e.ID); c != nil {
			return c.NotNull
		}
		if b.windows.makes(e.ID) {
			return b.windows.notNull(e.ID)
		}
		if b.group != nil {
			return b.group.notNull(e.ID)
		}
	}
	return false
}

// Filter adds a Filter of the condition above node. cond may be nil.
func (b *Block) Filter(node logical.Node, cond ast.ExprNode, at scope.Clause) (logical.Node, error) {
	if cond == nil {
		return node, nil
	}
	preds, err := b.Conjuncts(cond, at)
	if err != nil {
		return nil, err
	}
	return &logical.Filter{In: node, Preds: preds}, nil
}

// Conjuncts binds a condition and splits it into its conjuncts.
func (b *Block) Conjuncts(cond ast.ExprNode, at scope.Clause) ([]expr.Expr, error) {
	defer b.Enter(at, at == scope.Having)()
	e, err := b.Expr(cond)
	if err != nil {
		return nil, err
	}
	return expr.Conjuncts(expr.Truth(e)), nil
}

// Enter sets the current clause and returns the function that restores the old one.
func (b *Block) Enter(at scope.Clause, aggs bool) func() {
	oldAt, oldAggs, oldIn := b.At, b.aggsAllowed, b.inAgg
	b.At, b.aggsAllowed, b.inAgg = at, aggs, false
	return func() { b.At, b.aggsAllowed, b.inAgg = oldAt, oldAggs, oldIn }
}
