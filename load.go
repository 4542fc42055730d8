package gsql

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"

	"gsql/internal/dml"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/storage"
	"gsql/storage/files"
)

// sourceName is what a load calls the file it reads, in the INSERT that it becomes.
const sourceName = "\x00source"

// isFile tells whether a table name is a path to a file gsql reads.
func isFile(name string) bool { return files.IsPath(name) }

// openFile opens a file (or a pattern of files) as a table.
func (s *Session) openFile(ctx context.Context, name string) (catalog.Table, error) {
	return s.db.files.open(ctx, name, s.db.cfg.Dir)
}

// loadData runs LOAD DATA [LOCAL] INFILE: the file's lines become rows of the table,
// typed by its columns. Without IGNORE the first bad line ends it, with IGNORE bad
// lines are skipped and listed in SHOW WARNINGS.
func (r *stmtRun) loadData(tx *storage.Tx, n *ast.LoadDataStmt) (*Rows, error) {
	schema, err := r.columnsOf(tx, n.Table)
	if err != nil {
		return nil, err
	}
	opt, err := loadOptions(n)
	if err != nil {
		return nil, err
	}
	opt.Dir = r.s.db.cfg.Dir
	opt.IgnoreErrors = n.OnDuplicate == ast.OnDuplicateKeyHandlingIgnore
	m := newMapping(schema, n.ColumnsAndUserVars)
	opt.Columns, opt.Types, opt.OwnColumns = m.fields, m.types, true
	if err := m.assign(n.ColumnAssignments); err != nil {
		return nil, err
	}
	file, err := files.Open(r.ctx, n.Path, opt)
	if err != nil {
		return nil, err
	}
	verb := "INSERT"
	switch {
	case n.OnDuplicate == ast.OnDuplicateKeyHandlingReplace:
		verb = "REPLACE"
	case opt.IgnoreErrors && dml.HasUnique(schema):
		verb = "INSERT IGNORE"
	}
	return r.insertFile(tx, verb, n.Table, file, m)
}

// loadOptions translates the FIELDS, LINES and IGNORE clauses; MySQL's defaults are
// tabs, no quotes, backslash escapes.
func loadOptions(n *ast.LoadDataStmt) (files.Options, error) {
	header, quote, escape := false, byte(0), byte('\\')
	opt := files.Options{Delimiter: "\t", Lines: "\n", Header: &header, Quote: &quote, Escape: &escape}
	if f := n.FieldsInfo; f != nil {
		if f.Terminated != nil {
			opt.Delimiter = *f.Terminated
		}
		if f.Enclosed != nil && *f.Enclosed != "" {
			quote = (*f.Enclosed)[0]
		}
		if f.Escaped != nil {
			escape = 0
			if *f.Escaped != "" {
				escape = (*f.Escaped)[0]
			}
		}
		if f.DefinedNullBy != nil {
			opt.NullText = []string{*f.DefinedNullBy}
		}
	}
	if opt.Delimiter == "" {
		return opt, sqlerr.Unsupported(0, "fixed-width fields (FIELDS TERMINATED BY '')")
	}
	if l := n.LinesInfo; l != nil {
		if l.Terminated != nil {
			opt.Lines = *l.Terminated
		}
		if l.Starting != nil {
			opt.LinePrefix = *l.Starting
		}
	}
	if n.Format != nil || len(n.Options) > 0 {
		return opt, sqlerr.Unsupported(0, "FORMAT and WITH of LOAD DATA").WithHint("IMPORT INTO reads files of any format.")
	}
	if n.Charset != nil {
		if err := setCharset(&opt, *n.Charset); err != nil {
			return opt, err
		}
	}
	if n.IgnoreLines != nil {
		opt.SkipLines = int(*n.IgnoreLines)
	}
	if opt.NullText == nil {
		opt.NullText = []string{`\N`, "NULL"}
	}
	return opt, nil
}

func setCharset(opt *files.Options, name string) (err error) {
	var ok bool
	if opt.Charset, ok = files.Charset(name); !ok {
		err = sqlerr.Unsupported(0, "files in the character set %s", name)
	}
	return err
}

// mapping says how the fields of a file become columns of a table.
type mapping struct {
	fields  []string              // names of the file's fields; user variables keep their @
	types   map[string]types.Type // of the fields that are columns
	targets []string              // columns that are written
	values  []string              // what is written to each, as SQL over the fields
}

// newMapping reads the column list; without one the fields are the table's columns.
func newMapping(schema *catalog.Schema, list []*ast.ColumnNameOrUserVar) *mapping {
	m := &mapping{types: map[string]types.Type{}}
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

func (m *mapping) column(schema *catalog.Schema, name string) {
	m.fields = append(m.fields, name)
	m.targets = append(m.targets, name)
	m.values = append(m.values, quote(name))
	if i := schema.Ordinal(name); i >= 0 {
		m.types[name] = textType(schema.Columns[i].Type)
	}
}

// textType is how text for a column of type t is read: times in it have no zone, which the
// statement that stores them knows.
func textType(t types.Type) types.Type {
	if t.ID == types.Timestamp {
		t.ID = types.Datetime
	}
	return t
}

// assign adds the SET clause: its user variables are fields of the line.
func (m *mapping) assign(list []*ast.Assignment) error {
	for _, a := range list {
		e, _ := a.Expr.Accept(fieldVars{})
		var text strings.Builder
		if err := e.Restore(format.NewRestoreCtx(format.DefaultRestoreFlags, &text)); err != nil {
			return sqlerr.Internal("cannot write the expression of %s: %v", a.Column.Name.O, err)
		}
		m.targets = append(m.targets, a.Column.Name.O)
		m.values = append(m.values, text.String())
	}
	return nil
}

// fieldVars replaces @name by the field of that name.
type fieldVars struct{}

// Enter implements ast.Visitor.
func (fieldVars) Enter(n ast.Node) (ast.Node, bool) { return n, false }

// Leave implements ast.Visitor.
func (fieldVars) Leave(n ast.Node) (ast.Node, bool) {
	if v, ok := n.(*ast.VariableExpr); ok && !v.IsSystem {
		return &ast.ColumnNameExpr{Name: &ast.ColumnName{Name: ast.NewCIStr("@" + strings.ToLower(v.Name))}}, true
	}
	return n, true
}

// importInto runs IMPORT INTO t FROM 'file' and IMPORT INTO t FROM SELECT ... Fields go
// to the columns of the same names, or in order when the names differ.
func (r *stmtRun) importInto(tx *storage.Tx, n *ast.ImportIntoStmt) (*Rows, error) {
	if n.Select != nil {
		return nil, sqlerr.Unsupported(0, "IMPORT INTO ... FROM SELECT").WithHint("Use INSERT INTO ... SELECT.")
	}
	schema, err := r.columnsOf(tx, n.Table)
	if err != nil {
		return nil, err
	}
	opt := files.Options{Dir: r.s.db.cfg.Dir}
	for _, o := range n.Options {
		if err := importOption(&opt, o, r); err != nil {
			return nil, err
		}
	}
	if !isFile(n.Path) {
		return nil, sqlerr.Unsupported(0, "files named like '%s'", n.Path).
			WithHint("gsql tells the format from the ending: .csv, .tsv, .parquet, .arrow, with or without .gz or .zst.")
	}
	file, err := files.Open(r.ctx, n.Path, opt)
	if err != nil {
		return nil, err
	}
	if opt.OwnColumns = !hasColumns(schema, file.Schema()); opt.OwnColumns { // they are told apart by their order
		if file, err = files.Open(r.ctx, n.Path, opt); err != nil {
			return nil, err
		}
	}
	m, err := importMapping(schema, file.Schema(), n)
	if err != nil {
		return nil, err
	}
	// Text is read as the columns' types, not as the ones it looks like: a DECIMAL
	// that went through DOUBLE would lose digits.
	opt.Types = map[string]types.Type{}
	for i, c := range file.Schema().Columns {
		if o := schema.Ordinal(m.targets[i]); o >= 0 {
			opt.Types[c.Name] = textType(schema.Columns[o].Type)
		}
	}
	if file, err = files.Open(r.ctx, n.Path, opt); err != nil {
		return nil, err
	}
	return r.insertFile(tx, "INSERT", n.Table, file, m)
}

func importOption(opt *files.Options, o *ast.LoadDataOpt, r *stmtRun) error {
	value := ""
	if o.Value != nil {
		d, err := r.scalar(o.Value)
		if err != nil {
			return err
		}
		value = d.Text()
	}
	switch o.Name {
	case "fields_terminated_by":
		opt.Delimiter = value
	case "character_set":
		return setCharset(opt, value)
	case "lines_terminated_by":
		opt.Lines = value
	case "fields_defined_null_by":
		opt.NullText = []string{value}
	case "skip_rows":
		if _, err := fmt.Sscan(value, &opt.SkipLines); err != nil {
			return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to IMPORT INTO: skip_rows='%s'", value)
		}
	case "thread", "detached":
		return sqlerr.Unsupported(0, "IMPORT INTO ... WITH %s", o.Name)
	default:
		return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to IMPORT INTO: %s", o.Name).
			WithHint("It takes character_set, fields_terminated_by, lines_terminated_by, fields_defined_null_by and skip_rows.")
	}
	return nil
}

// hasColumns tells whether a table has all columns of a file by their names.
func hasColumns(table, file *catalog.Schema) bool {
	return !slices.ContainsFunc(file.Columns, func(c catalog.Column) bool { return table.Ordinal(c.Name) < 0 })
}

func importMapping(table, file *catalog.Schema, n *ast.ImportIntoStmt) (*mapping, error) {
	if len(n.ColumnAssignments) > 0 {
		return nil, sqlerr.Unsupported(0, "IMPORT INTO ... SET")
	}
	m := &mapping{}
	for _, c := range file.Columns {
		m.values = append(m.values, quote(c.Name))
		m.targets = append(m.targets, c.Name)
	}
	if len(n.ColumnsAndUserVars) == 0 && hasColumns(table, file) {
		return m, nil
	}
	m.targets = newMapping(table, n.ColumnsAndUserVars).targets
	if len(m.targets) != len(file.Columns) {
		return nil, sqlerr.New(sqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row 1").
			WithHint("The file has %d columns, the table takes %d.", len(file.Columns), len(m.targets))
	}
	return m, nil
}

// insertFile inserts a file's rows as INSERT INTO t (...) SELECT ... FROM file does, or
// another verb, and reports the lines that were skipped.
func (r *stmtRun) insertFile(tx *storage.Tx, verb string, t *ast.TableName, file catalog.Table, m *mapping) (*Rows, error) {
	target := quote(t.Name.O)
	if t.Schema.O != "" {
		target = quote(t.Schema.O) + "." + target
	}
	text := fmt.Sprintf("%s INTO %s (%s) SELECT %s FROM %s", verb, target, quoteAll(m.targets), strings.Join(m.values, ", "), quote(sourceName))
	inner, err := r.inner(text)
	if err != nil {
		return nil, err
	}
	source := &watched{Table: file}
	inner.source = source
	rows, err := inner.insert(tx, inner.stmt.Node.(*ast.InsertStmt))
	if err != nil {
		return nil, err
	}
	skipped := r.reportSkipped(source.src)
	records, deleted := rows.Affected+skipped, int64(0)
	switch c := rows.count; {
	case c == nil:
	case verb == "REPLACE":
		records, deleted = c.Records+skipped, c.Duplicates
	default:
		records, skipped = c.Records+skipped, c.Duplicates+skipped
	}
	rows.Info = fmt.Sprintf("Records: %d  Deleted: %d  Skipped: %d  Warnings: %d", records, deleted, skipped, len(r.s.Warnings()))
	return rows, nil
}

// watched keeps the source of the scan, which knows the lines it skipped.
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
func (r *stmtRun) reportSkipped(src catalog.Source) int64 {
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

// columnsOf gives the columns of a table, file or view.
func (r *stmtRun) columnsOf(tx *storage.Tx, t *ast.TableName) (*catalog.Schema, error) {
	obj, err := r.s.resolver(tx, nil).Table(r.ctx, t.Schema.O, t.Name.O)
	if err != nil {
		return nil, err
	}
	if obj.Table != nil {
		return obj.Table.Schema(), nil
	}
	return r.viewSchema(tx, obj.View)
}
