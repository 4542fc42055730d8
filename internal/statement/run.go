package statement

import (
	"context"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/exec/op"
	"gsql/internal/plancache"
	"gsql/internal/session"
	"gsql/planner/binder"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage"
)

// run is the execution of one statement, passed to the function for the statement's kind.
type run struct {
	c         *Connection
	s         *session.Session
	ctx       context.Context
	stmt      parse.Statement
	params    []catalog.Datum
	source    catalog.Table    // of the name session.SourceName, or nil
	notes     *plancache.Notes // of a plan that may be reused, or nil
	explained bool             // the plan is shown, with the bids that lost
}

// guarded executes the statement up to its first rows and turns a panic into an error.
func (r *run) guarded() (res *Result, err error) {
	err = r.s.DB.Execute(func() error {
		return op.Guard(func() (err error) { res, err = execute(r); return err })
	})
	return res, err
}

// keepsWarnings reports whether the statement shows the warnings of the previous one.
func (r *run) keepsWarnings() bool {
	show, ok := r.stmt.Node.(*ast.ShowStmt)
	return ok && (show.Tp == ast.ShowWarnings || show.Tp == ast.ShowErrors)
}

// session returns the session with the statement's parameters.
func (r *run) session() session.WithParams { return session.WithParams{Session: r.s, Values: r.params} }

// binder returns a binder that finds tables in tx.
func (r *run) binder(tx *storage.Tx) *binder.Binder {
	return r.notes.Binder(r.s.Tables(tx, r.source), r.session())
}

// locate gives an error without a position that of the first occurrence of word in the statement.
func (r *run) locate(err error, word string) error {
	e := sqlerr.From(err)
	i := strings.Index(strings.ToLower(r.stmt.Text), strings.ToLower(word))
	if e.Pos >= 0 || i < 0 {
		return e
	}
	at := *e
	at.Pos = i
	return &at
}

// unless turns an error of the given code into a note if the statement says IF [NOT] EXISTS.
func (r *run) unless(said bool, code sqlerr.Code, err error) (*Result, error) {
	if e := sqlerr.From(err); err != nil && said && e.Code == code {
		r.s.Note(e.Code, e.Msg)
		return &Result{}, nil
	}
	return &Result{}, err
}

// inDatabase returns the name of a database, or of the current one for "".
func (r *run) inDatabase(name string) string {
	if name == "" {
		return r.s.Database
	}
	return name
}

// object resolves a table name in tx.
func (r *run) object(tx *storage.Tx, t *ast.TableName) (catalog.Object, error) {
	return r.s.Tables(tx, nil).Table(r.ctx, t.Schema.O, t.Name.O)
}

// tableToChange finds a table of the store. Views and files are refused.
func (r *run) tableToChange(tx *storage.Tx, t *ast.TableName) (catalog.Table, error) {
	obj, err := r.object(tx, t)
	if err != nil {
		return nil, err
	}
	if obj.View != nil {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not BASE TABLE", r.s.Database, t.Name.O)
	}
	return obj.Table, nil
}

// columnsOf returns the columns of a table, file or view.
func (r *run) columnsOf(tx *storage.Tx, t *ast.TableName) (*catalog.Schema, error) {
	obj, err := r.object(tx, t)
	if err != nil {
		return nil, err
	}
	if obj.Table != nil {
		return obj.Table.Schema(), nil
	}
	return r.s.ViewSchema(r.ctx, tx, obj.View)
}

// scalar evaluates an expression without columns, which may contain subqueries.
func (r *run) scalar(e ast.ExprNode) (catalog.Datum, error) {
	tx, done := r.s.View()
	defer done()
	if err := r.lockRows(tx, e, nil); err != nil {
		return catalog.Datum{}, err
	}
	bound, err := r.binder(tx).Value(r.ctx, &r.stmt, &ast.SelectStmt{
		SelectStmtOpts: &ast.SelectStmtOpts{SQLCache: true},
		Fields:         &ast.FieldList{Fields: []*ast.SelectField{{Expr: e}}},
	})
	if err != nil {
		return catalog.Datum{}, err
	}
	plan, err := r.optimize(bound.Node)
	if err != nil {
		return catalog.Datum{}, err
	}
	var d catalog.Datum
	err = r.each(plan, func(b *vec.Batch) error {
		d = catalog.DatumAt(b.Cols[0], 0)
		d.Type = d.Type.Unrounded()
		return nil
	})
	return d, err
}

// firstWords returns the first two words of a statement, which name its kind.
func firstWords(sql string) string {
	words := strings.Fields(sql)
	return strings.ToUpper(strings.Join(words[:min(2, len(words))], " "))
}
