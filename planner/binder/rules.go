package binder

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// TableRules are the bound generated columns and constraints of a table.
type TableRules struct {
	Columns   []expr.ColID // what the expressions call the table's columns
	Generated []expr.Expr  // by column, of its type; nil for others
	Checks    []expr.Expr  // by number in Schema.Checks, true of rows that may not be; nil where not enforced
}

// Empty tells whether there is nothing to compute or check.
func (r *TableRules) Empty() bool {
	none := func(e expr.Expr) bool { return e != nil }
	return !slices.ContainsFunc(r.Generated, none) && !slices.ContainsFunc(r.Checks, none)
}

// TableRules binds the generated columns and constraints of a schema that CreateTable or
// AlterTable gave.
func (b *Binder) TableRules(ctx context.Context, table string, schema *catalog.Schema) (*TableRules, error) {
	d := &definition{statement: b.begin(ctx, &parse.Statement{}), table: table}
	return d.rules(schema)
}

// rules binds the expressions of a schema and refuses those that may not stand there.
func (d *definition) rules(schema *catalog.Schema) (*TableRules, error) {
	in := *d.statement
	in.zone = time.UTC // rows come and go as they are stored
	d = &definition{statement: &in, schema: schema, table: d.table}
	sc := d.columnScope()
	out := &TableRules{
		Columns: make([]expr.ColID, len(schema.Columns)), Generated: make([]expr.Expr, len(schema.Columns)),
		Checks: make([]expr.Expr, len(schema.Checks)),
	}
	for i := range sc.cols {
		out.Columns[i] = sc.cols[i].ID
	}
	base := 0
	for i := range schema.Columns {
		if schema.Columns[i].Generated == "" {
			base++
			continue
		}
		var err error
		if out.Generated[i], err = d.generated(sc, i); err != nil {
			return nil, err
		}
	}
	if base == 0 {
		return nil, sqlerr.New(sqlerr.TableMustHaveColumns, "A table must have at least 1 column").WithHint("One must not be generated.")
	}
	for i := range schema.Checks {
		bad, err := d.check(sc, &schema.Checks[i])
		if err != nil {
			return nil, err
		}
		if !schema.Checks[i].NotEnforced {
			out.Checks[i] = bad
		}
	}
	return out, nil
}

// generated binds a generated column's expression, converted to its type.
func (d *definition) generated(sc *scope, o int) (expr.Expr, error) {
	c := &d.schema.Columns[o]
	pos := d.find(c.Name, 0)
	e, err := d.ruleExpr(sc, c.Generated)
	if err != nil {
		return nil, d.inRule(err, fmt.Sprintf("generated column '%s'", c.Name), pos)
	}
	if fn := disallowed(e); fn != "" {
		return nil, sqlerr.New(sqlerr.GeneratedFunction, "Expression of generated column '%s' contains a disallowed function: `%s`.", c.Name, fn).At(pos)
	}
	refers := map[expr.ColID]bool{}
	expr.Cols(e, refers)
	for i := range sc.cols {
		switch other := &d.schema.Columns[i]; {
		case !refers[sc.cols[i].ID]:
		case other.AutoInc:
			return nil, sqlerr.New(sqlerr.GeneratedAutoIncrement, "Generated column '%s' cannot refer to auto-increment column.", c.Name).At(pos)
		case other.Generated != "" && i >= o:
			return nil, sqlerr.New(sqlerr.GeneratedNotPrior, "Generated column can refer only to generated columns defined prior to it.").At(pos)
		}
	}
	return d.stored(e, c, false, -1), nil
}

// check binds a constraint to an expression that is true where it does not hold.
func (d *definition) check(sc *scope, c *catalog.Check) (expr.Expr, error) {
	pos := d.find("CHECK", 0)
	e, err := d.ruleExpr(sc, c.Expr)
	if err != nil {
		if e := sqlerr.From(err); e.Code == sqlerr.BadField {
			return nil, sqlerr.New(sqlerr.CheckUnknownColumn, "Check constraint '%s' refers to non-existing column: %s", c.Name, e.Msg).At(pos)
		}
		return nil, d.inRule(err, fmt.Sprintf("check constraint '%s'", c.Name), pos)
	}
	if fn := disallowed(e); fn != "" {
		return nil, sqlerr.New(sqlerr.CheckNamedFunction, "An expression of a check constraint '%s' contains disallowed function: %s.", c.Name, fn).At(pos)
	}
	refers := map[expr.ColID]bool{}
	expr.Cols(e, refers)
	for i := range sc.cols {
		if refers[sc.cols[i].ID] && d.schema.Columns[i].AutoInc {
			return nil, sqlerr.New(sqlerr.CheckAutoIncrement, "Check constraint '%s' cannot refer to an auto-increment column.", c.Name).At(pos)
		}
	}
	return expr.NewCall("not", []expr.Expr{expr.Truth(e)}, -1)
}

// inRule gives an error in the text of a definition the place of that definition.
func (d *definition) inRule(err error, what string, pos int) error {
	e := *sqlerr.From(err)
	e.Pos = pos
	if e.Hint == "" {
		e.Hint = "In the expression of " + what + "."
	}
	return &e
}

// ruleExpr binds the text of an expression over a table's columns.
func (d *definition) ruleExpr(sc *scope, text string) (expr.Expr, error) {
	n, err := parseExpr(text)
	if err != nil {
		return nil, err
	}
	b := d.newBlock(nil, nil, sc)
	b.at = fieldList
	return b.expr(n)
}

// parseExpr reads the text of an expression that exprText wrote.
func parseExpr(text string) (ast.ExprNode, error) {
	stmts, err := parse.Parse("SELECT "+text, sqlmode.Default)
	if err != nil {
		return nil, err
	}
	if sel, ok := stmts[0].Node.(*ast.SelectStmt); ok && len(stmts) == 1 && len(sel.Fields.Fields) == 1 && stmts[0].Params == 0 {
		return sel.Fields.Fields[0].Expr, nil
	}
	return nil, sqlerr.Unsupported(-1, "this expression in a definition")
}

// disallowed names what makes an expression unfit for a definition: subqueries, and
// functions whose value is not decided by their arguments.
func disallowed(e expr.Expr) string {
	name := ""
	expr.Walk(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Subquery:
			name = "subquery"
		case *expr.Call:
			if sig := expr.Lookup(e.Fn); sig != nil && (sig.Volatile || sig.Session) {
				name = e.Fn
			}
		}
		return name == ""
	})
	return name
}

// addCheck adds a constraint; without a name it is called after the table.
func (d *definition) addCheck(name string, n ast.ExprNode, enforced bool) error {
	text, err := exprText(n)
	if err != nil {
		return err
	}
	if name == "" {
		name = d.checkName()
	}
	d.schema.Checks = append(d.schema.Checks, catalog.Check{Name: name, Expr: text, NotEnforced: !enforced})
	return nil
}

// checkName makes a name for a constraint without one.
func (d *definition) checkName() string {
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s_chk_%d", d.table, i)
		if d.checkCalled(name) < 0 {
			return name
		}
	}
}

// checkCalled finds a constraint by name, or gives -1.
func (d *definition) checkCalled(name string) int {
	return slices.IndexFunc(d.schema.Checks, func(c catalog.Check) bool { return catalog.EqualFold(c.Name, name) })
}

// checkNames refuses two constraints of one name.
func (d *definition) checkNames() error {
	for i, c := range d.schema.Checks {
		if d.checkCalled(c.Name) != i {
			return sqlerr.New(sqlerr.CheckDuplicate, "Duplicate check constraint name '%s'.", c.Name).At(d.find(c.Name, 0))
		}
	}
	return nil
}
