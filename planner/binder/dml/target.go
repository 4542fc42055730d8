package dml

import (
	"context"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/query"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// Targets is a catalog.Resolver that distinguishes tables to which a statement only adds rows from tables that
// it reads.
type Targets interface {
	// Target returns the table to which the statement adds rows.
	Target(ctx context.Context, db, name string) (catalog.Object, error)
}

// findTarget returns the table that an INSERT or REPLACE fills. Error 1288: it is a view.
func findTarget(s *statement.Statement, n *ast.TableRefsClause, verb string) (*scope.Target, error) {
	name := n.TableRefs.Left.(*ast.TableSource).Source.(*ast.TableName)
	pos := s.Find(name.Name.O, 0)
	find := s.Res.Table
	if t, ok := s.Res.(Targets); ok {
		find = t.Target
	}
	obj, err := find(s.Ctx, name.Schema.O, name.Name.O)
	if err != nil {
		return nil, sqlerr.From(err).At(pos)
	}
	if obj.View != nil {
		return nil, sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable", name.Name.O, verb).At(pos).
			WithHint("%s is a view: change the tables it reads.", name.Name.O)
	}
	return &scope.Target{Table: obj.Table, DB: s.DBOf(name), Name: name.Name.O}, nil
}

// chosen binds the condition, ORDER BY and LIMIT of an UPDATE or DELETE.
func chosen(b *block.Block, node logical.Node, cond ast.ExprNode, order *ast.OrderByClause, limit *ast.Limit) (logical.Node, error) {
	node, err := b.Filter(node, cond, scope.Where)
	if err != nil {
		return nil, err
	}
	if order != nil {
		keys, err := plainKeys(b, order)
		if err != nil {
			return nil, err
		}
		node = &logical.Sort{In: node, Keys: keys}
	}
	return query.Limit(b.Statement, node, limit)
}

// plainKeys binds ORDER BY over the table's columns.
func plainKeys(b *block.Block, n *ast.OrderByClause) ([]expr.SortKey, error) {
	defer b.Enter(scope.OrderBy, false)()
	keys := make([]expr.SortKey, 0, len(n.Items))
	for _, it := range n.Items {
		if p, ok := it.Expr.(*ast.PositionExpr); ok {
			return nil, sqlerr.New(sqlerr.BadField, "Unknown column '%d' in 'order clause'", p.N)
		}
		e, err := b.Expr(it.Expr)
		if err != nil {
			return nil, err
		}
		keys = append(keys, expr.SortKey{Expr: expr.Sortable(e), Desc: it.Desc})
	}
	return keys, nil
}

// generatedValue returns error 3105 for a statement that assigns a value other than DEFAULT to a
// generated column.
func generatedValue(c *catalog.Column, table string, pos int) error {
	return sqlerr.New(sqlerr.GeneratedValue, "The value specified for generated column '%s' in table '%s' is not allowed.", c.Name, table).At(pos)
}

// isDefault reports whether a value is the keyword DEFAULT.
func isDefault(n ast.ExprNode) bool {
	d, ok := n.(*ast.DefaultExpr)
	return ok && d.Name == nil
}
