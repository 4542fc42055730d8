package statement

import (
	"context"
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/session"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage"
	"gsql/storage/files"
)

// mapping describes how the fields of a file become columns of a table.
type mapping struct {
	fields  []string              // names of the file's fields; user variables keep their @
	types   map[string]types.Type // of the fields that are columns
	targets []string              // columns that are written
	values  []ast.ExprNode        // the value written to each, over the fields
	strict  bool                  // fields have the types of their columns, or else are texts
}

// newMapping translates the column list; without one the fields are the table's columns.
func newMapping(schema *catalog.Schema, list []*ast.ColumnNameOrUserVar, strict bool) *mapping {
	m := &mapping{types: map[string]types.Type{}, strict: strict}
	if len(list) == 0 {
		for _, c := range schema.Columns {
			m.column(schema, c.Name)
		}
		return m
	}
	for _, item := range list {
		if item.UserVar != nil {
			name := "@" + strings.ToLower(item.UserVar.Name)
			m.fields = append(m.fields, name)
			m.types[name] = types.T(types.String)
			continue
		}
		m.column(schema, item.ColumnName.Name.O)
	}
	return m
}

// column adds a field that is written to the column of its name.
func (m *mapping) column(schema *catalog.Schema, name string) {
	m.fields = append(m.fields, name)
	m.targets = append(m.targets, name)
	m.values = append(m.values, fieldNamed(name))
	if i := schema.Ordinal(name); i >= 0 && m.strict {
		m.types[name] = textType(schema.Columns[i].Type)
	} else {
		m.types[name] = types.T(types.String)
	}
}

// textType returns the type that text for a column of type t is parsed as: its times have no zone,
// which only the statement that stores them knows.
func textType(t types.Type) types.Type {
	if t.ID == types.Timestamp {
		t.ID = types.Datetime
	}
	return t
}

// assign adds the SET clause, whose user variables are fields of the line.
func (m *mapping) assign(list []*ast.Assignment) {
	for _, a := range list {
		e, _ := a.Expr.Accept(fieldVars{})
		m.targets = append(m.targets, a.Column.Name.O)
		m.values = append(m.values, e.(ast.ExprNode))
	}
}

// fieldVars replaces @name with the field of that name.
type fieldVars struct{}

// Enter implements ast.Visitor.
func (fieldVars) Enter(n ast.Node) (ast.Node, bool) { return n, false }

// Leave implements ast.Visitor.
func (fieldVars) Leave(n ast.Node) (ast.Node, bool) {
	if v, ok := n.(*ast.VariableExpr); ok && !v.IsSystem {
		return fieldNamed("@" + strings.ToLower(v.Name)), true
	}
	return n, true
}

func fieldNamed(name string) ast.ExprNode {
	return &ast.ColumnNameExpr{Name: &ast.ColumnName{Name: ast.NewCIStr(name)}}
}

// statement returns the INSERT of the mapped fields of the file, which it reads as
// session.SourceName, into t.
func (m *mapping) statement(t *ast.TableName) *ast.InsertStmt {
	table := func(t *ast.TableName) *ast.TableRefsClause {
		return &ast.TableRefsClause{TableRefs: &ast.Join{Left: &ast.TableSource{Source: t}}}
	}
	fields := &ast.FieldList{}
	for _, e := range m.values {
		fields.Fields = append(fields.Fields, &ast.SelectField{Expr: e})
	}
	n := &ast.InsertStmt{Table: table(t), Select: &ast.SelectStmt{
		SelectStmtOpts: &ast.SelectStmtOpts{SQLCache: true}, Kind: ast.SelectStmtKindSelect,
		Fields: fields, From: table(&ast.TableName{Name: ast.NewCIStr(session.SourceName)}),
	}}
	for _, name := range m.targets {
		n.Columns = append(n.Columns, &ast.ColumnName{Name: ast.NewCIStr(name)})
	}
	return n
}

// onDuplicate determines what happens to lines whose keys exist.
type onDuplicate int

const (
	failOnDuplicate onDuplicate = iota
	ignoreDuplicate
	replaceDuplicate
)

// insertFile inserts a file's rows into t and reports the lines that were skipped.
func insertFile(r *run, tx *storage.Tx, t *ast.TableName, file catalog.Table, m *mapping, on onDuplicate) (*Result, error) {
	source := &watched{Table: file}
	loading := *r
	loading.source = source
	n := m.statement(t)
	n.IgnoreErr, n.IsReplace = on == ignoreDuplicate, on == replaceDuplicate
	res, err := insertRows(&loading, tx, n)
	if err != nil {
		return nil, err
	}
	skipped := reportSkipped(r, source.src)
	records, deleted := res.Affected+skipped, int64(0)
	switch c := res.count; {
	case c == nil:
	case on == replaceDuplicate:
		records, deleted = c.Records+skipped, c.Duplicates
	default:
		records, skipped = c.Records+skipped, c.Duplicates+skipped
	}
	res.Info = fmt.Sprintf("Records: %d  Deleted: %d  Skipped: %d  Warnings: %d", records, deleted, skipped, r.s.Warnings.Len())
	return res, nil
}

// watched keeps the source of the scan, which records the lines it skipped.
type watched struct {
	catalog.Table
	src catalog.Source
}

// Scan implements catalog.Table.
func (w *watched) Scan(ctx context.Context, spec catalog.ScanSpec) (catalog.Source, error) {
	src, err := w.Table.Scan(ctx, spec)
	w.src = src
	return src, err
}

// reportSkipped warns of the lines that IGNORE skipped and counts them.
func reportSkipped(r *run, src catalog.Source) int64 {
	if src == nil {
		return 0
	}
	rejects := files.Rejected(src)
	for _, x := range rejects {
		where := fmt.Sprintf("%s line %d", x.File, x.Line)
		if x.Column != "" {
			where += ", column '" + x.Column + "'"
		}
		r.s.Warn(uint16(x.Code), fmt.Sprintf("%s: %s: '%s'", where, x.Reason, x.Text))
	}
	return int64(len(rejects))
}
