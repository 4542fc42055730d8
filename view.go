package gsql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// alterView is CREATE OR REPLACE VIEW of a view that there must be.
func (r *stmtRun) alterView(tx *storage.Tx, n *parse.AlterView) (*Rows, error) {
	obj, err := r.s.resolver(tx, nil).Table(r.ctx, n.ViewName.Schema.O, n.ViewName.Name.O)
	if err != nil {
		return nil, r.locate(err, n.ViewName.Name.O)
	}
	if obj.View == nil {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not VIEW", r.s.database, n.ViewName.Name.O)
	}
	return r.createView(tx, n.CreateViewStmt)
}

// createView stores the text of the SELECT once it has been bound without error.
func (r *stmtRun) createView(tx *storage.Tx, n *ast.CreateViewStmt) (*Rows, error) {
	if r.stmt.Params > 0 {
		return nil, sqlerr.New(sqlerr.ViewSelectVariable, "View's SELECT contains a variable or parameter")
	}
	view := catalog.View{DB: n.ViewName.Schema.O, Name: n.ViewName.Name.O, SQL: n.Select.Text(), Within: r.s.database, Mode: r.s.mode}
	for _, c := range n.Cols {
		view.Columns = append(view.Columns, c.O)
	}
	if _, err := r.viewSchema(tx, &view); err != nil {
		return nil, err
	}
	return &Rows{}, tx.CreateView(view, n.OrReplace)
}

// viewSchema binds a view's SELECT and gives its columns.
func (r *stmtRun) viewSchema(tx *storage.Tx, v *catalog.View) (*catalog.Schema, error) {
	inner, err := r.inner(v.SQL)
	if err != nil {
		return nil, err
	}
	res := r.s.resolver(tx, nil).In(v.Within)
	bound, err := binder.New(res, bindSession{r.s, nil}).Query(r.ctx, &inner.stmt, inner.stmt.Node)
	if err != nil {
		return nil, err
	}
	if v.Columns != nil && len(v.Columns) != len(bound.Names) {
		return nil, sqlerr.New(sqlerr.CTEColumnCount, "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts")
	}
	schema := &catalog.Schema{}
	seen := map[string]bool{}
	for i, name := range bound.Names {
		if v.Columns != nil {
			name = v.Columns[i]
		}
		if seen[name] {
			return nil, sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name)
		}
		seen[name] = true
		schema.Columns = append(schema.Columns, catalog.Column{Name: name, Type: bound.Columns[i].T, NotNull: bound.Columns[i].NotNull})
	}
	return schema, nil
}
