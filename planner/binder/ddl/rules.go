package ddl

import (
	"fmt"
	"slices"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/query"
	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// TableRules holds the bound generated columns and constraints of a table.
type TableRules struct {
	Columns   []expr.ColID // ids of the table's columns in the expressions
	Generated []expr.Expr  // by column, in its type; nil for columns that are not generated
	Checks    []expr.Expr  // by index in Schema.Checks, true for invalid rows; nil if not enforced
}

// Empty reports whether there is nothing to compute or check.
func (r *TableRules) Empty() bool {
	none := func(e expr.Expr) bool { return e != nil }
	return !slices.ContainsFunc(r.Generated, none) && !slices.ContainsFunc(r.Checks, none)
}

// BindTableRules binds the generated columns and constraints of a schema that BindCreateTable or BindAlterTable
// returned.
func BindTableRules(q *query.Binder, table string, schema *catalog.Schema) (*TableRules, error) {
	d := &definition{Binder: q, table: table}
	return d.rules(schema)
}

// rules binds the expressions of a schema and refuses illegal ones.
func (d *definition) rules(schema *catalog.Schema) (*TableRules, error) {
	in := *d.Statement
	in.Zone = time.UTC // rows are in their stored form
	d = &definition{Binder: query.New(&in), schema: schema, table: d.table}
	sc := d.columnScope()
	out := &TableRules{
		Columns: make([]expr.ColID, len(schema.Columns)), Generated: make([]expr.Expr, len(schema.Columns)),
		Checks: make([]expr.Expr, len(schema.Checks)),
	}
	for i := range sc.Columns {
		out.Columns[i] = sc.Columns[i].ID
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
		return nil, sqlerr.New(sqlerr.TableMustHaveColumns, "A table must have at least 1 column").WithHint("At least one column must not be generated.")
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
func (d *definition) generated(sc *scope.Scope, o int) (expr.Expr, error) {
	c := &d.schema.Columns[o]
	pos := d.Find(c.Name, 0)
	e, err := d.ruleExpr(sc, c.Generated)
	if err != nil {
		return nil, d.inRule(err, fmt.Sprintf("generated column '%s'", c.Name), pos)
	}
	if fn := disallowed(e); fn != "" {
		return nil, sqlerr.New(sqlerr.GeneratedFunction, "Expression of generated column '%s' contains a disallowed function: `%s`.", c.Name, fn).At(pos)
	}
	refers := map[expr.ColID]bool{}
	expr.Cols(e, refers)
	for i := range sc.Columns {
		switch other := &d.schema.Columns[i]; {
		case !refers[sc.Columns[i].ID]:
		case other.AutoInc:
			return nil, sqlerr.New(sqlerr.GeneratedAutoIncrement, "Generated column '%s' cannot refer to auto-increment column.", c.Name).At(pos)
		case other.Generated != "" && i >= o:
			return nil, sqlerr.New(sqlerr.GeneratedNotPrior, "Generated column can refer only to generated columns defined prior to it.").At(pos)
		}
	}
	return scalar.Stored(d.Statement, e, c, false, -1), nil
}

// check binds a constraint to an expression that is true if the constraint is violated.
func (d *definition) check(sc *scope.Scope, c *catalog.Check) (expr.Expr, error) {
	pos := d.Find("CHECK", 0)
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
	for i := range sc.Columns {
		if refers[sc.Columns[i].ID] && d.schema.Columns[i].AutoInc {
			return nil, sqlerr.New(sqlerr.CheckAutoIncrement, "Check constraint '%s' cannot refer to an auto-increment column.", c.Name).At(pos)
		}
	}
	return expr.NewCall(expr.FuncNot, []expr.Expr{expr.Truth(e)}, -1)
}

// inRule sets the position of an error in a definition's text to that of the definition.
func (d *definition) inRule(err error, what string, pos int) error {
	e := *sqlerr.From(err)
	e.Pos = pos
	if e.Hint == "" {
		e.Hint = "In the expression of " + what + "."
	}
	return &e
}

// ruleExpr binds the text of an expression over a table's columns.
func (d *definition) ruleExpr(sc *scope.Scope, text string) (expr.Expr, error) {
	n, err := scalar.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	b := d.Block(sc)
	b.At = scope.FieldList
	return b.Expr(n)
}

// disallowed names the part that makes an expression illegal in a definition: a subquery, or a
// function whose value does not depend on its arguments alone.
func disallowed(e expr.Expr) string {
	name := ""
	expr.Walk(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Subquery:
			name = "subquery"
		case *expr.Call:
			if sig := expr.Lookup(e.Fn); sig != nil && (sig.Volatile || sig.Session) {
				name = string(e.Fn)
			}
		}
		return name == ""
	})
	return name
}

// addCheck adds a constraint. Without a name it is named after the table.
func (d *definition) addCheck(name string, n ast.ExprNode, enforced bool) error {
	text, err := scalar.ExprText(n)
	if err != nil {
		return err
	}
	if name == "" {
		name = d.checkName()
	}
	d.schema.Checks = append(d.schema.Checks, catalog.Check{Name: name, Expr: text, NotEnforced: !enforced})
	return nil
}

// checkName returns a name for a constraint without one.
func (d *definition) checkName() string {
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s_chk_%d", d.table, i)
		if d.checkCalled(name) < 0 {
			return name
		}
	}
}

// checkCalled returns the index of the constraint with the given name, or -1.
func (d *definition) checkCalled(name string) int {
	return slices.IndexFunc(d.schema.Checks, func(c catalog.Check) bool { return catalog.EqualFold(c.Name, name) })
}

// checkNames returns an error if two constraints have the same name.
func (d *definition) checkNames() error {
	for i, c := range d.schema.Checks {
		if d.checkCalled(c.Name) != i {
			return sqlerr.New(sqlerr.CheckDuplicate, "Duplicate check constraint name '%s'.", c.Name).At(d.Find(c.Name, 0))
		}
	}
	return nil
}
