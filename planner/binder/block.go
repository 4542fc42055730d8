package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/suggest"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// clause says where in a query block an expression stands; its value is how MySQL's
// messages call the place.
type clause string

const (
	fieldList  clause = "field list"
	fromClause clause = "from clause"
	onClause   clause = "on clause"
	where      clause = "where clause"
	groupBy    clause = "group statement"
	having     clause = "having clause"
	orderBy    clause = "order clause"

	windowPartition clause = "window partition by"
	windowOrder     clause = "window order by"
)

// block is a query block: one SELECT with what its names can mean.
type block struct {
	*statement
	outer *block
	ctes  *cte
	scope *scope
	at    clause // of the expression being bound
	sel   *ast.SelectStmt

	aggsAllowed bool         // in the clause at hand
	inAgg       bool         // within an aggregate's arguments
	grouped     bool         // a subquery has an aggregate over the block's rows
	rows        logical.Node // what is grouped: FROM and WHERE
	group       *grouping
	windows     *windowing // where window functions may stand, nil in blocks without a place for them
	inWindow    bool       // within a window function's arguments
	inSpec      string     // the window whose specification is being bound, or ""
	items       []item     // the select list, as far as bound
	outerRefs   int        // column references resolved in blocks around this one
	innerRefs   int        // column references resolved in this block
	target      *assigning // INSERT and UPDATE: what DEFAULT means
	lateral     lateral    // what LATERAL tables of its FROM clause see
}

// newBlock makes a block over scope.
func (s *statement) newBlock(outer *block, ctes *cte, sc *scope) *block {
	return &block{statement: s, outer: outer, ctes: ctes, scope: sc}
}

// after tells whether expressions at hand see the block's rows after grouping.
func (b *block) after() bool {
	if b.group == nil || b.inAgg {
		return false
	}
	switch b.at {
	case fieldList, having, orderBy, windowPartition, windowOrder:
		return true
	}
	return false
}

// resolve gives the expression a column name stands for.
func (b *block) resolve(name *ast.ColumnName, pos int) (expr.Expr, error) {
	pos = b.namePos(name, pos)
	if e, err := b.local(name, pos); e != nil || err != nil {
		if c, ok := e.(*expr.Col); ok && b.scope.byID(c.ID) != nil {
			b.innerRefs++
		}
		return e, err
	}
	for o := b.outer; o != nil; o = o.outer {
		e, err := o.fromInner(name, pos)
		if err != nil {
			return nil, err
		}
		if e != nil {
			o.lateral.note(e)
			for i := b; i != o; i = i.outer {
				i.outerRefs++
			}
			return e, nil
		}
	}
	return nil, b.unknownColumn(name, pos)
}

// local resolves a name within the block, or gives nil.
func (b *block) local(name *ast.ColumnName, pos int) (expr.Expr, error) {
	if b.at == having && !b.inAgg {
		if e, err := b.groupColumn(name); e != nil || err != nil {
			return e, err
		}
		if e, err := b.alias(name, pos); e != nil || err != nil {
			return e, err
		}
	}
	col, n := b.scope.find(name)
	switch {
	case n > 1:
		return nil, ambiguous(displayName(name), b.at, pos)
	case n == 1:
		return col.Ref(), nil
	case (b.at == groupBy || b.at == orderBy) && !b.inAgg:
		return b.alias(name, pos)
	}
	return nil, nil
}

// fromInner resolves a name that an inner block asks for, or gives nil.
func (b *block) fromInner(name *ast.ColumnName, pos int) (expr.Expr, error) {
	e, err := b.local(name, pos)
	if err != nil || e == nil || !b.after() {
		return e, err
	}
	return b.regroup(e)
}

func ambiguous(name string, at clause, pos int) error {
	return sqlerr.New(sqlerr.NonUniq, "Column '%s' in %s is ambiguous", name, at).At(pos).
		WithHint("Write the table's name or alias before it, as in t.%s.", name)
}

// unknownColumn is error 1054 with the closest name in scope.
func (b *block) unknownColumn(name *ast.ColumnName, pos int) error {
	e := sqlerr.New(sqlerr.BadField, "Unknown column '%s' in '%s'", displayName(name), b.at).At(pos)
	var names, qualified []string
	for o := b; o != nil; o = o.outer {
		for i := range o.scope.cols {
			c := &o.scope.cols[i]
			names = append(names, c.Name)
			if c.src != nil {
				qualified = append(qualified, c.src.alias+"."+c.Name)
			}
		}
	}
	if b.at == where && b.sel != nil && name.Table.O == "" && b.sel.Fields != nil && b.fieldCalled(name.Name.L) >= 0 {
		return e.WithHint("'%s' is an alias, which WHERE cannot see: repeat the expression, or filter in HAVING.", name.Name.O)
	}
	near := ""
	if name.Table.O == "" {
		near = suggest.Nearest(name.Name.O, names)
	} else if near = suggest.Nearest(name.Table.O+"."+name.Name.O, qualified); near == "" {
		for _, q := range qualified {
			if _, bare, _ := cutLast(q); bare == name.Name.L {
				near = q
				break
			}
		}
	}
	if near != "" {
		return e.WithHint("Did you mean '%s'?", near)
	}
	return e
}

// fresh makes a new output column.
func (b *block) fresh(name string, e expr.Expr) logical.Column {
	return logical.Column{ID: b.newID(), Name: name, T: typeOf(e), NotNull: b.notNull(e)}
}

// notNull tells whether e is plainly never NULL: a literal, or a column proven so.
func (b *block) notNull(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Const:
		return !expr.IsNull(e)
	case *expr.Col:
		if c := b.scope.byID(e.ID); c != nil {
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
