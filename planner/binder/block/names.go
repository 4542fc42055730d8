package block

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/suggest"
	"gsql/planner/binder/scope"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// Column implements scalar.Block. It returns the expression that a column name refers to.
func (b *Block) Column(name *ast.ColumnName, pos int) (expr.Expr, error) {
	pos = b.NamePos(name, pos)
	if e, err := b.local(name, pos); e != nil || err != nil {
		if c, ok := e.(*expr.Col); ok && b.Scope.ByID(c.ID) != nil {
			b.innerRefs++
		}
		return e, err
	}
	for o := b.Outer; o != nil; o = o.Outer {
		e, err := o.fromInner(name, pos)
		if err != nil {
			return nil, err
		}
		if e != nil {
			o.take(e)
			for i := b; i != o; i = i.Outer {
				i.outerRefs++
			}
			return e, nil
		}
	}
	return nil, b.UnknownColumn(name, pos)
}

// local resolves a name within the block, or returns nil.
func (b *Block) local(name *ast.ColumnName, pos int) (expr.Expr, error) {
	if b.At == scope.Having && !b.inAgg {
		if e, err := b.group.column(name); e != nil || err != nil {
			return e, err
		}
		if e, err := b.alias(name, pos); e != nil || err != nil {
			return e, err
		}
	}
	col, n := b.Scope.Find(name)
	switch {
	case n > 1:
		return nil, scope.Ambiguous(scope.DisplayName(name), b.At, pos)
	case n == 1:
		return col.Ref(), nil
	case (b.At == scope.GroupBy || b.At == scope.OrderBy) && !b.inAgg:
		return b.alias(name, pos)
	}
	return nil, nil
}

// take records that a LATERAL table refers to column e of its enclosing block.
func (b *Block) take(e expr.Expr) {
	if c, ok := e.(*expr.Col); ok && b.Taken != nil {
		b.Taken[c.ID] = true
	}
}

// fromInner resolves a name that an inner block does not know, or returns nil.
func (b *Block) fromInner(name *ast.ColumnName, pos int) (expr.Expr, error) {
	e, err := b.local(name, pos)
	if err != nil || e == nil || !b.after() {
		return e, err
	}
	return b.group.regroup(e)
}

// UnknownColumn returns error 1054 with a hint that names the closest name in scope.
func (b *Block) UnknownColumn(name *ast.ColumnName, pos int) error {
	e := sqlerr.New(sqlerr.BadField, "Unknown column '%s' in '%s'", scope.DisplayName(name), b.At).At(pos)
	var names, qualified []string
	for o := b; o != nil; o = o.Outer {
		for i := range o.Scope.Columns {
			c := &o.Scope.Columns[i]
			names = append(names, c.Name)
			if c.Source != nil {
				qualified = append(qualified, c.Source.Alias+"."+c.Name)
			}
		}
	}
	if b.At == scope.Where && b.sel != nil && name.Table.O == "" && b.sel.Fields != nil && hasAlias(b.sel, name.Name.L) {
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

// isOuter reports whether the column with the given id belongs to an enclosing block.
func (b *Block) isOuter(id expr.ColID) bool {
	return b.Scope.ByID(id) == nil && (b.group == nil || !b.group.makes(id)) && !b.windows.makes(id)
}

// cutLast cuts s at its last dot.
func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return "", strings.ToLower(s), false
	}
	return s[:i], strings.ToLower(s[i+1:]), true
}
