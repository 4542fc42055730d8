package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// bindItems binds the select list.
func (b *block) bindItems(fields []*ast.SelectField) error {
	defer b.enter(fieldList, true)()
	b.items = make([]item, 0, len(fields))
	for i, f := range fields {
		if f.WildCard != nil {
			if err := b.star(f); err != nil {
				return err
			}
			continue
		}
		e := b.groupedField(i)
		if e == nil {
			var err error
			if e, err = b.expr(f.Expr); err != nil {
				return err
			}
			if e, err = b.regroup(e); err != nil {
				return err
			}
		}
		b.addItem(f, e)
	}
	return nil
}

// addItem appends an output column for e.
func (b *block) addItem(f *ast.SelectField, e expr.Expr) {
	it := item{e: e, name: fieldName(f)}
	if c, ok := plain(f.Expr); ok {
		if col, n := b.scope.find(c.Name); n == 1 {
			it.src, it.plain = col.src, col.key
		}
	}
	it.key = strings.ToLower(it.name)
	it.col = b.fresh(it.name, e)
	if c, ok := e.(*expr.Col); ok && !b.isItem(c.ID) && !b.isOuter(c.ID) {
		it.col.ID = c.ID
	}
	b.items = append(b.items, it)
}

// called tells whether a name in ORDER BY or HAVING means the item: a bare one its
// alias, or its column's name where it has none; a qualified one its column.
func (it *item) called(name *ast.ColumnName) bool {
	if name.Table.L == "" {
		return it.key == name.Name.L
	}
	return it.src != nil && it.plain == name.Name.L && it.src.key == name.Table.L
}

// isItem tells whether an output column has that id already.
func (b *block) isItem(id expr.ColID) bool {
	for i := range b.items {
		if b.items[i].col.ID == id {
			return true
		}
	}
	return false
}

// isOuter tells whether the id is of a column of a block around this one.
func (b *block) isOuter(id expr.ColID) bool {
	return b.scope.byID(id) == nil && (b.group == nil || !b.group.makes(id)) && !b.windows.makes(id)
}

// star expands * and t.*.
func (b *block) star(f *ast.SelectField) error {
	w := f.WildCard
	if w.Table.L == "" && b.sel.From == nil {
		return sqlerr.New(sqlerr.NoTablesUsed, "No tables used").At(f.Offset)
	}
	var only *source
	if w.Table.L != "" {
		if only = b.scope.source(w.Schema.L, w.Table.L); only == nil {
			return sqlerr.New(sqlerr.BadTable, "Unknown table '%s'", w.Table.O).At(f.Offset)
		}
	}
	for i := range b.scope.cols {
		c := &b.scope.cols[i]
		if only == nil && c.merged || only != nil && c.src != only {
			continue
		}
		e, err := b.regroup(c.Ref())
		if err != nil {
			return err
		}
		name := &ast.ColumnName{Name: ast.NewCIStr(c.Name)}
		if c.src != nil {
			name.Table = ast.NewCIStr(c.src.alias)
		}
		b.addItem(&ast.SelectField{Offset: f.Offset, Expr: &ast.ColumnNameExpr{Name: name}}, e)
	}
	return nil
}

// plain gives the column name that an expression consists of, parentheses aside.
func plain(n ast.ExprNode) (*ast.ColumnNameExpr, bool) {
	for {
		switch e := n.(type) {
		case *ast.ParenthesesExpr:
			n = e.Expr
		case *ast.ColumnNameExpr:
			return e, true
		default:
			return nil, false
		}
	}
}

// fieldName gives what the result set calls a select item: its alias, the column's
// name, a string literal's value, or the expression's text.
func fieldName(f *ast.SelectField) string {
	if f.AsName.O != "" {
		return f.AsName.O
	}
	if c, ok := plain(f.Expr); ok {
		return c.Name.Name.O
	}
	if l, ok := f.Expr.(*parse.Literal); ok {
		if s, ok := l.Value.(string); ok {
			return s
		}
	}
	return strings.TrimSpace(f.OriginalText())
}

// alias resolves a name through the select list: HAVING may use it, GROUP BY and
// ORDER BY where no column has that name. It gives nil when no item is called so.
func (b *block) alias(name *ast.ColumnName, pos int) (expr.Expr, error) {
	if b.at == groupBy {
		return b.aliasInGroupBy(name, pos)
	}
	found := -1
	for i := range b.items {
		it := &b.items[i]
		if !it.called(name) {
			continue
		}
		if found >= 0 && !expr.Equal(b.items[found].e, it.e) {
			if _, n := b.scope.find(name); n == 1 {
				return nil, nil // the column is meant
			}
			return nil, ambiguous(displayName(name), b.at, pos)
		}
		if found < 0 {
			found = i
		}
	}
	if found < 0 {
		return nil, nil
	}
	if b.at == having && b.windows.usedBy(b.items[found].e) {
		return nil, sqlerr.New(sqlerr.WindowFuncAliasUse, "You cannot use the alias '%s' of an expression containing a window function in this context.", displayName(name)).At(pos).
			WithHint("HAVING filters before window functions are computed: compute them in a derived table and filter outside it.")
	}
	return b.items[found].use(), nil
}

// use gives the expression for a reference to the item: what it computes when that
// may be computed twice, else its output column.
func (it *item) use() expr.Expr {
	if repeatable(it.e) {
		return it.e
	}
	return it.col.Ref()
}

// repeatable tells whether e may stand in a plan twice: it has no subquery, whose
// columns have their ids once, and gives the same value each time.
func repeatable(e expr.Expr) bool {
	ok := true
	expr.Walk(e, func(e expr.Expr) bool {
		_, sub := e.(*expr.Subquery)
		ok = ok && !sub
		return ok
	})
	return ok && !expr.Volatile(e)
}
