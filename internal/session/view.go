package session

import (
	"context"

	"gsql/planner/binder"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// ViewSchema binds a view's SELECT in tx and returns its columns.
func (s *Session) ViewSchema(ctx context.Context, tx *storage.Tx, v *catalog.View) (*catalog.Schema, error) {
	stmts, err := parse.Parse(v.SQL, s.Mode)
	if err != nil {
		return nil, err
	}
	res := s.Tables(tx, nil).Within(v.Within)
	bound, err := binder.New(res, WithParams{s, nil}).Query(ctx, &stmts[0], stmts[0].Node)
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

// WithParams is a session with the parameters of one statement. It implements
// binder.Session.
type WithParams struct {
	*Session
	Values []catalog.Datum
}

var _ binder.Session = WithParams{}

// Params implements binder.Session.
func (w WithParams) Params() []catalog.Datum { return w.Values }
