package block

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// item is an output column of a SELECT: one of the select list, or a hidden one that ORDER BY or HAVING needs.
type item struct {
	col      logical.Column
	e        expr.Expr
	name     string        // the name in the result set
	key      string        // the name in lower case, as ORDER BY and HAVING may use it
	src      *scope.Source // of a plain column: its table
	plain    string        // of a plain column: its own name in lower case
	computed bool          // it is not a plain column
	hidden   bool          // not in the select list
}

// selectList is the output of a block: the items of the select list bound so far, followed by the
// hidden items.
type selectList struct {
	b     *Block
	items []item
	keeps statement.Digits // digits that the items keep
}

// bind binds the select list.
func (l *selectList) bind(fields []*ast.SelectField) error {
	b := l.b
	defer b.Enter(scope.FieldList, true)()
	l.items = make([]item, 0, len(fields))
	for i, f := range fields {
		if f.WildCard != nil {
			if err := l.star(f); err != nil {
				return err
			}
			continue
		}
		e := b.group.field(i)
		if e == nil {
			if l.keeps == statement.ShownOnly {
				b.ShowOnly(f.Expr)
			}
			var err error
			if e, err = b.Expr(f.Expr); err != nil {
				return err
			}
			if e, err = b.group.regroup(e); err != nil {
				return err
			}
		}
		l.addItem(f, e)
	}
	return nil
}

// names returns the names of the first n items in the result set.
func (l *selectList) names(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = l.items[i].name
	}
	return names
}

// outputs returns the items in the form of a projection.
func (l *selectList) outputs() []logical.Item {
	items := make([]logical.Item, len(l.items))
	for i, it := range l.items {
		items[i] = logical.Item{Col: it.col, Expr: expr.Bytewise(it.e)}
	}
	return items
}

// addItem appends an output column for e.
func (l *selectList) addItem(f *ast.SelectField, e expr.Expr) {
	b := l.b
	e = l.selected(e)
	it := item{e: e, name: fieldName(f)}
	if c, ok := plain(f.Expr); !ok {
		it.computed = true
	} else if col, n := b.Scope.Find(c.Name); n == 1 {
		it.src, it.plain = col.Source, col.Key
	}
	it.key = strings.ToLower(it.name)
	it.col = b.Fresh(it.name, e)
	if c, ok := e.(*expr.Col); ok && !l.isItem(c.ID) && !b.isOuter(c.ID) {
		it.col.ID = c.ID
	}
	l.items = append(l.items, it)
}

// called reports whether a name in ORDER BY or HAVING refers to the item: a bare name to its alias or, without
// one, to its column's name; a qualified name to its column.
func (it *item) called(name *ast.ColumnName) bool {
	if name.Table.L == "" {
		return it.key == name.Name.L
	}
	return it.src != nil && it.plain == name.Name.L && it.src.Key == name.Table.L
}

// isItem reports whether an output column has the given id.
func (l *selectList) isItem(id expr.ColID) bool {
	for i := range l.items {
		if l.items[i].col.ID == id {
			return true
		}
	}
	return false
}

// star expands * and t.*.
func (l *selectList) star(f *ast.SelectField) error {
	b := l.b
	w := f.WildCard
	if w.Table.L == "" && b.sel.From == nil {
		return sqlerr.New(sqlerr.NoTablesUsed, "No tables used").At(f.Offset)
	}
	var only *scope.Source
	if w.Table.L != "" {
		if only = b.Scope.Source(w.Schema.L, w.Table.L); only == nil {
			return sqlerr.New(sqlerr.BadTable, "Unknown table '%s'", w.Table.O).At(f.Offset)
		}
	}
	for i := range b.Scope.Columns {
		c := &b.Scope.Columns[i]
		if c.Hidden || only == nil && c.Merged || only != nil && c.Source != only {
			continue
		}
		e, err := b.group.regroup(c.Ref())
		if err != nil {
			return err
		}
		name := &ast.ColumnName{Name: ast.NewCIStr(c.Name)}
		if c.Source != nil {
			name.Table = ast.NewCIStr(c.Source.Alias)
		}
		l.addItem(&ast.SelectField{Offset: f.Offset, Expr: &ast.ColumnNameExpr{Name: name}}, e)
	}
	return nil
}

// plain returns the column name that an expression consists of. It ignores parentheses.
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

// fieldName returns the name of a select item in the result set: its alias, the column's name, a string
// literal's value, or the expression's text.
func fieldName(f *ast.SelectField) string {
	if f.AsName.O != "" {
		return f.AsName.O
	}
	text := strings.TrimSpace(f.OriginalText())
	if hasEmptyAlias(text) {
		return ""
	}
	if c, ok := plain(f.Expr); ok {
		return c.Name.Name.O
	}
	if l, ok := f.Expr.(*parse.Literal); ok {
		if s, ok := l.Value.(string); ok {
			return s
		}
	}
	return text
}

// hasEmptyAlias reports whether the text of a select item ends in AS and an empty name, which the
// parser treats as no alias.
func hasEmptyAlias(text string) bool {
	for _, quotes := range []string{"''", `""`, "``"} {
		if before, ok := strings.CutSuffix(text, quotes); ok {
			words := strings.Fields(before)
			return len(words) > 1 && strings.EqualFold(words[len(words)-1], "AS")
		}
	}
	return false
}

// itemCalled returns the index of the item that a name refers to, or -1: the first computed item
// with that alias, else the column with that alias or name. Two different columns are ambiguous.
func (l *selectList) itemCalled(name *ast.ColumnName, visible, pos int) (int, error) {
	found, clash := -1, false
	for i := range l.items[:visible] {
		it := &l.items[i]
		switch {
		case !it.called(name):
		case it.computed:
			return i, nil
		case found < 0:
			found = i
		default:
			clash = clash || !expr.Equal(l.items[found].e, it.e)
		}
	}
	if clash {
		return -1, scope.Ambiguous(scope.DisplayName(name), l.b.At, pos)
	}
	return found, nil
}

// use returns the expression for a reference to the item: the item's own expression if that may be
// computed twice, else its output column.
func (it *item) use() expr.Expr {
	if repeatable(it.e) {
		return it.e
	}
	return it.col.Ref()
}

// repeatable reports whether e may occur in a plan twice: it has no subquery, whose column ids
// must be unique, and is not volatile.
func repeatable(e expr.Expr) bool {
	ok := true
	expr.Walk(e, func(e expr.Expr) bool {
		_, sub := e.(*expr.Subquery)
		ok = ok && !sub
		return ok
	})
	return ok && !expr.Volatile(e)
}
