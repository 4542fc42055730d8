package statement

import (
	"fmt"
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/storage"
	"gsql/storage/disk"
	"gsql/storage/files"
)

// importInto runs IMPORT INTO t FROM 'file' and IMPORT INTO t FROM SELECT ... Fields go to the
// columns of the same names, or by position if the names differ.
func importInto(r *run, tx *storage.Tx, n *ast.ImportIntoStmt) (*Result, error) {
	if n.Select != nil {
		return nil, sqlerr.Unsupported(0, "IMPORT INTO ... FROM SELECT").WithHint("Use INSERT INTO ... SELECT.")
	}
	schema, err := r.columnsOf(tx, n.Table)
	if err != nil {
		return nil, err
	}
	opt, done := r.s.FileOptions()
	defer done()
	opt.Pipes = &disk.Pipes{}
	for _, o := range n.Options {
		if err := importOption(r, &opt, o); err != nil {
			return nil, err
		}
	}
	opt.Types = documents(schema)
	file, err := files.Open(r.ctx, n.Path, opt)
	if err != nil {
		return nil, err
	}
	if opt.OwnColumns = !hasColumns(schema, file.Schema()); opt.OwnColumns { // matched by position
		opt.Whole, opt.Types = true, nil
		if file, err = files.Open(r.ctx, n.Path, opt); err != nil {
			return nil, err
		}
	}
	m, err := importMapping(schema, file.Schema(), n)
	if err != nil {
		return nil, err
	}
	// Text is parsed as the columns' types, not as the types it looks like: a DECIMAL that went
	// through DOUBLE would lose digits.
	opt.Types = map[string]types.Type{}
	for i, c := range file.Schema().Visible() {
		if o := schema.Ordinal(m.targets[i]); o >= 0 {
			opt.Types[c.Name] = textType(schema.Columns[o].Type)
		}
	}
	if file, err = files.Open(r.ctx, n.Path, opt); err != nil {
		return nil, err
	}
	return insertFile(r, tx, n.Table, file, m, failOnDuplicate)
}

// importOption sets an option of the WITH clause.
func importOption(r *run, opt *files.Options, o *ast.LoadDataOpt) error {
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

// documents returns the JSON columns of a table. Objects in a JSON file that are named like these are stored
// whole.
func documents(table *catalog.Schema) map[string]types.Type {
	list := map[string]types.Type{}
	for _, c := range table.Columns {
		if c.Type.ID == types.JSON {
			list[c.Name] = c.Type
		}
	}
	return list
}

// hasColumns reports whether a table has columns with the names of all columns of a file.
func hasColumns(table, file *catalog.Schema) bool {
	return !slices.ContainsFunc(file.Visible(), func(c catalog.Column) bool { return table.Ordinal(c.Name) < 0 })
}

// importMapping maps the columns of a file: by name, or by the list or the position.
func importMapping(table, file *catalog.Schema, n *ast.ImportIntoStmt) (*mapping, error) {
	if len(n.ColumnAssignments) > 0 {
		return nil, sqlerr.Unsupported(0, "IMPORT INTO ... SET")
	}
	m := &mapping{}
	for _, c := range file.Visible() {
		m.values = append(m.values, fieldNamed(c.Name))
		m.targets = append(m.targets, c.Name)
	}
	if len(n.ColumnsAndUserVars) == 0 && hasColumns(table, file) {
		return m, nil
	}
	m.targets = newMapping(table, n.ColumnsAndUserVars, true).targets
	if len(m.targets) != len(file.Visible()) {
		return nil, sqlerr.New(sqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row 1").
			WithHint("The file has %d columns, the table takes %d.", len(file.Visible()), len(m.targets))
	}
	return m, nil
}
